#include "lib/kafka/properties.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "lib/base/id.h"
#include "lib/base/pem.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::kafka {
namespace {

using std::string_view;

constexpr std::array<string_view, 20> kAllowed = {
    "bootstrap.servers",
    "broker.address.family",
    "metadata.max.age.ms",
    "reconnect.backoff.max.ms",
    "reconnect.backoff.ms",
    "sasl.mechanism",
    "sasl.mechanisms",
    "sasl.password",
    "sasl.username",
    "security.protocol",
    "socket.connection.setup.timeout.ms",
    "socket.keepalive.enable",
    "socket.timeout.ms",
    "ssl.ca.location",
    "ssl.ca.pem",
    "ssl.certificate.location",
    "ssl.certificate.pem",
    "ssl.key.location",
    "ssl.key.password",
    "ssl.key.pem",
};

constexpr std::array<string_view, 4> kProtocols = {"PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"};
constexpr std::array<string_view, 3> kMechanisms = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"};

bool IsMechanism(string_view name) { return name == "sasl.mechanism" || name == "sasl.mechanisms"; }

// What may be quoted in a message: a line that is no property may be a piece of a secret.
bool LooksLikeName(string_view name) {
  return !name.empty() && name.size() <= 64 &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || c == '.'; });
}

absl::Status CheckName(string_view name) {
  if (std::find(kAllowed.begin(), kAllowed.end(), name) != kAllowed.end()) return absl::OkStatus();
  if (!LooksLikeName(name)) return absl::InvalidArgumentError("this is no name of a client property");
  if (name == "enable.ssl.certificate.verification" || name == "ssl.endpoint.identification.algorithm") {
    return absl::InvalidArgumentError(
        absl::StrCat("the client property '", name,
                     "' is not allowed: certificates and the host names in them are always verified"));
  }
  string_view nearest = base::Nearest(name, kAllowed);
  return absl::InvalidArgumentError(
      absl::StrCat("the client property '", name, "' is not allowed",
                   nearest.empty() ? std::string() : absl::StrCat("; did you mean '", nearest, "'?")));
}

template <typename Set>
absl::Status CheckChoice(string_view name, string_view value, const Set& choices) {
  for (string_view choice : choices) {
    if (choice == value) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the client property '", name, "' must be one of ", absl::StrJoin(choices, ", ")));
}

absl::Status CheckValue(string_view name, string_view value) {
  string_view fault;
  if (absl::EndsWith(name, ".pem")) {
    fault = base::PemFault(value, name == "ssl.key.pem" ? base::PemKind::kPrivateKey : base::PemKind::kCertificate);
  } else if (value.find_first_of(string_view("\r\n\0", 3)) != string_view::npos) {
    fault = "holds a line break or a NUL";
  }
  if (!fault.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("the value of the client property '", name, "' ", fault));
  }
  if (name == "security.protocol") return CheckChoice(name, value, kProtocols);
  if (IsMechanism(name)) return CheckChoice(name, value, kMechanisms);
  return absl::OkStatus();
}

bool SameProperty(string_view a, string_view b) { return a == b || (IsMechanism(a) && IsMechanism(b)); }

absl::Status CheckProperty(const Properties& before, string_view name, string_view value) {
  if (absl::Status status = CheckName(name); !status.ok()) return status;
  for (const auto& [earlier, unused] : before) {
    if (SameProperty(earlier, name)) {
      return absl::InvalidArgumentError(absl::StrCat("the client property '", name, "' stands twice"));
    }
  }
  return CheckValue(name, value);
}

bool IsVariableName(string_view text) {
  return !text.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

absl::StatusOr<Properties> ParseLines(string_view text,
                                      absl::FunctionRef<absl::Status(string_view name, std::string* value)> fill_in) {
  Properties properties;
  for (int line_number = 1; !text.empty(); ++line_number) {
    size_t end = text.find('\n');
    string_view line = text.substr(0, end);
    text.remove_prefix(end == string_view::npos ? text.size() : end + 1);
    size_t equals = line.find('=');
    std::string value(equals == string_view::npos ? string_view() : line.substr(equals + 1));
    absl::Status status = absl::InvalidArgumentError("a line must be name=value, without comments or blank lines");
    if (equals != string_view::npos) status = CheckName(line.substr(0, equals));
    if (status.ok()) status = fill_in(line.substr(0, equals), &value);
    if (status.ok()) status = CheckProperty(properties, line.substr(0, equals), value);
    if (!status.ok()) return absl::InvalidArgumentError(absl::StrCat("line ", line_number, ": ", status.message()));
    properties.emplace_back(line.substr(0, equals), std::move(value));
  }
  return properties;
}

}  // namespace

absl::Status CheckAllowed(const Properties& properties) {
  Properties before;
  for (const auto& [name, value] : properties) {
    if (absl::Status status = CheckProperty(before, name, value); !status.ok()) return status;
    before.emplace_back(name, "");
  }
  return absl::OkStatus();
}

absl::StatusOr<Properties> ParseProperties(string_view text) {
  return ParseLines(text, [](string_view, std::string*) { return absl::OkStatus(); });
}

absl::StatusOr<Properties> ParseWithReferences(string_view text, const Lookup& lookup) {
  return ParseLines(text, [&](string_view name, std::string* value) -> absl::Status {
    string_view variable = *value;
    const bool is_reference = absl::ConsumePrefix(&variable, "${") && absl::ConsumeSuffix(&variable, "}");
    if (!is_reference && IsSecret(name)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the client property '", name,
                       "' is a secret: write ${VARIABLE}, and set that variable where the tool runs"));
    }
    if (!is_reference) return absl::OkStatus();
    if (!IsVariableName(variable)) return absl::InvalidArgumentError("`${` is followed by no name of a variable");
    const std::string known(variable);
    std::optional<std::string> found = lookup(known);
    if (!found.has_value() || found->empty()) {
      return absl::InvalidArgumentError(absl::StrCat("variable ", known, " is not set in the environment, or empty"));
    }
    *value = *std::move(found);
    return absl::OkStatus();
  });
}

absl::StatusOr<std::string> FormatProperties(const Properties& properties) {
  if (absl::Status status = CheckAllowed(properties); !status.ok()) return status;
  std::string text;
  for (const auto& [name, value] : properties) {
    if (value.find_first_of("\r\n") != std::string::npos) {
      return absl::InvalidArgumentError(absl::StrCat("the value of the client property '", name,
                                                     "' holds a line break, which its file cannot: name a file with '",
                                                     string_view(name).substr(0, name.size() - 3), "location'"));
    }
    absl::StrAppend(&text, name, "=", value, "\n");
  }
  return text;
}

absl::StatusOr<Properties> Resolve(const v1::Connection& connection, bool internal, const Lookup& lookup) {
  Properties properties;
  std::vector<string_view> missing;
  for (const v1::ClientProperty& property : connection.properties()) {
    std::string value = property.value();
    if (internal && property.name() == "bootstrap.servers" && !connection.bootstrap_servers_internal().empty()) {
      value = connection.bootstrap_servers_internal();
    }
    if (property.content_case() == v1::ClientProperty::kVariable) {
      std::optional<std::string> found = lookup(property.variable());
      value = std::move(found).value_or("");
      if (value.empty()) {
        missing.push_back(property.variable());
      } else if (absl::Status status = CheckValue(property.name(), value); !status.ok()) {
        return absl::InvalidArgumentError(absl::StrCat("variable ", property.variable(), ": ", status.message()));
      }
    }
    properties.emplace_back(property.name(), std::move(value));
  }
  if (!missing.empty()) {
    return absl::NotFoundError(
        absl::StrCat("not set in the environment, or empty: ", absl::StrJoin(missing, ", "),
                     " (the declarations take client properties from there, so every tool needs it)"));
  }
  if (absl::Status status = CheckAllowed(properties); !status.ok()) return status;
  return properties;
}

Lookup ProcessLookup() {
  return [](string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

bool IsSecret(string_view name) {
  return name == "sasl.password" || name == "ssl.key.password" || name == "ssl.key.pem";
}

}  // namespace st::kafka
