// Documents in and out: one protobuf message as text, with a header that names it and a trailer that proves that it
// is whole.
//
//   # proto-file: schemas/st/v1/plan.proto
//   # proto-message: st.v1.Plan
//   <text format>
//   # end sha256:<64 hex: SHA-256 of all bytes above this line>
//
// Pure; any thread.
#ifndef ST_LIB_DOCIO_DOCIO_H_
#define ST_LIB_DOCIO_DOCIO_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/diag/diag.h"

namespace google::protobuf {
class Message;
}

namespace st::docio {

// Documents over this are refused by readers.
inline constexpr size_t kMaxDocumentBytes = size_t{1} << 30;
// Nesting of messages in text; the parser would overflow the stack without one.
inline constexpr int kMaxNesting = 64;

enum class Trailer {
  kRequired,  // what one tool writes for another
  kOptional,  // hand-written declarations: neither header nor trailer needed; what is there is checked
};

// Header, deterministic text (one field a line, non-ASCII printed as it is, what is invisible escaped), trailer.
std::string Write(const google::protobuf::Message& message);

// Parses `text` into `message` (cleared first). False with diagnostics that name what was got and what was wanted:
// EMPTY_INPUT (the tool before it failed), NO_TRAILER (cut), BAD_TRAILER (edited or damaged), TRAILING_TEXT (two
// documents run together), WRONG_DOCUMENT, UNKNOWN_FIELD, REPEATED_FIELD, TEXT_SYNTAX, TOO_DEEP, NOT_UTF8,
// INVISIBLE_CHARACTER (in any string field; bytes fields hold data and may have them), TOO_LARGE.
// `file` is `-` for standard input. Unknown and repeated scalar fields are refused with line and column.
bool Read(std::string_view text, std::string_view file, Trailer trailer, google::protobuf::Message* message,
          diag::Diagnostics* diagnostics);

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_DOCIO_H_
