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

namespace {

// These read up to kNamePadding bytes past the end of a name. Of less than eight bytes, as a number:
uint64_t ShortName(std::string_view name) { return Word(name.data()) & ((uint64_t{1} << (8 * name.size())) - 1); }

// Words of eight bytes, the last one over the one before it where the length asks for it. The highest bits depend on
// all bytes.
inline uint64_t HashName(std::string_view name) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t hash = name.size() * kOdd;
  if (name.size() < 8) {
    hash = (hash ^ ShortName(name)) * kOdd;
  } else {
    const size_t last = name.size() - 8;
    for (size_t at = 0; at < last; at += 8) hash = std::rotl((hash ^ Word(name.data() + at)) * kOdd, 29);
    hash = (hash ^ Word(name.data() + last)) * kOdd;
  }
  return hash;
}

inline bool SameName(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (a.size() < 8) return ShortName(a) == ShortName(b);
  const size_t last = a.size() - 8;
  for (size_t at = 0; at < last; at += 8) {
    if (Word(a.data() + at) != Word(b.data() + at)) return false;
  }
  return Word(a.data() + last) == Word(b.data() + last);
}

}  // namespace

CompiledProgram::CompiledProgram(const v1::RecordPlan& plan)
    : ignore_extra_members_(plan.extra_members() == v1::ignore) {
  table_.assign(std::bit_ceil(static_cast<size_t>(plan.columns_size()) * 4 + 1), Place());
  table_shift_ = 64 - std::countr_zero(table_.size());
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
    repeats_ |= columns_[member.column].projected;
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
  added.member_size = added.member.size();
  added.member.append(kNamePadding, '\0');
  const uint64_t hash = HashName({added.member.data(), added.member_size});
  size_t place = hash >> table_shift_;
  while (table_[place].column != kNoColumn) place = (place + 1) & (table_.size() - 1);
  table_[place] = {hash, static_cast<uint32_t>(columns_.size())};
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
  const uint64_t hash = HashName(member);
  size_t at = hash >> table_shift_;
  for (; table_[at].column != kNoColumn; at = (at + 1) & (table_.size() - 1)) {
    const Place& place = table_[at];
    if (place.hash != hash) continue;
    const Column& column = columns_[place.column];
    if (SameName(member, {column.member.data(), column.member_size})) return place.column;
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
