// Client properties: the allow-list, the file form, and the way from a Topology's Connection to values.
#ifndef ST_LIB_KAFKA_PROPERTIES_H_
#define ST_LIB_KAFKA_PROPERTIES_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kafka/admin.h"

namespace st::v1 {
class Connection;
}

namespace st::kafka {

// Looks up a ${VAR}; nullopt when unset.
using Lookup = std::function<std::optional<std::string>(std::string_view)>;

// `name=value` a line, value byte for byte after the first `=`; no comments, no escapes. InvalidArgument with the line
// for a name that is not allowed, a repeated one, CR or NUL.
absl::StatusOr<Properties> ParseProperties(std::string_view text);

// The same form. InvalidArgument for a value with CR, LF or NUL (the value is not quoted).
absl::StatusOr<std::string> FormatProperties(const Properties& properties);

// Secrets resolved by `lookup`; NotFound names the variables that are unset. `internal`: with the bootstrap servers
// that a runner in a container uses.
absl::StatusOr<Properties> Resolve(const v1::Connection& connection, bool internal, const Lookup& lookup);

// The lookup of the tools: the process environment.
Lookup ProcessLookup();

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_PROPERTIES_H_
