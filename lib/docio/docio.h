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

// Parses `text` into `message`, which is empty when the answer is false. All findings of one run, each with its line
// and column in characters; `file` is `-` for standard input.
//   EMPTY_INPUT   nothing but blanks (the tool before it failed); a hand-written *file* may be empty
//   NO_TRAILER    cut off: no whole last line
//   BAD_TRAILER   edited or damaged: another digest, or other line ends
//   TRAILING_TEXT anything after the trailer's line end, be it a blank: two documents run together
//   WRONG_DOCUMENT, TOO_LARGE, NOT_UTF8, TEXT_SYNTAX (NUL too), TOO_DEEP (brackets over kMaxNesting)
//   UNKNOWN_FIELD, UNKNOWN_VALUE (of an enumeration, numbers too), BAD_VALUE (of another type), REPEATED_FIELD (two
//                 members of a oneof too)
//   INVISIBLE_CHARACTER in a string field, escaped or not (but line ends and tabs), or in a comment; bytes fields hold
//                 data and may have them
// An envelope that is wrong is the only finding: what follows it would mislead.
bool Read(std::string_view text, std::string_view file, Trailer trailer, google::protobuf::Message* message,
          diag::Diagnostics* diagnostics);

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_DOCIO_H_
