#include "e2e/security/way.h"

#include <algorithm>
#include <fstream>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace st::e2e {
namespace {

constexpr char kBare[] = "kafka: {bootstrap_servers: \"${BOOTSTRAP}\"}";

// A PEM text that is written out stands as a block.
std::string Yaml(const std::string& value) {
  if (!absl::StrContains(value, "\n")) return absl::StrCat("\"", value, "\"\n");
  return absl::StrCat("|\n      ", absl::StrReplaceAll(value, {{"\n", "\n      "}}), "\n");
}

}  // namespace

Way Way::With(const std::string& setting, const std::string& value) const {
  Way way = *this;
  auto found = std::find_if(way.settings.begin(), way.settings.end(), [&](auto& one) { return one.first == setting; });
  if (found != way.settings.end()) way.settings.erase(found);
  if (!value.empty()) way.settings.emplace_back(setting, value);
  return way;
}

Way Way::Where(const std::string& variable, const std::string& value) const {
  Way way = *this;
  way.environment[variable] = value;
  return way;
}

void Way::Declare(Pipe* pipe) const {
  std::string kafka = "kafka:\n    bootstrap_servers: \"${BOOTSTRAP}\"\n";
  for (const auto& [name, value] : settings) {
    absl::StrAppend(&kafka, "    ", absl::StrReplaceAll(name, {{".", "_"}}), ": ", Yaml(value));
  }
  pipe->Edit(kBare, kafka);
  pipe->set_bootstrap(address);
  pipe->set_environment(environment);
}

CommandResult Way::Import(const Pipe& pipe, const std::vector<std::string>& arguments) const {
  const std::string path = pipe.Path("import.properties");
  Pipe::Environment more = environment;
  std::ofstream file(path);
  for (const auto& [name, value] : settings) {
    // A line holds no text of several.
    const bool is_text = absl::StrContains(value, "\n");
    if (is_text) more["WRITTEN_OUT"] = value;
    file << name << "=" << (is_text ? "${WRITTEN_OUT}" : value) << "\n";
  }
  file.close();
  std::vector<std::string> all = {"--bootstrap-servers", address, "--client-properties", path};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return pipe.Tool("st-import", all, "", more);
}

std::string Way::Resolved() const {
  std::string text = absl::StrCat("bootstrap.servers=", address, "\n");
  for (const auto& [name, value] : settings) {
    std::string resolved = value;
    for (const auto& [variable, meaning] : environment) {
      absl::StrReplaceAll({{absl::StrCat("${", variable, "}"), meaning}}, &resolved);
    }
    ABSL_CHECK(!absl::StrContains(resolved, "\n")) << name << " needs a file";
    absl::StrAppend(&text, name, "=", resolved, "\n");
  }
  return text;
}

Way Tls(const SecureBroker& broker) {
  return {"ANONYMOUS",
          broker.Address("TLS"),
          {{"security.protocol", "SSL"}, {"ssl.ca.location", broker.File("ca.pem")}},
          {}};
}

Way Sasl(const SecureBroker& broker, const std::string& listener, const std::string& mechanism, const std::string& user,
         const std::string& password) {
  Way way = {user,
             broker.Address(listener),
             {{"security.protocol", listener == "OPEN" ? "SASL_PLAINTEXT" : "SASL_SSL"},
              {"sasl.mechanism", mechanism},
              {"sasl.username", "${KAFKA_USER}"},
              {"sasl.password", "${KAFKA_PASSWORD}"}},
             {{"KAFKA_USER", user}, {"KAFKA_PASSWORD", password}}};
  return listener == "OPEN" ? way : way.With("ssl.ca.location", broker.File("ca.pem"));
}

Way MutualTls(const SecureBroker& broker, const std::string& user) {
  return {user,
          broker.Address("MTLS"),
          {{"security.protocol", "SSL"},
           {"ssl.ca.location", broker.File("ca.pem")},
           {"ssl.certificate.location", broker.File(absl::StrCat("client-", user, ".pem"))},
           {"ssl.key.location", broker.File(absl::StrCat("client-", user, ".key"))}},
          {}};
}

Way MutualTlsWithPassword(const SecureBroker& broker, const std::string& user, const std::string& password) {
  return MutualTls(broker, user)
      .With("ssl.key.location", broker.File(absl::StrCat("client-", user, ".encrypted.key")))
      .With("ssl.key.password", "${KEY_PASSWORD}")
      .Where("KEY_PASSWORD", password);
}

Way MutualTlsInline(const SecureBroker& broker, const std::string& user, const std::string& password) {
  return MutualTls(broker, user)
      .With("ssl.ca.location", "")
      .With("ssl.ca.pem", broker.Text("ca.pem"))
      .With("ssl.certificate.location", "")
      .With("ssl.certificate.pem", "${KAFKA_CERTIFICATE}")
      .With("ssl.key.location", "")
      .With("ssl.key.pem", "${KAFKA_KEY}")
      .With("ssl.key.password", "${KEY_PASSWORD}")
      .Where("KAFKA_CERTIFICATE", broker.Text(absl::StrCat("client-", user, ".pem")))
      .Where("KAFKA_KEY", broker.Text(absl::StrCat("client-", user, ".encrypted.key")))
      .Where("KEY_PASSWORD", password);
}

}  // namespace st::e2e
