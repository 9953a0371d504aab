#include "lib/record/program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "lib/record/plan_check.h"

namespace st::record {
namespace {

bool NeedsEscape(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') return true;
  }
  return false;
}

}  // namespace

MemberPattern::MemberPattern(std::string_view member) {
  // A quote before, a quote and a colon after.
  if (NeedsEscape(member) || member.size() + 3 > sizeof(bytes_)) return;
  size_ = member.size() + 3;
  char bytes[sizeof(bytes_)] = {'"'};
  std::memcpy(bytes + 1, member.data(), member.size());
  bytes[size_ - 2] = '"';
  bytes[size_ - 1] = ':';
  char mask[sizeof(mask_)] = {};
  std::memset(mask, 0xff, size_);
  std::memcpy(bytes_, bytes, sizeof(bytes_));
  std::memcpy(mask_, mask, sizeof(mask_));
}

uint64_t HashName(std::string_view name) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = name.size() * kOdd;
  size_t at = 0;
  for (; at + 8 <= name.size(); at += 8) hash = std::rotl(hash ^ Word(name.data() + at), 29) * kOdd;
  uint64_t rest = 0;
  for (; at < name.size(); ++at) rest = rest << 8 | static_cast<unsigned char>(name[at]);
  hash = (hash ^ rest) * kOdd;
  return hash ^ hash >> 32;
}

CompiledProgram::CompiledProgram(const v1::RecordPlan& plan)
    : ignore_extra_members_(plan.extra_members() == v1::ignore) {
  table_.assign(std::bit_ceil(static_cast<size_t>(plan.columns_size()) * 2 + 1), kNoColumn);
  columns_.reserve(static_cast<size_t>(plan.columns_size()));
  for (const v1::InputColumn& column : plan.columns()) AddColumn(column);
  for (const v1::Predicate& predicate : plan.predicates()) AddPredicate(predicate);
  for (const v1::Projection& projection : plan.projections()) {
    OutputMember member;
    member.lead.push_back(output_.empty() ? '{' : ',');
    AppendJsonString(projection.name(), &member.lead);
    member.lead += ':';
    member.lead_size = member.lead.size();
    member.lead.append(kCopyStep, '\0');
    member.column = IndexOf(projection.column());
    columns_[member.column].projected = true;
    lead_bytes_ += member.lead_size;
    output_.push_back(std::move(member));
  }
}

void CompiledProgram::AddColumn(const v1::InputColumn& column) {
  Column added;
  added.pattern = MemberPattern(column.member());
  added.type = column.type();
  added.required = column.required();
  added.name = column.name();
  added.member = column.member();
  size_t place = HashName(added.member) & (table_.size() - 1);
  while (table_[place] != kNoColumn) place = (place + 1) & (table_.size() - 1);
  table_[place] = static_cast<uint32_t>(columns_.size());
  columns_.push_back(std::move(added));
}

void CompiledProgram::AddPredicate(const v1::Predicate& predicate) {
  Condition condition;
  condition.op = predicate.op();
  condition.bigint = predicate.bigint_value();
  condition.boolean = predicate.boolean_value();
  condition.text = predicate.string_value();
  columns_[IndexOf(predicate.column())].conditions.push_back(std::move(condition));
}

uint32_t CompiledProgram::IndexOf(std::string_view name) const {
  const auto found =
      std::lower_bound(columns_.begin(), columns_.end(), name,
                       [](const Column& column, std::string_view wanted) { return column.name < wanted; });
  return static_cast<uint32_t>(found - columns_.begin());
}

uint32_t CompiledProgram::Find(std::string_view member) const {
  size_t place = HashName(member) & (table_.size() - 1);
  for (; table_[place] != kNoColumn; place = (place + 1) & (table_.size() - 1)) {
    if (columns_[table_[place]].member == member) return table_[place];
  }
  return kNoColumn;
}

void AppendJsonString(std::string_view text, std::string* out) {
  const size_t before = out->size();
  out->resize(before + 6 * text.size() + 2);
  const char* end = EncodeString(text.data(), text.size(), out->data() + before);
  out->resize(static_cast<size_t>(end - out->data()));
}

absl::StatusOr<std::shared_ptr<const Program>> Program::Compile(const v1::RecordPlan& plan) {
  if (absl::Status status = CheckPlan(plan); !status.ok()) return status;
  return std::make_shared<CompiledProgram>(plan);
}

}  // namespace st::record
