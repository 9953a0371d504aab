// What the schema alone does not say of a field: where ${VAR} may stand, and which characters.
#ifndef ST_LIB_PROJECT_FIELDS_H_
#define ST_LIB_PROJECT_FIELDS_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "lib/diag/diag.h"

namespace google::protobuf {
class Descriptor;
class FieldDescriptor;
}  // namespace google::protobuf

namespace st::project {

struct FieldPolicy {
  enum class Variable {
    kExpand,
    kRefuse,     // names and references to them
    kUntouched,  // SQL: `$` is an ordinary character
    kSecret,     // exactly one ${VAR}, which stays as it is
    kKeepWhole,  // one ${VAR} stays as it is, anything else is expanded
  };
  // Characters that a reader cannot see.
  enum class Invisible {
    kRefuse,
    kAllowLines,  // tab and line feed
    kData,        // matched or passed on as they are, and escaped in documents and messages
  };

  Variable variable = Variable::kExpand;
  Invisible invisible = Invisible::kRefuse;
  bool is_json = false;  // a YAML mapping or list is rendered to JSON text
  bool is_pem = false;   // a variable's value may have line breaks, and nothing of it is ever quoted
};

// Remembers what it found out. Not thread-safe.
class FieldPolicies {
 public:
  const FieldPolicy& Of(const google::protobuf::FieldDescriptor* field);

 private:
  absl::flat_hash_map<const google::protobuf::FieldDescriptor*, FieldPolicy> known_;
};

// "a model", "`runtime.kafka`": what a message is called in sentences.
std::string_view SpokenName(const google::protobuf::Descriptor* descriptor);

// A key that no field has: UNSUPPORTED_KEY for those that streamt or dbt know and we lack, with the way out where
// there is one, else UNKNOWN_KEY with the nearest known key.
void ReportUnknownKey(const google::protobuf::Descriptor* descriptor, std::string_view key,
                      const diag::Position& position, diag::Diagnostics* diagnostics);

// Of a key that we lack by name: one sentence that begins after "`key` ", and the way out. False for any other key.
struct UnsupportedKey {
  std::string_view message;  // of the schema
  std::string_view key;
  std::string_view text;
  std::string_view hint;
};
const UnsupportedKey* FindUnsupportedKey(std::string_view message, std::string_view key);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_FIELDS_H_
