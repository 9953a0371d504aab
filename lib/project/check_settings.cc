// The form of what is said once in a project.
#include <limits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/address.h"
#include "lib/base/pem.h"
#include "lib/project/check.h"
#include "lib/project/variables.h"
#include "schemas/st/v1/project.pb.h"

namespace st::project {
namespace {

using google::protobuf::Message;

// Brokers keep the factor in 16 bits.
constexpr uint32_t kMaxReplicationFactor = 32767;
constexpr uint32_t kMaxPartitions = std::numeric_limits<int32_t>::max();
// What a runner with its client library needs at least, and what is surely a slip.
constexpr uint32_t kLeastMemoryMib = 64;
constexpr uint32_t kMostMemoryMib = 65'536;
constexpr uint32_t kLeastPids = 16;
constexpr uint32_t kMostPids = 4096;
// As st-runner takes it (runner/options.cc).
constexpr uint32_t kLeastCommitIntervalMs = 10;
constexpr uint32_t kMostCommitIntervalMs = 10'000;

void CheckServers(const v1::Kafka& kafka, std::string_view field, std::string_view servers, FormChecker* check) {
  if (base::IsHostPortList(servers)) return;
  check->Error(kafka, field, "BAD_VALUE", absl::StrCat(check->Quote(kafka, field, servers), " is no list of brokers"),
               "write host:port[,host:port...]");
}

// One thing in one of two ways.
void CheckEither(const v1::Kafka& kafka, std::string_view first, std::string_view second, FormChecker* check) {
  if (!check->IsWritten(kafka, first) || !check->IsWritten(kafka, second)) return;
  check->Error(kafka, second, "CONTRADICTION", absl::StrCat("`", second, "` and `", first, "` say the same"),
               "keep one of them");
}

// What is written to a runner's properties has one line; a PEM text has several, and goes into a file.
void CheckLines(const v1::Kafka& kafka, FormChecker* check) {
  const auto* reflection = kafka.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection->ListFields(kafka, &fields);
  for (const auto* field : fields) {
    const std::string value = reflection->GetString(kafka, field);
    const bool pem = absl::EndsWith(field->name(), "_pem");
    if (pem || value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos) continue;
    check->Error(kafka, field->name(), "BAD_VALUE", absl::StrCat("`", field->name(), "` holds a line break or a NUL"));
  }
}

// Certificates are no secrets and are known here; the key is looked up by the tools that connect.
void CheckCertificates(const v1::Kafka& kafka, std::string_view field, const std::string& text, FormChecker* check) {
  const std::string_view fault = base::PemFault(text, base::PemKind::kCertificate);
  if (fault.empty()) return;
  const bool secret = absl::StrContains(fault, "private key");
  check->Error(kafka, field, secret ? "SECRET_LITERAL" : "BAD_VALUE", absl::StrCat("`", field, "` ", fault),
               secret ? "take it out, and write ssl_key_pem: ${SSL_KEY_PEM}"
                      : "write the text as a block (`|`), from -----BEGIN CERTIFICATE----- to the END line, or name a "
                        "file with the `_location` setting");
}

void CheckLocation(const v1::Kafka& kafka, std::string_view field, const std::string& path, FormChecker* check) {
  for (const std::string_view keystore : {".jks", ".p12", ".pfx", ".pkcs12", ".keystore", ".truststore"}) {
    if (!absl::EndsWithIgnoreCase(path, keystore)) continue;
    check->Error(kafka, field, "UNSUPPORTED_VALUE",
                 absl::StrCat("`", field, "` names a keystore (", keystore, "): only PEM files are read"),
                 "export it as PEM, such as by `openssl pkcs12 -in FILE -out FILE.pem`");
    return;
  }
  if (absl::StartsWith(path, "/")) return;
  // Tools and runners work in folders of their own.
  check->Error(
      kafka, field, "BAD_VALUE",
      absl::StrCat("`", field, "` is relative, and would mean another file in each folder that a tool runs in"),
      "write an absolute path");
}

void CheckTls(const v1::Kafka& kafka, FormChecker* check) {
  CheckEither(kafka, "ssl_ca_location", "ssl_ca_pem", check);
  CheckEither(kafka, "ssl_certificate_location", "ssl_certificate_pem", check);
  CheckEither(kafka, "ssl_key_location", "ssl_key_pem", check);
  const bool certificate = kafka.has_ssl_certificate_location() || kafka.has_ssl_certificate_pem();
  const bool key = check->IsWritten(kafka, "ssl_key_location") || check->IsWritten(kafka, "ssl_key_pem");
  if (certificate && !key) {
    const bool pem = kafka.has_ssl_certificate_pem();
    check->Error(kafka, pem ? "ssl_certificate_pem" : "ssl_certificate_location", "MISSING_FIELD",
                 "a client certificate needs its key",
                 pem ? "write ssl_key_pem: ${SSL_KEY_PEM}" : "write `ssl_key_location`");
  }
  if (kafka.has_ssl_ca_pem()) CheckCertificates(kafka, "ssl_ca_pem", kafka.ssl_ca_pem(), check);
  if (kafka.has_ssl_certificate_pem()) {
    CheckCertificates(kafka, "ssl_certificate_pem", kafka.ssl_certificate_pem(), check);
  }
  if (kafka.has_ssl_ca_location()) CheckLocation(kafka, "ssl_ca_location", kafka.ssl_ca_location(), check);
  if (kafka.has_ssl_certificate_location()) {
    CheckLocation(kafka, "ssl_certificate_location", kafka.ssl_certificate_location(), check);
  }
  if (kafka.has_ssl_key_location()) CheckLocation(kafka, "ssl_key_location", kafka.ssl_key_location(), check);
}

void CheckKafka(const v1::Kafka& kafka, FormChecker* check) {
  if (check->Require(kafka, "bootstrap_servers", "write host:port[,host:port...]")) {
    CheckServers(kafka, "bootstrap_servers", kafka.bootstrap_servers(), check);
  }
  if (kafka.has_bootstrap_servers_internal()) {
    CheckServers(kafka, "bootstrap_servers_internal", kafka.bootstrap_servers_internal(), check);
  }
  check->Choice(kafka, "security_protocol", {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"});
  check->Choice(
      kafka, "sasl_mechanism", {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"},
      {{"OAUTHBEARER", "use SCRAM-SHA-512"}, {"GSSAPI", "use SCRAM-SHA-512"}, {"AWS_MSK_IAM", "use SCRAM-SHA-512"}});
  if (absl::StartsWith(kafka.security_protocol(), "SASL_")) {
    check->Require(kafka, "sasl_mechanism", "SASL needs PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512");
    check->Require(kafka, "sasl_username", "SASL needs one");
    check->Missing(kafka, "sasl_password", "`sasl_password` is missing", "SASL needs one: write ${SASL_PASSWORD}");
  }
  CheckTls(kafka, check);
  CheckLines(kafka, check);
}

bool IsImageId(std::string_view text) {
  constexpr size_t kHexDigits = 64;
  return absl::ConsumePrefix(&text, "sha256:") && text.size() == kHexDigits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Docker's own rule for names.
bool IsNetworkName(std::string_view text) {
  if (text.empty() || !absl::ascii_isalnum(static_cast<unsigned char>(text[0]))) return false;
  for (const char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '.' && c != '-') return false;
  }
  return true;
}

void CheckRunner(const v1::Runner& runner, FormChecker* check) {
  check->Choice(runner, "host", {"process", "docker"}, {{"kubernetes", "use process or docker"}});
  check->Choice(runner, "initial_offset", {"earliest", "latest"});
  check->Range(runner, "commit_interval_ms", kLeastCommitIntervalMs, kMostCommitIntervalMs);
  check->Range(runner, "memory_mib", kLeastMemoryMib, kMostMemoryMib);
  check->Range(runner, "pids_limit", kLeastPids, kMostPids);
  if (runner.host() == "docker") {
    check->Missing(runner, "image", "`image` is missing: `host: docker` needs one", "write sha256: and 64 hex digits");
  }
  if (runner.has_image() && !IsImageId(runner.image())) {
    check->Error(runner, "image", "BAD_VALUE", "`image` is not sha256: and 64 hex digits",
                 "name an immutable image id; a tag may mean another image tomorrow");
  }
  if (runner.has_network() && !IsNetworkName(runner.network())) {
    check->Error(runner, "network", "BAD_VALUE", "`network` is no name of a Docker network");
  }
}

// A model with SQL has no silent choice of where it runs and where it begins.
void CheckRunnerIsSaid(const v1::Project& project, bool complete, FormChecker* check) {
  bool has_sql = false;
  for (const v1::Model& model : project.models()) has_sql |= model.has_sql() || model.has_sql_file();
  if (!has_sql || !complete) return;
  const v1::Runner& runner = project.runtime().runner();
  const Message* where = &project;
  if (project.has_runtime()) where = &project.runtime();
  if (project.runtime().has_runner()) where = &runner;
  const auto missing = [&](std::string_view field, std::string_view hint) {
    if (check->IsWritten(runner, field)) return;
    check->Error(*where, {}, "MISSING_FIELD", absl::StrCat("`runtime.runner.", field, "` is missing: a model has SQL"),
                 hint);
  };
  missing("host", "write `runner: {host: process}` in `runtime`");
  missing("initial_offset", "write earliest or latest: where a new model begins to read");
}

bool IsSchemaName(std::string_view text) {
  constexpr size_t kPostgresNameBytes = 63;
  return !text.empty() && text.size() <= kPostgresNameBytes && IsName(text, NameKind::kPlain);
}

void CheckState(const v1::DeploymentState& state, FormChecker* check) {
  check->Choice(state, "backend", {"sqlite", "postgres"}, {{"local", "write sqlite"}});
  if (state.has_dsn_env() && !IsVariableName(state.dsn_env())) {
    // Often the connection string itself, which is a secret: not shown.
    check->Error(state, "dsn_env", "BAD_VALUE", "`dsn_env` is no name of an environment variable",
                 "write the variable's name only; its value is the connection string");
  }
  if (state.has_schema() && !IsSchemaName(state.schema())) {
    check->Error(state, "schema", "BAD_VALUE",
                 absl::StrCat(check->Quote(state, "schema", state.schema()), " is no name for a schema"),
                 "a-z, 0-9 and _, up to 63 bytes");
  }
  if (state.has_path() && state.path().empty()) check->Error(state, "path", "BAD_VALUE", "`path` is empty");
  if (state.backend() != "postgres") return;
  check->Missing(state, "dsn_env", "`dsn_env` is missing: `backend: postgres` needs it",
                 "write the name of the variable that holds the connection string");
  check->Missing(state, "schema", "`schema` is missing: `backend: postgres` needs it");
}

void CheckRules(const v1::Rules& rules, FormChecker* check) {
  const v1::TopicRules& topics = rules.topics();
  check->Range(topics, "min_partitions", 1, kMaxPartitions);
  check->Range(topics, "max_partitions", 1, kMaxPartitions);
  check->Range(topics, "min_replication_factor", 1, kMaxReplicationFactor);
  if (topics.has_min_partitions() && topics.has_max_partitions() && topics.min_partitions() > topics.max_partitions()) {
    check->Error(topics, "max_partitions", "CONTRADICTION", "`max_partitions` is below `min_partitions`");
  }
  for (int i = 0; i < topics.forbidden_prefixes_size(); ++i) {
    if (topics.forbidden_prefixes(i).empty()) {
      check->Error(topics, "forbidden_prefixes", "BAD_VALUE", "an empty prefix forbids every topic", "remove it", i);
    }
  }
  for (int i = 0; i < topics.required_config_size(); ++i) {
    if (topics.required_config(i).empty()) {
      check->Error(topics, "required_config", "BAD_VALUE", "an empty key", "remove it", i);
    }
  }
}

}  // namespace

void CheckSettings(const v1::Project& project, bool complete, FormChecker* check) {
  if (project.has_project()) {
    check->Name(project.project(), "a project", NameKind::kDashed);
  } else if (complete) {
    check->Error(project, {}, "MISSING_FIELD", "`project` is missing", "write `project: {name: ...}`");
  }
  if (project.runtime().has_kafka()) CheckKafka(project.runtime().kafka(), check);
  CheckRunner(project.runtime().runner(), check);
  CheckRunnerIsSaid(project, complete, check);
  CheckState(project.deployment_state(), check);
  check->Range(project.defaults().topic(), "partitions", 1, kMaxPartitions);
  check->Range(project.defaults().topic(), "replication_factor", 1, kMaxReplicationFactor);
  CheckRules(project.rules(), check);
}

}  // namespace st::project
