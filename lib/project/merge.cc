#include "lib/project/merge.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <vector>

#include "absl/strings/str_cat.h"
#include "schemas/st/v1/project.pb.h"

namespace st::project {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

diag::Position PositionOf(const Message& message, const Reading& reading) {
  const auto found = reading.places->Find(message, 0, -1);
  return found ? reading.places->ToPosition(found->place) : diag::Position();
}

void MoveList(const FieldDescriptor* field, Message* from, Message* to) {
  const Reflection* reflection = from->GetReflection();
  if (reflection->FieldSize(*to, field) == 0) {
    reflection->SwapFields(from, to, {field});
    return;
  }
  std::vector<Message*> items(reflection->FieldSize(*from, field));
  for (auto item = items.rbegin(); item != items.rend(); ++item) *item = reflection->ReleaseLast(from, field);
  for (Message* item : items) reflection->AddAllocatedMessage(to, field, item);
}

template <typename WithSafety>
void Unite(Reading* reading, WithSafety* message) {
  const v1::EnvironmentInfo& other = message->environment();
  if (!other.has_protected_()) return;
  const int from_field = v1::EnvironmentInfo::kProtectedFieldNumber;
  const int to_field = v1::Safety::kProtectedFieldNumber;
  if (message->safety().has_protected_()) {
    if (message->safety().protected_() == other.protected_()) return;
    const auto here = reading->places->Find(other, from_field, -1);
    const auto there = reading->places->Find(message->safety(), to_field, -1);
    const diag::Position at = there ? reading->places->ToPosition(there->place) : diag::Position();
    reading->diagnostics->Error(here ? reading->places->ToPosition(here->place) : diag::Position(), "CONTRADICTION",
                                absl::StrCat("`environment.protected` contradicts `safety.protected` at ", at.file, ":",
                                             at.line, ":", at.column),
                                "both say the same; keep one of them");
    return;
  }
  v1::Safety* safety = message->mutable_safety();
  safety->set_protected_(other.protected_());
  reading->places->Copy(other, from_field, *safety, to_field);
}

// Gives each field of `to` that `from` sets the place of the override, and each section that `to` lacks. Makes those
// sections.
void CopyPlaces(const Message& from, Message* to, Positions::Impl* places) {
  std::vector<const FieldDescriptor*> fields;
  from.GetReflection()->ListFields(from, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      places->Copy(from, field->number(), *to, field->number());
      continue;
    }
    const bool is_new = !to->GetReflection()->HasField(*to, field);
    const Message& from_section = from.GetReflection()->GetMessage(from, field);
    Message* to_section = to->GetReflection()->MutableMessage(to, field);
    if (is_new) places->Copy(from_section, 0, *to_section, 0);
    CopyPlaces(from_section, to_section, places);
  }
}

void Override(const Message& from, bool is_new, Message* to, Positions::Impl* places) {
  if (is_new) places->Copy(from, 0, *to, 0);
  CopyPlaces(from, to, places);
  to->CheckTypeAndMergeFrom(from);
}

}  // namespace

void MergePart(v1::Project* part, bool is_main, Reading* reading, v1::Project* whole) {
  const Reflection* reflection = part->GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*part, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->is_repeated()) {
      MoveList(field, part, whole);
      continue;
    }
    const Message& section = reflection->GetMessage(*part, field);
    if (!is_main && field->number() == v1::Project::kProjectFieldNumber) {
      reading->diagnostics->Error(PositionOf(section, *reading), "MISPLACED_SECTION",
                                  "`project` stands only in stream_project.yml", "remove it here");
    } else if (reflection->HasField(*whole, field)) {
      const diag::Position first = PositionOf(reflection->GetMessage(*whole, field), *reading);
      reading->diagnostics->Error(
          PositionOf(section, *reading), "DUPLICATE_SECTION",
          absl::StrCat("`", field->name(), "` stands at ", first.file, ":", first.line, ":", first.column, " already"),
          "say it once");
    } else {
      reflection->SwapFields(part, whole, {field});
    }
  }
}

void UniteProtected(Reading* reading, v1::Project* project) { Unite(reading, project); }
void UniteProtected(Reading* reading, v1::Environment* environment) { Unite(reading, environment); }

void ApplyEnvironment(const v1::Environment& environment, Reading* reading, v1::Project* project) {
  if (environment.has_runtime()) {
    const bool is_new = !project->has_runtime();
    Override(environment.runtime(), is_new, project->mutable_runtime(), reading->places);
  }
  if (environment.has_deployment_state()) {
    const bool is_new = !project->has_deployment_state();
    Override(environment.deployment_state(), is_new, project->mutable_deployment_state(), reading->places);
  }
  if (environment.has_safety()) {
    const bool is_new = !project->has_safety();
    Override(environment.safety(), is_new, project->mutable_safety(), reading->places);
  }
}

}  // namespace st::project
