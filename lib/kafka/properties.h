// Client properties: the allow-list, the file form, and the way from a Topology's Connection to values.
//
// Allowed, by librdkafka's names (its CONFIGURATION.md says what each means and in which unit):
//   bootstrap.servers
//   security.protocol (PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL)
//   sasl.mechanism or sasl.mechanisms (PLAIN, SCRAM-SHA-256, SCRAM-SHA-512), sasl.username, sasl.password
//   ssl.ca.location, ssl.ca.pem, ssl.certificate.location, ssl.certificate.pem,
//   ssl.key.location, ssl.key.pem, ssl.key.password
//   broker.address.family, metadata.max.age.ms, reconnect.backoff.ms, reconnect.backoff.max.ms,
//   socket.connection.setup.timeout.ms, socket.keepalive.enable, socket.timeout.ms
// Anything else is refused by name; host names in certificates are always verified. No message quotes a value.
#ifndef ST_LIB_KAFKA_PROPERTIES_H_
#define ST_LIB_KAFKA_PROPERTIES_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace st::v1 {
class Connection;
}

namespace st::kafka {

// librdkafka properties by name, secrets resolved. Never printed.
using Properties = std::vector<std::pair<std::string, std::string>>;

// Looks up a ${VAR}; nullopt when unset.
using Lookup = std::function<std::optional<std::string>(std::string_view)>;

// InvalidArgument that names the first property which is not allowed, stands twice (under either spelling of
// sasl.mechanism) or has a value that cannot be: not one of the few that it may have, or with CR, LF or NUL. A PEM text
// has line breaks, at least one block of its kind, and no private key among certificates.
absl::Status CheckAllowed(const Properties& properties);

// `name=value` a line, value byte for byte after the first `=`; no comments, no escapes, no empty lines.
// InvalidArgument with the line for what CheckAllowed refuses, and for a line that is none.
absl::StatusOr<Properties> ParseProperties(std::string_view text);

// As people write it for a tool, secrets left out: where a value is `${VAR}` and nothing else, that of the variable
// takes its place, and a secret cannot be written in any other way. Errors as ParseProperties and Resolve.
absl::StatusOr<Properties> ParseWithReferences(std::string_view text, const Lookup& lookup);

// The same form. InvalidArgument for a value with CR, LF or NUL: the form has no way to write it (see runner_files.h
// for PEM texts).
absl::StatusOr<std::string> FormatProperties(const Properties& properties);

// Secrets resolved by `lookup`; NotFound names the variables that are unset or empty; InvalidArgument as
// CheckAllowed, with the variable whose value it is. `internal`: with the bootstrap servers that a runner in a
// container uses.
absl::StatusOr<Properties> Resolve(const v1::Connection& connection, bool internal, const Lookup& lookup);

// The lookup of the tools: the process environment.
Lookup ProcessLookup();

// True for the properties whose values are secrets.
bool IsSecret(std::string_view name);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_PROPERTIES_H_
