// How st-import reaches a cluster.
#ifndef ST_TOOLS_ST_IMPORT_CLIENT_H_
#define ST_TOOLS_ST_IMPORT_CLIENT_H_

#include <string>

#include "absl/status/statusor.h"
#include "lib/kafka/properties.h"

namespace st::import {

// The properties of `file`, its ${VAR}s from the environment, and `servers` as its bootstrap.servers; either may be
// empty. InvalidArgument when one is not allowed or has a value that cannot be, a broker's address too; as fs::ReadFile
// when the file cannot be read.
absl::StatusOr<kafka::Properties> ReadProperties(const std::string& file, const std::string& servers);

}  // namespace st::import

#endif  // ST_TOOLS_ST_IMPORT_CLIENT_H_
