// ${VAR} inside of a scalar. No message quotes a value, nor what stands between the braces unless it is a name.
#ifndef ST_LIB_PROJECT_VARIABLES_H_
#define ST_LIB_PROJECT_VARIABLES_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "lib/diag/diag.h"
#include "lib/project/project.h"

namespace st::project {

inline constexpr size_t kMaxDotenvBytes = size_t{1} << 20;

// [A-Za-z_][A-Za-z0-9_]*
bool IsVariableName(std::string_view text);

// The whole of `text` is one ${VAR} without a default.
bool IsReference(std::string_view text);

enum class Lines { kRefuse, kAllow };

// Replaces ${VAR} and ${VAR:-default}, and $$ by $. Any other $ stays. False after a diagnostic at `position`. A value
// with CR or NUL is refused, and with LF unless `lines` allows it.
bool Expand(std::string_view text, const Variables& variables, const diag::Position& position, Lines lines,
            diag::Diagnostics* diagnostics, std::string* out, bool* from_variable);

// One `.env` file: KEY=VALUE a line, `#` comments, `export ` allowed; 'text' as it is, "text" with \" and \\, or bare
// text up to ` #`. Findings are located and quote no value.
std::map<std::string, std::string, std::less<>> ParseDotenv(std::string_view text, std::string_view file,
                                                            diag::Diagnostics* diagnostics);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_VARIABLES_H_
