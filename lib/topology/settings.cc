#include "lib/topology/settings.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::topology {
namespace {

constexpr uint32_t kDefaultCommitIntervalMs = 100;
// An idle runner takes under 24 MiB and a busy one under 64; its threads are the client library's, some for each
// broker.
constexpr uint32_t kDefaultMemoryMib = 256;
constexpr uint32_t kDefaultPidsLimit = 64;

struct Setting {
  std::string_view field;
  std::string_view property;
  bool secret;
};

// By property, as a Topology holds them.
constexpr std::array<Setting, 12> kSettings = {{
    {"bootstrap_servers", "bootstrap.servers", false},
    {"sasl_mechanism", "sasl.mechanism", false},
    {"sasl_password", "sasl.password", true},
    {"sasl_username", "sasl.username", false},
    {"security_protocol", "security.protocol", false},
    {"ssl_ca_location", "ssl.ca.location", false},
    {"ssl_ca_pem", "ssl.ca.pem", false},
    {"ssl_certificate_location", "ssl.certificate.location", false},
    {"ssl_certificate_pem", "ssl.certificate.pem", false},
    {"ssl_key_location", "ssl.key.location", false},
    {"ssl_key_password", "ssl.key.password", true},
    {"ssl_key_pem", "ssl.key.pem", true},
}};

constexpr std::string_view kPlaintext = "PLAINTEXT";

// A list of servers with the blanks that people put after commas taken out.
std::string WithoutBlanks(std::string_view servers) {
  std::vector<std::string_view> list = absl::StrSplit(servers, ',');
  for (std::string_view& server : list) server = absl::StripAsciiWhitespace(server);
  return absl::StrJoin(list, ",");
}

// The name in ${NAME}; empty when the text is anything else.
std::string_view VariableName(std::string_view text) {
  if (!absl::ConsumePrefix(&text, "${") || !absl::ConsumeSuffix(&text, "}")) return {};
  const bool plain = std::all_of(text.begin(), text.end(),
                                 [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; });
  return plain && !text.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(text[0])) ? text
                                                                                             : std::string_view();
}

// A setting that this protocol does not look at is a misunderstanding of what protects the connection.
void RefuseUnused(const v1::Kafka& kafka, const Setting& setting, std::string_view protocol, Report* report) {
  const bool sasl = absl::StartsWith(setting.field, "sasl_");
  const bool ssl = absl::StartsWith(setting.field, "ssl_");
  const bool used = (!sasl || absl::StartsWith(protocol, "SASL_")) && (!ssl || absl::EndsWith(protocol, "SSL"));
  if (used) return;
  report->Error(kafka, setting.field, "SETTING_UNUSED",
                absl::StrCat("`", setting.field, "` has no effect: `security_protocol` is ", protocol),
                sasl ? "write SASL_SSL or SASL_PLAINTEXT, or remove it" : "write SSL or SASL_SSL, or remove it");
}

void CheckKey(const v1::Kafka& kafka, Report* report) {
  const bool certificate =
      report->IsWritten(kafka, "ssl_certificate_location") || report->IsWritten(kafka, "ssl_certificate_pem");
  const bool location = report->IsWritten(kafka, "ssl_key_location");
  const bool key = location || report->IsWritten(kafka, "ssl_key_pem");
  if (key && !certificate) {
    report->Error(kafka, location ? "ssl_key_location" : "ssl_key_pem", "SETTING_UNUSED",
                  "a key without its certificate has no effect", "write `ssl_certificate_location` too, or remove it");
  }
  if (report->IsWritten(kafka, "ssl_key_password") && !key) {
    report->Error(kafka, "ssl_key_password", "SETTING_UNUSED", "a password without its key has no effect",
                  "write `ssl_key_location` too, or remove it");
  }
}

void AddProperty(const v1::Kafka& kafka, const Setting& setting, Report* report, v1::Connection* connection) {
  const auto* field = kafka.GetDescriptor()->FindFieldByName(std::string(setting.field));
  if (!kafka.GetReflection()->HasField(kafka, field)) return;
  const std::string value = kafka.GetReflection()->GetString(kafka, field);
  v1::ClientProperty* property = connection->add_properties();
  property->set_name(std::string(setting.property));
  const std::string_view variable = VariableName(value);
  // lib/project expands no user name that is one reference: it is left to the tools, as a secret is.
  const bool is_reference = setting.secret || (setting.field == "sasl_username" && !variable.empty());
  if (!is_reference) {
    property->set_value(setting.field == "bootstrap_servers" ? WithoutBlanks(value) : value);
    return;
  }
  if (variable.empty()) {
    report->Error(kafka, setting.field, "SECRET_LITERAL",
                  absl::StrCat("`", setting.field, "` is a secret: it must be a reference, and nothing else"),
                  "write ${NAME} and set that variable where the tools run");
  }
  property->set_variable(std::string(variable));
}

}  // namespace

void CompileConnection(const v1::Project& project, Report* report, v1::Topology* topology) {
  if (!project.runtime().has_kafka()) {
    if (report->complete() && !report->IsWritten(project.runtime(), "kafka")) {
      report->Error(project, project.has_runtime() ? "runtime" : "", "CONNECTION_MISSING",
                    "how to reach the cluster is not said",
                    "write `runtime: {kafka: {bootstrap_servers: localhost:9092}}`");
    }
    return;
  }
  const v1::Kafka& kafka = project.runtime().kafka();
  const std::string_view protocol = kafka.has_security_protocol() ? kafka.security_protocol() : kPlaintext;
  v1::Connection* connection = topology->mutable_connection();
  for (const Setting& setting : kSettings) {
    if (report->IsWritten(kafka, setting.field)) RefuseUnused(kafka, setting, protocol, report);
    if (setting.field == "security_protocol") {
      v1::ClientProperty* property = connection->add_properties();
      property->set_name(std::string(setting.property));
      property->set_value(std::string(protocol));
    } else {
      AddProperty(kafka, setting, report, connection);
    }
  }
  CheckKey(kafka, report);
  connection->set_bootstrap_servers_internal(WithoutBlanks(kafka.bootstrap_servers_internal()));
}

void CompileRunner(const v1::Project& project, bool has_sql, Report* report, v1::Topology* topology) {
  const v1::Runner& runner = project.runtime().runner();
  if (!project.runtime().has_runner() && !has_sql) return;
  v1::RunnerSettings* settings = topology->mutable_runner();
  settings->set_commit_interval_ms(runner.has_commit_interval_ms() ? runner.commit_interval_ms()
                                                                   : kDefaultCommitIntervalMs);
  if (runner.initial_offset() == "earliest") settings->set_initial_offset(v1::EARLIEST);
  if (runner.initial_offset() == "latest") settings->set_initial_offset(v1::LATEST);
  if (runner.host() == "process") settings->set_host(v1::PROCESS);
  if (runner.host() != "docker") return;
  // Only here do image and network mean anything: another environment's may stand in the project all the same.
  settings->set_host(v1::DOCKER);
  settings->set_image(runner.image());
  settings->set_network(runner.network());
  settings->set_memory_mib(runner.has_memory_mib() ? runner.memory_mib() : kDefaultMemoryMib);
  settings->set_pids_limit(runner.has_pids_limit() ? runner.pids_limit() : kDefaultPidsLimit);
  if (!report->IsWritten(runner, "network")) {
    report->Error(runner, {}, "MISSING_FIELD", "`network` is missing: `host: docker` needs one",
                  "name an existing bridge network");
  }
}

void CompileStateAndSafety(const v1::Project& project, Report* report, v1::Topology* topology) {
  const v1::DeploymentState& declared = project.deployment_state();
  v1::StateSettings* state = topology->mutable_state();
  if (declared.backend() == "postgres") {
    state->set_backend(v1::StateSettings::POSTGRES);
    state->set_schema(declared.schema());
    state->set_dsn_env(declared.dsn_env());
  } else {
    state->set_backend(v1::StateSettings::SQLITE);
    state->set_path(declared.path());
    if (!declared.path().empty() && declared.path()[0] != '/') {
      // Two tools in two folders would keep two states of one deployment.
      report->Error(declared, "path", "STATE_PATH_RELATIVE",
                    "`path` is relative, and would mean another file in each folder that a tool runs in",
                    "write an absolute path, or leave it out: the default is one file a user");
    }
  }
  const v1::Safety& safety = project.safety();
  v1::SafetySettings* settings = topology->mutable_safety();
  // `environment: {protected: ...}` says the same and was united with it, so that an environment can take it back.
  settings->set_protected_(safety.protected_());
  settings->set_require_reviewed_plan(safety.require_reviewed_plan());
  // What is protected is not deployed from a file on one machine, unless somebody says that it is.
  const bool implied = settings->protected_() && !safety.has_require_remote_state();
  settings->set_require_remote_state(safety.require_remote_state() || implied);
  settings->set_allow_destructive(safety.allow_destructive());
  if (!settings->require_remote_state() || state->backend() != v1::StateSettings::SQLITE) return;
  if (implied) {
    report->Error(safety, "protected", "STATE_NOT_REMOTE",
                  "the environment is protected, and the state is a file on this machine",
                  "write `deployment_state: {backend: postgres, ...}`, or `safety: {require_remote_state: false}` if "
                  "one machine is meant");
  } else {
    report->Error(safety, "require_remote_state", "STATE_NOT_REMOTE",
                  "`safety.require_remote_state` is set, and the state is a file on this machine",
                  "write `deployment_state: {backend: postgres, ...}`");
  }
}

}  // namespace st::topology
