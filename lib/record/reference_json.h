// The plain reference's reader: a recursive-descent JSON parser that makes a tree. Slow and obvious on purpose; shares
// nothing with grammar.h.
#ifndef ST_LIB_RECORD_REFERENCE_JSON_H_
#define ST_LIB_RECORD_REFERENCE_JSON_H_

#include <string>
#include <string_view>
#include <vector>

namespace st::record {

struct JsonMember;

struct JsonValue {
  enum class Kind { kNull, kFalse, kTrue, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  std::string raw;                  // as it stood
  std::string text;                 // of a string, unescaped
  std::vector<JsonMember> members;  // of an object, in order, repeats kept
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

// Zero, or the v1::FaultKind of a value that is not well-formed. An object or array inside `kMaxNesting` others is
// TOO_DEEP.
int ReadJson(std::string_view text, JsonValue* value);

// Text between quotes in its one spelling.
std::string SpellString(std::string_view text);

}  // namespace st::record

#endif  // ST_LIB_RECORD_REFERENCE_JSON_H_
