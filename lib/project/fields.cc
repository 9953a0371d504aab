#include "lib/project/fields.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/id.h"

namespace st::project {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Variable = FieldPolicy::Variable;
using Invisible = FieldPolicy::Invisible;

struct Exception {
  std::string_view field;  // full name below st.v1
  FieldPolicy policy;
};

constexpr std::array kExceptions = {
    Exception{"Reference.source", {Variable::kRefuse, Invisible::kRefuse, false}},
    Exception{"Reference.ref", {Variable::kRefuse, Invisible::kRefuse, false}},
    Exception{"Test.model", {Variable::kRefuse, Invisible::kRefuse, false}},
    Exception{"Model.sql", {Variable::kUntouched, Invisible::kData, false}},
    Exception{"Kafka.sasl_username", {Variable::kKeepWhole, Invisible::kRefuse, false}},
    Exception{"Kafka.sasl_password", {Variable::kSecret, Invisible::kRefuse, false}},
    Exception{"Kafka.ssl_key_pem", {Variable::kSecret, Invisible::kRefuse, false}},
    Exception{"Kafka.ssl_key_password", {Variable::kSecret, Invisible::kRefuse, false}},
    Exception{"Kafka.ssl_ca_pem", {Variable::kExpand, Invisible::kAllowLines, false, true}},
    Exception{"Kafka.ssl_certificate_pem", {Variable::kExpand, Invisible::kAllowLines, false, true}},
    Exception{"Source.completeness", {Variable::kExpand, Invisible::kAllowLines, false}},
    Exception{"Column.member", {Variable::kExpand, Invisible::kData, false}},
    Exception{"Row.key", {Variable::kExpand, Invisible::kData, false}},
    Exception{"Row.value", {Variable::kExpand, Invisible::kData, true}},
};

struct Spoken {
  std::string_view message;
  std::string_view words;
};

constexpr std::array kSpoken = {
    Spoken{"Project", "a project file"},
    Spoken{"ProjectInfo", "`project`"},
    Spoken{"Environment", "an environment file"},
    Spoken{"EnvironmentInfo", "`environment`"},
    Spoken{"Runtime", "`runtime`"},
    Spoken{"Kafka", "`runtime.kafka`"},
    Spoken{"Runner", "`runtime.runner`"},
    Spoken{"DeploymentState", "`deployment_state`"},
    Spoken{"Safety", "`safety`"},
    Spoken{"Defaults", "`defaults`"},
    Spoken{"TopicDefaults", "`defaults.topic`"},
    Spoken{"Column", "a column"},
    Spoken{"ConfigEntry", "a `config` entry"},
    Spoken{"Source", "a source"},
    Spoken{"Provenance", "`provenance`"},
    Spoken{"Ownership", "`ownership`"},
    Spoken{"Topic", "a model's `topic`"},
    Spoken{"Model", "a model"},
    Spoken{"Reference", "a reference"},
    Spoken{"Exposure", "an exposure"},
    Spoken{"Test", "a test"},
    Spoken{"Row", "a test's row"},
    Spoken{"Rules", "`rules`"},
    Spoken{"TopicRules", "`rules.topics`"},
    Spoken{"ModelRules", "`rules.models`"},
};

FieldPolicy Find(const FieldDescriptor* field) {
  const std::string name = absl::StrCat(field->containing_type()->name(), ".", field->name());
  for (const Exception& exception : kExceptions) {
    if (exception.field == name) return exception.policy;
  }
  FieldPolicy policy;
  if (field->name() == "name") policy.variable = Variable::kRefuse;
  if (field->name() == "description") policy.invisible = Invisible::kAllowLines;
  return policy;
}

std::vector<std::string_view> Keys(const Descriptor* descriptor) {
  std::vector<std::string_view> keys;
  for (int i = 0; i < descriptor->field_count(); ++i) keys.push_back(descriptor->field(i)->name());
  return keys;
}

// The section directly below in which `key` stands, if any: `partitions` of a model belongs into its `topic`.
const FieldDescriptor* SectionWith(const Descriptor* descriptor, std::string_view key) {
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    const bool section = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && !field->is_repeated();
    if (section && field->message_type()->FindFieldByName(std::string(key)) != nullptr) return field;
  }
  return nullptr;
}

}  // namespace

const FieldPolicy& FieldPolicies::Of(const FieldDescriptor* field) {
  const auto [found, is_new] = known_.try_emplace(field);
  if (is_new) found->second = Find(field);
  return found->second;
}

std::string_view SpokenName(const Descriptor* descriptor) {
  for (const Spoken& spoken : kSpoken) {
    if (spoken.message == descriptor->name()) return spoken.words;
  }
  return descriptor->name();
}

void ReportUnknownKey(const Descriptor* descriptor, std::string_view key, const diag::Position& position,
                      diag::Diagnostics* diagnostics) {
  const std::string shown = diag::Visible(key, 60);
  if (const UnsupportedKey* unsupported = FindUnsupportedKey(descriptor->name(), key)) {
    diagnostics->Error(position, "UNSUPPORTED_KEY", absl::StrCat("`", shown, "` ", unsupported->text),
                       std::string(unsupported->hint));
    return;
  }
  std::string hint;
  const std::vector<std::string_view> keys = Keys(descriptor);
  if (const std::string_view nearest = base::Nearest(key, keys); !nearest.empty()) {
    hint = absl::StrCat("did you mean `", nearest, "`?");
  } else if (const FieldDescriptor* section = SectionWith(descriptor, key)) {
    hint = absl::StrCat("`", shown, "` stands in `", section->name(), "`");
  } else {
    hint = absl::StrCat("known here: ", absl::StrJoin(keys, ", "));
  }
  diagnostics->Error(position, "UNKNOWN_KEY", absl::StrCat("unknown key `", shown, "` in ", SpokenName(descriptor)),
                     std::move(hint));
}

}  // namespace st::project
