// One error to standard error, for this library's own files.
#ifndef ST_LIB_CLI_COMPLAIN_H_
#define ST_LIB_CLI_COMPLAIN_H_

#include <string_view>

#include "lib/cli/flags.h"

namespace st::cli {

// `<tool>: error: text` and the hint, or a diagnostic in `form` that begins with the tool's name.
void Complain(DiagnosticsForm form, std::string_view tool, std::string_view code, std::string_view text,
              std::string_view hint);

}  // namespace st::cli

#endif  // ST_LIB_CLI_COMPLAIN_H_
