// What protobuf's text parser lets through or answers badly, found before it runs.
#ifndef ST_LIB_DOCIO_STRUCTURE_H_
#define ST_LIB_DOCIO_STRUCTURE_H_

#include <string_view>

#include "lib/diag/diag.h"

namespace google::protobuf {
class Descriptor;
}

namespace st::docio {

enum class Structure {
  kSound,    // nothing found; every field was seen
  kWrong,    // diagnostics were added; the parser may still find more
  kTooDeep,  // diagnostics were added; the parser must not see the text
  kUnclear,  // the text left the grammar: the parser has to refuse it
};

// Walks the text by the schema and finds, each with its position, all of: unknown fields and enumeration values (with
// the nearest name), fields given twice (the parser accepts a second value when the first was the default), what is
// invisible in string fields and comments, NUL, and nesting over kMaxNesting. Linear; iterative, so that depth costs no
// stack.
Structure CheckStructure(std::string_view text, std::string_view file, const google::protobuf::Descriptor& root,
                         diag::Diagnostics* diagnostics);

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_STRUCTURE_H_
