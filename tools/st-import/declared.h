// What a project folder declares already: an import never declares it again.
#ifndef ST_TOOLS_ST_IMPORT_DECLARED_H_
#define ST_TOOLS_ST_IMPORT_DECLARED_H_

#include <map>
#include <optional>
#include <string>

#include "lib/diag/diag.h"

namespace st::import {

struct Declared {
  std::map<std::string, std::string> file_of_topic;  // sources and models
  std::map<std::string, std::string> topic_of_name;  // the same, by the declaration's name
};

// Reads the declarations of `folder` for each of its environments, as a topic's name may depend on one. Without a
// project file only `sources/` counts; a folder that is not there declares nothing. Absent after diagnostics when a
// file cannot be read whole: then nobody knows what it declares. Other findings (a variable that is unset here) are
// st-compile's business.
std::optional<Declared> ReadDeclared(const std::string& folder, diag::Diagnostics* diagnostics);

}  // namespace st::import

#endif  // ST_TOOLS_ST_IMPORT_DECLARED_H_
