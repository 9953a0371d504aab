#include "lib/host/answer_fields.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"

namespace st::host {
namespace {

using nlohmann::json;

// The answers that we read nest to 7 or so.
constexpr int kMaxDepth = 64;
constexpr size_t kMaxShown = 100;

const json& Nothing() {
  static const json& nothing = *new json();
  return nothing;
}

// A member's name that the engine chose.
std::string Shown(std::string_view name) { return diag::Visible(name, kMaxShown); }

}  // namespace

absl::StatusOr<json> ParseJson(std::string_view text, std::string_view what) {
  bool too_deep = false;
  json value = json::parse(
      text.begin(), text.end(),
      [&](int depth, json::parse_event_t, json&) {
        too_deep = too_deep || depth > kMaxDepth;
        return !too_deep;
      },
      /*allow_exceptions=*/false);
  if (too_deep) return absl::DataLossError(absl::StrCat("the engine's answer about ", what, " nests too deep"));
  if (value.is_discarded()) return absl::DataLossError(absl::StrCat("the engine's answer about ", what, " is no JSON"));
  return value;
}

Fields::Fields(const json& value, std::string path, absl::Status* status)
    : value_(&value), path_(std::move(path)), status_(status) {
  if (!value.is_object() && status_->ok()) {
    *status_ = absl::DataLossError(absl::StrCat("the engine's answer: `", path_, "` is no object"));
  }
}

void Fields::Fault(std::string_view name, std::string_view what) {
  if (!status_->ok()) return;
  *status_ = absl::DataLossError(absl::StrCat("the engine's answer: `", path_, ".", name, "` ", what));
}

const json& Fields::Member(const char* name, const char* type, bool (json::*is)() const noexcept) {
  if (!value_->is_object()) return Nothing();
  const auto found = value_->find(name);
  if (found == value_->end()) {
    Fault(name, "is missing");
    return Nothing();
  }
  if (!((*found).*is)()) {
    Fault(name, absl::StrCat("is no ", type));
    return Nothing();
  }
  return *found;
}

std::string Fields::String(const char* name) {
  const json& value = Member(name, "string", &json::is_string);
  return value.is_string() ? value.get_ref<const std::string&>() : std::string();
}

bool Fields::Bool(const char* name) {
  const json& value = Member(name, "boolean", &json::is_boolean);
  return value.is_boolean() && value.get<bool>();
}

int64_t Fields::Int(const char* name) {
  const json& value = Member(name, "integer", &json::is_number_integer);
  return value.is_number_integer() ? value.get<int64_t>() : 0;
}

Fields Fields::Object(const char* name) {
  static const json& empty = *new json(json::object());
  const json& value = Member(name, "object", &json::is_object);
  return Fields(value.is_object() ? value : empty, absl::StrCat(path_, ".", name), status_);
}

std::vector<Fields> Fields::Objects(const char* name) {
  std::vector<Fields> all;
  int index = 0;
  for (const json& value : Member(name, "array", &json::is_array)) {
    all.emplace_back(value, absl::StrCat(path_, ".", name, "[", index++, "]"), status_);
  }
  return all;
}

std::vector<std::string> Fields::Strings(const char* name) {
  std::vector<std::string> all;
  for (const json& value : Member(name, "array", &json::is_array)) {
    if (!value.is_string()) {
      Fault(absl::StrCat(name, "[", all.size(), "]"), "is no string");
      break;
    }
    all.push_back(value.get_ref<const std::string&>());
  }
  return all;
}

std::map<std::string, std::string> Fields::Map(const char* name) {
  std::map<std::string, std::string> all;
  const json& value = Member(name, "object", &json::is_object);
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (!member->is_string()) {
      Fault(absl::StrCat(name, ".", Shown(member.key())), "is no string");
      break;
    }
    all[member.key()] = member->get_ref<const std::string&>();
  }
  return all;
}

std::map<std::string, Fields> Fields::ObjectsByName(const char* name) {
  std::map<std::string, Fields> all;
  const json& value = Member(name, "object", &json::is_object);
  for (auto member = value.begin(); member != value.end(); ++member) {
    all.emplace(member.key(), Fields(*member, absl::StrCat(path_, ".", name, ".", Shown(member.key())), status_));
  }
  return all;
}

bool Fields::Has(const char* name) const {
  if (!value_->is_object()) return false;
  const auto found = value_->find(name);
  return found != value_->end() && !found->is_null();
}

std::vector<std::string> Fields::StringsOrNone(const char* name) {
  return Has(name) ? Strings(name) : std::vector<std::string>();
}

std::map<std::string, std::string> Fields::MapOrNone(const char* name) {
  return Has(name) ? Map(name) : std::map<std::string, std::string>();
}

std::vector<Fields> Fields::ObjectsOrNone(const char* name) {
  return Has(name) ? Objects(name) : std::vector<Fields>();
}

}  // namespace st::host
