// One scalar value of a field, from text to message. For this library.
#ifndef ST_LIB_DOCIO_VALUE_H_
#define ST_LIB_DOCIO_VALUE_H_

#include <string>
#include <string_view>

#include "lib/docio/findings.h"
#include "lib/docio/lexer.h"
#include "lib/docio/schema.h"

namespace st::docio {

struct Scalar {
  Token::Kind kind = Token::kName;  // kString, kName or kNumber
  std::string_view where;           // from its first byte, which may be a minus
  std::string_view word;            // of names and numbers: without the minus
  bool negative = false;            // a minus before it
  std::string bytes;                // of strings: joined, escapes resolved
  bool plain = true;                // of strings: only printable ASCII was written, no escapes
};

// Appends what the string token means to `scalar`. A wrong escape is a finding.
void AppendString(std::string_view token, Scalar* scalar, Findings* findings);

// Sets the field, or adds to a repeated one. What the field cannot hold is a finding, without quoting the value: it
// may be a secret in the wrong place.
void SetScalar(const FieldInfo& info, Scalar scalar, google::protobuf::Message* message,
               const google::protobuf::Reflection& reflection, Findings* findings);

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_VALUE_H_
