// Protobuf's text format into a message, strictly. For this library.
//
// Not protobuf's own parser, because that stops at the first mistake, tells the place after it, accepts a second value
// of a field whose first one was the default, lets through what cannot be seen, and takes three times as long: facts
// about 100,000 topics are some 70 MB. It is the oracle instead: what is taken here must mean the same there (tests and
// fuzzing hold them equal).
#ifndef ST_LIB_DOCIO_PARSER_H_
#define ST_LIB_DOCIO_PARSER_H_

#include <string_view>

#include "lib/diag/diag.h"

namespace google::protobuf {
class Message;
}

namespace st::docio {

// Adds to `message`, which is empty. False after diagnostics: unknown fields and values (with the nearest name), fields
// given twice, values of the wrong kind, what cannot be seen, NUL, nesting over kMaxNesting: all of them up to the
// first mistake in the grammar itself. `text` is UTF-8. Linear; iterative, so that depth costs no stack. Extensions,
// Any, maps, groups and floats, which no schema of ours has, are refused.
bool ParseText(std::string_view text, std::string_view file, google::protobuf::Message* message,
               diag::Diagnostics* diagnostics);

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_PARSER_H_
