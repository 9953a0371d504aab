// The file that declares one imported topic. Pure; any thread.
#ifndef ST_TOOLS_ST_IMPORT_SOURCE_FILE_H_
#define ST_TOOLS_ST_IMPORT_SOURCE_FILE_H_

#include <string>
#include <string_view>

namespace st::v1 {
class Source;
}

namespace st::import {

// The source's name: the topic's in lower case, `_` for all but letters and digits; `_` before a leading digit.
// Different topics may get the same name.
std::string SourceName(std::string_view topic);

// A declaration file with this one source, in YAML. Every text is quoted, `$` doubled as the declarations ask.
std::string SourceFile(const v1::Source& source);

}  // namespace st::import

#endif  // ST_TOOLS_ST_IMPORT_SOURCE_FILE_H_
