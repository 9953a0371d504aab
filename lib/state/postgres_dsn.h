// A connection string, read and judged before anything is connected. Pure. For this library's own files.
#ifndef ST_LIB_STATE_POSTGRES_DSN_H_
#define ST_LIB_STATE_POSTGRES_DSN_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace st::state {

struct Dsn {
  std::vector<std::pair<std::string, std::string>> options;  // libpq's keywords; holds the password
  bool plain_by_name = false;                                // it says sslmode=disable
};

// InvalidArgument when it cannot be read, or looks as if a password's special characters were taken for something else;
// FailedPrecondition for a mode that may fall back to no encryption. The text of `dsn` is quoted in no message: `name`
// stands for it. What it does not say about encryption becomes verify-full.
absl::StatusOr<Dsn> ReadDsn(const std::string& dsn, const std::string& name);

}  // namespace st::state

#endif  // ST_LIB_STATE_POSTGRES_DSN_H_
