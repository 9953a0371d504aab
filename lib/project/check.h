// The form of a whole project: what one value alone, or one list alone, must look like. What it refers to is
// lib/topology's.
#ifndef ST_LIB_PROJECT_CHECK_H_
#define ST_LIB_PROJECT_CHECK_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "lib/diag/diag.h"
#include "lib/project/names.h"
#include "lib/project/project.h"

namespace google::protobuf {
class Message;
template <typename Element>
class RepeatedPtrField;
}  // namespace google::protobuf

namespace st::v1 {
class Column;
class Project;
}  // namespace st::v1

namespace st::project {

// With `complete` false nothing is called missing that a file which ended early may hold.
void CheckForm(const v1::Project& project, const Positions& positions, std::string_view environment, bool complete,
               diag::Diagnostics* diagnostics);

// A value that other formats have and we lack; the hint may be empty.
struct OtherValue {
  std::string_view value;
  std::string_view hint;
};

// One finding at a time, at a field of a message.
class FormChecker {
 public:
  FormChecker(const Positions& positions, diag::Diagnostics* diagnostics)
      : positions_(positions), diagnostics_(*diagnostics) {}

  void Error(const google::protobuf::Message& message, std::string_view field, std::string_view code, std::string text,
             std::string_view hint = {}, int index = -1) {
    diagnostics_.Error(positions_.Of(message, field, index), code, std::move(text), std::string(hint));
  }
  // `value` in backquotes, or words in its place when it came from a variable.
  std::string Quote(const google::protobuf::Message& message, std::string_view field, std::string_view value,
                    int index = -1) const;
  // MISSING_FIELD unless the field was written, if wrongly: that has its finding.
  void Missing(const google::protobuf::Message& message, std::string_view field, std::string text,
               std::string_view hint = {});
  // A required text: there, and not empty.
  bool Require(const google::protobuf::Message& message, std::string_view field, std::string_view hint = {});
  // A required name by its rule.
  void Name(const google::protobuf::Message& message, std::string_view what, NameKind kind,
            size_t max_bytes = kMaxNameBytes);
  // Text that must be one of `known`, when it is there.
  void Choice(const google::protobuf::Message& message, std::string_view field,
              std::initializer_list<std::string_view> known, std::initializer_list<OtherValue> others = {});
  // A number inside of its bounds, when it is there.
  void Range(const google::protobuf::Message& message, std::string_view field, uint32_t least, uint32_t most);
  // Whether the field has a value, or was written with a wrong one.
  bool IsWritten(const google::protobuf::Message& message, std::string_view field) const;

 private:
  const Positions& positions_;
  diag::Diagnostics& diagnostics_;
};

// `project`, `runtime`, `deployment_state`, `defaults`, `rules`.
void CheckSettings(const v1::Project& project, bool complete, FormChecker* check);
// Sources, models, exposures, tests. `environment` and the project's name bound a model's name.
void CheckDeclarations(const v1::Project& project, std::string_view environment, FormChecker* check);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_CHECK_H_
