#include "lib/project/places.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace st::project {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

Positions::Positions(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Positions::Impl::Impl() = default;
Positions::Impl::~Impl() = default;

void Positions::Impl::Keep(std::unique_ptr<Message> message) { kept_.push_back(std::move(message)); }

uint32_t Positions::Impl::AddFile(std::string_view name) {
  files_.emplace_back(name);
  return static_cast<uint32_t>(files_.size() - 1);
}

diag::Position Positions::Impl::ToPosition(const Place& place) const {
  return {files_.empty() ? std::string() : files_[place.file], static_cast<int>(place.line),
          static_cast<int>(place.column)};
}

void Positions::Impl::Add(const Message& message, int field, int index, const Place& place, bool from_variable) {
  constexpr uint32_t kLastColumn = (uint32_t{1} << 31) - 1;
  entries_.push_back({&message, place.line, std::min(place.column, kLastColumn), from_variable ? 1U : 0U, index,
                      place.file, static_cast<uint32_t>(field)});
  sorted_ = false;
}

void Positions::Impl::Copy(const Message& from, int from_field, const Message& to, int to_field) {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.message == &from && entry.field == static_cast<uint32_t>(from_field) && entry.index == -1;
  });
  if (found == entries_.rend()) return;
  Entry copy = *found;
  copy.message = &to;
  copy.field = static_cast<uint32_t>(to_field);
  entries_.push_back(copy);
  sorted_ = false;
}

void Positions::Impl::AddSqlFile(const Message& model, uint32_t file) {
  sql_[&model] = {SqlPlace::Form::kLines, {file, 1, 1}};
}

void Positions::Impl::Sort() const {
  absl::MutexLock lock(&mutex_);
  if (sorted_) return;
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.message, a.field, a.index) < std::tie(b.message, b.field, b.index);
  });
  sorted_ = true;
}

std::optional<Positions::Impl::Found> Positions::Impl::Find(const Message& message, int field, int index) const {
  Sort();
  const auto key = std::make_tuple(static_cast<const void*>(&message), static_cast<uint32_t>(field), index);
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), key, [](const auto& k, const Entry& entry) {
    return k < std::make_tuple(entry.message, entry.field, entry.index);
  });
  if (after == entries_.begin()) return std::nullopt;
  const Entry& entry = *std::prev(after);
  if (std::make_tuple(entry.message, entry.field, entry.index) != key) return std::nullopt;
  return Found{{entry.file, entry.line, entry.column}, entry.from_variable != 0};
}

const SqlPlace* Positions::Impl::FindSql(const Message& model) const {
  const auto found = sql_.find(&model);
  return found == sql_.end() ? nullptr : &found->second;
}

namespace {

std::optional<Positions::Impl::Found> FindNearest(const Positions::Impl& impl, const Message& message,
                                                  std::string_view name, int index) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(std::string(name));
  if (field != nullptr) {
    const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    const auto* reflection = message.GetReflection();
    if (is_message && field->is_repeated() && index >= 0 && index < reflection->FieldSize(message, field)) {
      if (auto found = impl.Find(reflection->GetRepeatedMessage(message, field, index), 0, -1)) return found;
    }
    if (is_message && !field->is_repeated() && reflection->HasField(message, field)) {
      if (auto found = impl.Find(reflection->GetMessage(message, field), 0, -1)) return found;
    }
    if (auto found = impl.Find(message, field->number(), index)) return found;
    if (auto found = impl.Find(message, field->number(), -1)) return found;
  }
  return impl.Find(message, 0, -1);
}

}  // namespace

diag::Position Positions::Of(const Message& message, std::string_view field, int index) const {
  if (impl_ == nullptr) return {};
  if (const auto found = FindNearest(*impl_, message, field, index)) return impl_->ToPosition(found->place);
  // A message that is not there at all: what it misses is missed in the project.
  return impl_->ToPosition({0, 1, 1});
}

bool Positions::FromVariable(const Message& message, std::string_view field, int index) const {
  if (impl_ == nullptr) return false;
  const auto found = FindNearest(*impl_, message, field, index);
  return found.has_value() && found->from_variable;
}

bool Positions::IsWritten(const Message& message, std::string_view field) const {
  const FieldDescriptor* descriptor = message.GetDescriptor()->FindFieldByName(std::string(field));
  if (descriptor == nullptr) return false;
  const auto* reflection = message.GetReflection();
  const bool there = descriptor->is_repeated() ? reflection->FieldSize(message, descriptor) > 0
                                               : reflection->HasField(message, descriptor);
  return there || (impl_ != nullptr && impl_->IsRefused(message, descriptor->number()));
}

diag::Position Positions::InSql(const Message& model, size_t offset, std::string* note) const {
  note->clear();
  if (impl_ == nullptr) return {};
  const SqlPlace* sql = impl_->FindSql(model);
  if (sql == nullptr) return Of(model, "sql");
  const FieldDescriptor* field = model.GetDescriptor()->FindFieldByName("sql");
  const std::string statement = model.GetReflection()->GetString(model, field);
  const diag::Position inside = diag::Locate("", statement, offset);
  diag::Position position = impl_->ToPosition(sql->start);
  switch (sql->form) {
    case SqlPlace::Form::kLines:
      position.line += inside.line - 1;
      position.column += inside.column - 1;
      return position;
    case SqlPlace::Form::kInline:
      position.column += inside.column - 1;
      return position;
    case SqlPlace::Form::kStart:
      break;
  }
  *note = absl::StrCat("line ", inside.line, ", column ", inside.column, " of the statement");
  return position;
}

}  // namespace st::project
