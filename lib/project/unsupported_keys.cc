// Keys of the streamt and dbt formats that we lack, so that who comes from there learns at once what to do.
#include <array>
#include <string>

#include "absl/strings/str_replace.h"
#include "lib/project/fields.h"

namespace st::project {
namespace {

constexpr std::string_view kFlink = "is not supported: there is no Flink here";
constexpr std::string_view kConnect = "is not supported: there is no Kafka Connect here";
constexpr std::string_view kGateway = "is not supported: there is no gateway here";
constexpr std::string_view kRegistry = "is not supported: there is no schema registry here";
constexpr std::string_view kGrants = "is not supported: rights belong to the broker";
constexpr std::string_view kOneCluster = "is not supported: a project has one cluster, `runtime.kafka`";
constexpr std::string_view kNotWatched = "is not supported: nothing here watches records while they flow";
constexpr std::string_view kFiltersOnly = "is not supported: models filter and project, one record at a time";
constexpr std::string_view kNoPolicy = "is not supported: there is no such rule";
constexpr std::string_view kAlwaysVerified = "is not supported: certificates are always verified";
constexpr std::string_view kTrust = "name the CA to trust in `ssl_ca_location`";
constexpr std::string_view kKerberos = "is not supported: there is no Kerberos (GSSAPI) here";
constexpr std::string_view kOauth = "is not supported: there is no OAUTHBEARER here";
constexpr std::string_view kUseScram = "use SCRAM-SHA-512, PLAIN or a client certificate";
constexpr std::string_view kKeystore = "is not supported: certificates and keys are PEM, not JKS or PKCS12 keystores";
constexpr std::string_view kUseCa = "export the CA as PEM, and name it in `ssl_ca_location`";
constexpr std::string_view kUseCertificate =
    "use `ssl_certificate_location`, `ssl_key_location` and `ssl_key_password`";
constexpr std::string_view kRemove = "remove it";
constexpr std::string_view kInTests = "write rows: `given` and `expect`, run by st-test";
constexpr std::string_view kInProjectFile =
    "does not stand in an environment file: it overrides runtime, deployment_state and safety only";
constexpr std::string_view kMove = "write it in stream_project.yml";

constexpr std::array kKeys = {
    UnsupportedKey{"Project", "udfs", "is not supported: SQL has no functions here", kRemove},
    UnsupportedKey{"Project", "macros", "is not supported: SQL is written out", kRemove},
    UnsupportedKey{"Project", "seeds", "is not supported: creating a topic does not fill it", kRemove},
    UnsupportedKey{"Project", "snapshots", kFiltersOnly, kRemove},
    UnsupportedKey{"Project", "metrics", kFiltersOnly, kRemove},
    UnsupportedKey{"Project", "vars", "is not supported", "use ${VAR} and an .env file"},
    UnsupportedKey{"Project", "version", "stands in `project` here", "write `project: {version: ...}`"},
    UnsupportedKey{"Project", "name", "stands in `project` here", "write `project: {name: ...}`"},
    UnsupportedKey{"Project", "data_tests", "is called `tests` here", kInTests},
    UnsupportedKey{"Project", "unit_tests", "is called `tests` here", kInTests},
    UnsupportedKey{"Environment", "sources", kInProjectFile, kMove},
    UnsupportedKey{"Environment", "models", kInProjectFile, kMove},
    UnsupportedKey{"Environment", "exposures", kInProjectFile, kMove},
    UnsupportedKey{"Environment", "tests", kInProjectFile, kMove},
    UnsupportedKey{"Environment", "rules", kInProjectFile, kMove},
    UnsupportedKey{"Environment", "defaults", kInProjectFile, kMove},
    UnsupportedKey{"Environment", "project", kInProjectFile, kMove},
    UnsupportedKey{"EnvironmentInfo", "name", "is the name of the file here", kRemove},
    UnsupportedKey{"EnvironmentInfo", "description", "is not supported", "write a YAML comment"},
    UnsupportedKey{"Safety", "confirm_apply", "is not supported: a tool asks no questions",
                   "use `protected` or `require_reviewed_plan`"},
    UnsupportedKey{"DeploymentState", "namespace", "is not supported: project and environment name what is kept",
                   kRemove},
    UnsupportedKey{"DeploymentState", "lock_timeout_seconds", "is not supported: a tool that meets a lock says so",
                   kRemove},
    UnsupportedKey{"DeploymentState", "postgres", "has no section of its own here",
                   "write `dsn_env` and `schema` directly in `deployment_state`"},
    UnsupportedKey{"Runtime", "flink", kFlink, "remove it; models run by `runtime.runner`"},
    UnsupportedKey{"Runtime", "connect", kConnect, "remove it; declare a connector as an exposure"},
    UnsupportedKey{"Runtime", "schema_registry", kRegistry, "remove it; sources list their `columns`"},
    UnsupportedKey{"Runtime", "conduktor", kGateway, kRemove},
    UnsupportedKey{"Runtime", "gateway", kGateway, kRemove},
    UnsupportedKey{"Runtime", "kafka_streams", "is called `runner` here", "see `runtime.runner`"},
    UnsupportedKey{"Kafka", "ssl_endpoint_identification_algorithm", "is not supported: host names are always verified",
                   kRemove},
    UnsupportedKey{"Kafka", "enable_ssl_certificate_verification", kAlwaysVerified, kTrust},
    UnsupportedKey{"Kafka", "ssl_check_hostname", "is not supported: host names are always verified", kRemove},
    UnsupportedKey{"Kafka", "ssl_verify", kAlwaysVerified, kTrust},
    UnsupportedKey{"Kafka", "sasl_jaas_config", "is not supported", "use `sasl_username` and `sasl_password`"},
    UnsupportedKey{"Kafka", "sasl_mechanisms", "is called `sasl_mechanism` here", "write `sasl_mechanism`"},
    UnsupportedKey{"Kafka", "sasl_kerberos_service_name", kKerberos, kUseScram},
    UnsupportedKey{"Kafka", "sasl_kerberos_principal", kKerberos, kUseScram},
    UnsupportedKey{"Kafka", "sasl_kerberos_keytab", kKerberos, kUseScram},
    UnsupportedKey{"Kafka", "sasl_kerberos_kinit_cmd", kKerberos, kUseScram},
    UnsupportedKey{"Kafka", "sasl_oauthbearer_config", kOauth, kUseScram},
    UnsupportedKey{"Kafka", "sasl_oauthbearer_method", kOauth, kUseScram},
    UnsupportedKey{"Kafka", "sasl_oauthbearer_token_endpoint_url", kOauth, kUseScram},
    UnsupportedKey{"Kafka", "sasl_oauthbearer_client_id", kOauth, kUseScram},
    UnsupportedKey{"Kafka", "sasl_oauthbearer_client_secret", kOauth, kUseScram},
    UnsupportedKey{"Kafka", "sasl_login_callback_handler_class", kOauth, kUseScram},
    UnsupportedKey{"Kafka", "ssl_truststore_location", kKeystore, kUseCa},
    UnsupportedKey{"Kafka", "ssl_truststore_password", kKeystore, kUseCa},
    UnsupportedKey{"Kafka", "ssl_truststore_type", kKeystore, kUseCa},
    UnsupportedKey{"Kafka", "ssl_truststore_certificates", kKeystore, "use `ssl_ca_pem`"},
    UnsupportedKey{"Kafka", "ssl_keystore_location", kKeystore, kUseCertificate},
    UnsupportedKey{"Kafka", "ssl_keystore_password", kKeystore, kUseCertificate},
    UnsupportedKey{"Kafka", "ssl_keystore_type", kKeystore, kUseCertificate},
    UnsupportedKey{"Kafka", "ssl_keystore_key", kKeystore, "use `ssl_key_pem`"},
    UnsupportedKey{"Kafka", "ssl_keystore_certificate_chain", kKeystore, "use `ssl_certificate_pem`"},
    UnsupportedKey{"Kafka", "ssl_engine_location", "is not supported: keys are PEM files or PEM texts",
                   kUseCertificate},
    UnsupportedKey{"Kafka", "ssl_crl_location", "is not supported: revoked certificates are not looked up", kRemove},
    UnsupportedKey{"Defaults", "models", "is not supported", "write `defaults: {topic: ...}`"},
    UnsupportedKey{"Defaults", "tests", "is not supported: tests need no defaults", kRemove},
    UnsupportedKey{"TopicDefaults", "config", "is not supported: each model says its own",
                   "write it in the model's `topic`"},
    UnsupportedKey{"Source", "cluster", kOneCluster, kRemove},
    UnsupportedKey{"Source", "schema", kRegistry, "list the columns in `columns`"},
    UnsupportedKey{"Source", "freshness", kNotWatched, kRemove},
    UnsupportedKey{"Source", "event_time", kFiltersOnly, "remove it; the time is a column like any other"},
    UnsupportedKey{"Source", "ownership", "is not supported: a source is always external",
                   "declare a topic of yours as a model with `materialized: topic`"},
    UnsupportedKey{"Source", "tables", "is not supported: a source is one topic", "write one source a topic"},
    UnsupportedKey{"Column", "classification", "is not supported", "remove it, or say it in `description`"},
    UnsupportedKey{"Column", "proctime", kFiltersOnly, kRemove},
    UnsupportedKey{"Column", "data_type", "is called `type` here", "write `type`"},
    UnsupportedKey{"Column", "nullable", "is called `required` here, and means the opposite",
                   "write `required: true` for never null"},
    UnsupportedKey{"Column", "tests", "is not supported on a column", kInTests},
    UnsupportedKey{"Column", "data_tests", "is not supported on a column", kInTests},
    UnsupportedKey{"Column", "constraints", "is not supported", "write `required: true` for never null"},
    UnsupportedKey{"Model", "from", "is not supported: SQL says what a model reads",
                   "write `FROM {{ source(\"...\") }}` or `FROM {{ ref(\"...\") }}` in `sql`"},
    UnsupportedKey{"Model", "key", "is not supported: a record keeps its key", kRemove},
    UnsupportedKey{"Model", "primary_key", kFiltersOnly, kRemove},
    UnsupportedKey{"Model", "security", kGrants, kRemove},
    UnsupportedKey{"Model", "connector", kConnect, "declare the connector as an exposure"},
    UnsupportedKey{"Model", "sink", kConnect, "declare the sink as an exposure"},
    UnsupportedKey{"Model", "gateway", kGateway, kRemove},
    UnsupportedKey{"Model", "ml_outputs", kFiltersOnly, kRemove},
    UnsupportedKey{"Model", "advanced", "is not supported",
                   "write `topic` directly in the model; nothing else of it exists here"},
    UnsupportedKey{"Model", "access", kGrants, kRemove},
    UnsupportedKey{"Model", "group", "is not supported", "use `owner` or `tags`"},
    UnsupportedKey{"Model", "version", "is not supported: a new version is a new model",
                   "put the version into the names"},
    UnsupportedKey{"Model", "contract", "is not supported",
                   "list the columns in `columns`: they must agree with the SQL"},
    UnsupportedKey{"Model", "macro", "is not supported: SQL is written out", "write `sql`"},
    UnsupportedKey{"Model", "params", "is not supported: SQL is written out", kRemove},
    UnsupportedKey{"Model", "config", "is not supported on a model",
                   "write the topic's settings in `topic: {config: ...}`"},
    UnsupportedKey{"Model", "tests", "is not supported on a model", "write the section `tests`, each with `model`"},
    UnsupportedKey{"Model", "flink", kFlink, kRemove},
    UnsupportedKey{"Model", "flink_cluster", kFlink, kRemove},
    UnsupportedKey{"Model", "connect_cluster", kConnect, kRemove},
    UnsupportedKey{"Model", "cluster", kOneCluster, kRemove},
    UnsupportedKey{"Exposure", "role", "is not supported: `consumes` and `produces` say it", kRemove},
    UnsupportedKey{"Exposure", "owners", "is not supported", "name one in `owner`"},
    UnsupportedKey{"Exposure", "repo", "is called `repository` here", "write `repository`"},
    UnsupportedKey{"Exposure", "language", "is not supported", "use `description` or `tags`"},
    UnsupportedKey{"Exposure", "tool", "is not supported", "use `description` or `tags`"},
    UnsupportedKey{"Exposure", "depends_on", "is not supported", "write `consumes: [{ref: ...}]` or `[{source: ...}]`"},
    UnsupportedKey{"Exposure", "sla", kNotWatched, "remove it, or say it in `description`"},
    UnsupportedKey{"Exposure", "contracts", "is not supported", "list the needed columns in `columns`"},
    UnsupportedKey{"Exposure", "access", kGrants, kRemove},
    UnsupportedKey{"Exposure", "freshness", kNotWatched, kRemove},
    UnsupportedKey{"Exposure", "schedule", "is not supported: there is no scheduler here", kRemove},
    UnsupportedKey{"Exposure", "data_requirements", "is not supported", "list the needed columns in `columns`"},
    UnsupportedKey{"Exposure", "maturity", "is not supported", "use `tags`"},
    UnsupportedKey{"Test", "type", "is not supported: a test is given rows and expected rows", kInTests},
    UnsupportedKey{"Test", "assertions", "is not supported: a test is given rows and expected rows", kInTests},
    UnsupportedKey{"Test", "sample_size", kNotWatched, kInTests},
    UnsupportedKey{"Test", "flink_cluster", kFlink, kRemove},
    UnsupportedKey{"Test", "on_failure", "is not supported: st-test exits 1", kRemove},
    UnsupportedKey{"Rules", "sources", kNoPolicy, kRemove},
    UnsupportedKey{"Rules", "security", kNoPolicy, kRemove},
    UnsupportedKey{"TopicRules", "max_retention_ms", kNoPolicy, "`required_config` can ask that retention.ms is said"},
    UnsupportedKey{"ModelRules", "valid_owners", kNoPolicy, "use `require_owner`"},
    UnsupportedKey{"ModelRules", "max_dependencies", "is not supported: a model reads one topic", kRemove},
};

}  // namespace

const UnsupportedKey* FindUnsupportedKey(std::string_view message, std::string_view key) {
  // Clients of Kafka spell these with dots.
  const std::string known = message == "Kafka" ? absl::StrReplaceAll(key, {{".", "_"}}) : std::string(key);
  for (const UnsupportedKey& entry : kKeys) {
    if (entry.message == message && entry.key == known) return &entry;
  }
  return nullptr;
}

}  // namespace st::project
