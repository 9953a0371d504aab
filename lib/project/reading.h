// What the readers of one project share while they fill messages.
#ifndef ST_LIB_PROJECT_READING_H_
#define ST_LIB_PROJECT_READING_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/diag/diag.h"
#include "lib/project/fields.h"
#include "lib/project/places.h"
#include "lib/project/variables.h"

namespace google::protobuf {
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace st::project {

// Findings beyond these would only bury the first ones, and a file of megabytes could give millions.
inline constexpr int kMaxFindings = 1000;

struct Reading {
  diag::Diagnostics* diagnostics;
  Positions::Impl* places;
  const Variables* variables;
  FieldPolicies policies;

  bool IsFull() const { return diagnostics->errors() >= kMaxFindings; }
};

// One scalar as its file writes it.
struct RawScalar {
  std::string_view text;
  bool quoted = false;  // in YAML: text, whatever it looks like
  Place place;
};

// Checks `raw` against the field's policy and, where the policy says so, puts the variables' values into `out`.
// False after a diagnostic.
bool ApplyPolicy(Reading* reading, const google::protobuf::FieldDescriptor* field, const RawScalar& raw,
                 std::string* out, bool* from_variable);

// Sets a singular or adds to a repeated scalar field: policy, type, position. False after a diagnostic.
bool SetScalar(Reading* reading, google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field,
               const RawScalar& raw);

// YAML 1.2 core integers (decimal, 0o, 0x, a sign) that fit.
enum class Integer { kOk, kNotOne, kOutOfRange };
Integer ParseUint32(std::string_view text, uint32_t* value);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_READING_H_
