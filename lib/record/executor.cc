#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/log/absl_check.h"
#include "lib/record/condition.h"
#include "lib/record/grammar.h"
#include "lib/record/layout.h"
#include "lib/record/padded_text.h"
#include "lib/record/program.h"
#include "lib/record/record.h"
#include "schemas/st/v1/record_plan.pb.h"
#include "simdjson.h"

namespace st::record {
namespace {

constexpr uint32_t kNoColumn = CompiledProgram::kNoColumn;

// Where a column's value stands in the current record.
struct Slot {
  const char* bytes = nullptr;  // readable kCopyStep bytes past its end
  size_t size = 0;
  uint64_t record = 0;  // the record that it was last seen in
  // False: copied to the output as it stands. True: unescaped text, to be spelt again.
  bool unescaped = false;
};

// What `-0` becomes.
constexpr char kZero[kCopyStep + 1] = "0";

char* Put(const char* bytes, size_t size, char* out) {
  std::memcpy(out, bytes, kCopyStep);
  for (size_t at = kCopyStep; at < size; at += kCopyStep) std::memcpy(out + at, bytes + at, kCopyStep);
  return out + size;
}

// Memory that is kept and grows.
class Scratch {
 public:
  char* Reserve(size_t size) {
    if (size > size_) {
      size_ = std::max(size, 2 * size_);
      bytes_ = std::make_unique_for_overwrite<char[]>(size_);
    }
    return bytes_.get();
  }

 private:
  size_t size_ = 0;
  std::unique_ptr<char[]> bytes_;
};

}  // namespace

class Executor::Impl {
 public:
  explicit Impl(std::shared_ptr<const Program> program)
      : program_(std::static_pointer_cast<const CompiledProgram>(std::move(program))),
        columns_(program_->columns()),
        slots_(columns_.size()) {}

  bool ReadRecord(std::string_view value);
  void Write(std::string* out);

  Fault fault() const { return fault_; }
  bool passes() const { return passes_; }

 private:
  const char* Refuse(v1::FaultKind kind, std::string_view column = {}) {
    fault_ = {kind, column};
    return nullptr;
  }
  const char* RefuseNonObject(const char* p);
  bool CheckUtf8(std::string_view value);
  bool CheckAllSeen();
  size_t OutputBound() const;
  const char* ReadMembers(const char* p);
  const char* ReadName(const char* p, size_t index, uint32_t* column);
  const char* ReadUnguessedName(const char* p, size_t index, uint32_t* column);
  const char* SkipExtra(const char* p);
  const char* ReadColumn(const Column& column, Slot* slot, const char* p);
  const char* ReadString(const Column& column, Slot* slot, const char* p);
  const char* ReadEscapedString(const Column& column, Slot* slot, const char* p);
  const char* ReadBoolean(const Column& column, Slot* slot, const char* p);
  const char* ReadBigint(const Column& column, Slot* slot, const char* p);
  const char* ReadAny(const Column& column, Slot* slot, const char* p);
  const char* ReadOther(const Column& column, Slot* slot, const char* p);

  std::shared_ptr<const CompiledProgram> program_;
  const std::vector<Column>& columns_;
  std::vector<Slot> slots_;
  Layout layout_;
  PaddedText text_;
  uint64_t record_ = 0;
  size_t seen_ = 0;     // columns
  bool passes_ = true;  // so far, every condition holds
  Fault fault_;
  Scratch unescaped_;
  char* unescaped_end_ = nullptr;
  Scratch output_;
};

bool Executor::Impl::ReadRecord(std::string_view value) {
  ABSL_CHECK_LE(value.size(), kMaxValueBytes);
  if (value.empty()) {
    Refuse(v1::EMPTY_VALUE);
    return false;
  }
  text_.Load(value);
  if (!text_.ascii() && !CheckUtf8(value)) return false;
  layout_.StartRecord();
  ++record_;
  seen_ = 0;
  passes_ = true;
  // Unescaping makes nothing longer.
  unescaped_end_ = unescaped_.Reserve(value.size() + kCopyStep);
  const char* p = SkipSpace(text_.begin());
  p = *p == '{' ? ReadMembers(SkipSpace(p + 1)) : RefuseNonObject(p);
  if (p == nullptr) return false;
  if (SkipSpace(p) != text_.end()) {
    Refuse(v1::TRAILING_DATA);
    return false;
  }
  return seen_ == columns_.size() || CheckAllSeen();
}

bool Executor::Impl::CheckUtf8(std::string_view value) {
  if (!simdjson::validate_utf8(value.data(), value.size())) {
    Refuse(v1::INVALID_UTF8);
    return false;
  }
  if (value.starts_with("\xef\xbb\xbf")) {
    Refuse(v1::BYTE_ORDER_MARK);
    return false;
  }
  return true;
}

const char* Executor::Impl::RefuseNonObject(const char* p) {
  int kind = 0;
  p = SkipValue(text_, p, 0, &kind);
  if (p == nullptr) return Refuse(static_cast<v1::FaultKind>(kind));
  return Refuse(SkipSpace(p) == text_.end() ? v1::NOT_AN_OBJECT : v1::SYNTAX);
}

bool Executor::Impl::CheckAllSeen() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (slots_[i].record == record_) continue;
    Refuse(v1::MISSING_MEMBER, columns_[i].name);
    return false;
  }
  return true;
}

// `p` is behind the brace and the white space after it.
const char* Executor::Impl::ReadMembers(const char* p) {
  if (*p == '}') return p + 1;
  for (size_t index = 0;; ++index) {
    uint32_t column = kNoColumn;
    p = ReadName(p, index, &column);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    p = column == kNoColumn ? SkipExtra(p) : ReadColumn(columns_[column], &slots_[column], p);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p == '}') {
      layout_.EndRecord(index + 1);
      return p + 1;
    }
    if (*p != ',') return Refuse(v1::SYNTAX);
    p = SkipSpace(p + 1);
  }
}

// A member's name and its colon.
const char* Executor::Impl::ReadName(const char* p, size_t index, uint32_t* column) {
  size_t size = 0;
  if (!layout_.Guess(index, p, column, &size)) return ReadUnguessedName(p, index, column);
  if (*column == kNoColumn && layout_.IsRepeat(index)) {
    return Refuse(v1::DUPLICATE_MEMBER, std::string_view(p + 1, size - 3));
  }
  return p + size;
}

const char* Executor::Impl::ReadUnguessedName(const char* p, size_t index, uint32_t* column) {
  if (*p != '"') return Refuse(v1::SYNTAX);
  const char* end = text_.NextSpecial(p + 1);
  std::string_view name(p + 1, static_cast<size_t>(end - p - 1));
  if (*end == '"') {
    p = end + 1;
  } else {
    const char* decoded = unescaped_end_;
    int kind = 0;
    p = DecodeString(text_, p, &unescaped_end_, &kind);
    if (p == nullptr) return Refuse(static_cast<v1::FaultKind>(kind));
    name = std::string_view(decoded, static_cast<size_t>(unescaped_end_ - decoded));
  }
  p = SkipSpace(p);
  if (*p != ':') return Refuse(v1::SYNTAX);
  *column = program_->Find(name);
  if (*column != kNoColumn) {
    layout_.Learn(index, *column, &columns_[*column].pattern);
  } else if (!program_->ignore_extra_members()) {
    return Refuse(v1::UNKNOWN_MEMBER, name);
  } else if (!layout_.LearnExtra(index, name)) {
    return Refuse(v1::DUPLICATE_MEMBER, name);
  }
  return p + 1;
}

const char* Executor::Impl::SkipExtra(const char* p) {
  int kind = 0;
  p = SkipValue(text_, p, 1, &kind);
  return p != nullptr ? p : Refuse(static_cast<v1::FaultKind>(kind));
}

const char* Executor::Impl::ReadColumn(const Column& column, Slot* slot, const char* p) {
  if (slot->record == record_) return Refuse(v1::DUPLICATE_MEMBER, column.name);
  slot->record = record_;
  slot->unescaped = false;
  ++seen_;
  switch (column.type) {
    case v1::STRING:
      return ReadString(column, slot, p);
    case v1::BOOLEAN:
      return ReadBoolean(column, slot, p);
    case v1::BIGINT:
      return ReadBigint(column, slot, p);
    default:
      return ReadAny(column, slot, p);
  }
}

const char* Executor::Impl::ReadString(const Column& column, Slot* slot, const char* p) {
  if (*p != '"') return ReadOther(column, slot, p);
  const char* end = text_.NextSpecial(p + 1);
  if (*end != '"') return ReadEscapedString(column, slot, p);
  slot->bytes = p;
  slot->size = static_cast<size_t>(end + 1 - p);
  for (const Condition& condition : column.conditions) {
    passes_ &= TextHolds(condition, std::string_view(p + 1, slot->size - 2));
  }
  return end + 1;
}

const char* Executor::Impl::ReadEscapedString(const Column& column, Slot* slot, const char* p) {
  int kind = 0;
  const char* decoded = unescaped_end_;
  const bool needed = passes_ && (column.projected || !column.conditions.empty());
  p = needed ? DecodeString(text_, p, &unescaped_end_, &kind) : SkipString(text_, p, &kind);
  if (p == nullptr) return Refuse(static_cast<v1::FaultKind>(kind), column.name);
  if (!needed) return p;
  slot->bytes = decoded;
  slot->size = static_cast<size_t>(unescaped_end_ - decoded);
  slot->unescaped = true;
  for (const Condition& condition : column.conditions) {
    passes_ &= TextHolds(condition, std::string_view(slot->bytes, slot->size));
  }
  return p;
}

// Which of the two it is cannot be predicted, so nothing jumps on it.
const char* Executor::Impl::ReadBoolean(const Column& column, Slot* slot, const char* p) {
  const bool is_true = IsTrue(p);
  if (!(is_true | IsFalse(p))) return ReadOther(column, slot, p);
  slot->bytes = p;
  slot->size = 5 - size_t{is_true};
  for (const Condition& condition : column.conditions) passes_ &= BooleanHolds(condition, is_true);
  return p + slot->size;
}

const char* Executor::Impl::ReadBigint(const Column& column, Slot* slot, const char* p) {
  const bool negative = *p == '-';
  const char* digits = p + (negative ? 1 : 0);
  const size_t count = CountDigits(digits);
  const char* end = digits + count;
  if (count == 0 || (count > 1 && *digits == '0') || *end == '.' || *end == 'e' || *end == 'E') {
    return ReadOther(column, slot, p);
  }
  if (count > kSafeDigits && !FitsBigint(negative, {digits, count})) {
    return Refuse(EndsValue(end) ? v1::INTEGER_OUT_OF_RANGE : v1::SYNTAX, column.name);
  }
  slot->bytes = negative && *digits == '0' ? kZero : p;
  slot->size = negative && *digits == '0' ? 1 : static_cast<size_t>(end - p);
  if (!column.conditions.empty()) {
    const int64_t value = ReadInteger(negative, digits, count);
    for (const Condition& condition : column.conditions) passes_ &= BigintHolds(condition, value);
  }
  return end;
}

const char* Executor::Impl::ReadAny(const Column& column, Slot* slot, const char* p) {
  if (IsNull(p)) return ReadOther(column, slot, p);
  int kind = 0;
  const char* end = SkipValue(text_, p, 1, &kind);
  if (end == nullptr) return Refuse(static_cast<v1::FaultKind>(kind), column.name);
  slot->bytes = p;
  slot->size = static_cast<size_t>(end - p);
  for (const Condition& condition : column.conditions) passes_ &= PresentHolds(condition);
  return end;
}

// A null, or a value that the column cannot take.
const char* Executor::Impl::ReadOther(const Column& column, Slot* slot, const char* p) {
  int kind = 0;
  const char* end = SkipValue(text_, p, 1, &kind);
  if (end == nullptr) return Refuse(static_cast<v1::FaultKind>(kind), column.name);
  if (!EndsValue(end)) return Refuse(v1::SYNTAX, column.name);
  if (!IsNull(p)) {
    const bool number = *p == '-' || (*p >= '0' && *p <= '9');
    return Refuse(number && column.type == v1::BIGINT ? v1::NOT_AN_INTEGER : v1::WRONG_TYPE, column.name);
  }
  if (column.required) return Refuse(v1::NULL_IN_REQUIRED, column.name);
  slot->bytes = p;
  slot->size = 4;
  for (const Condition& condition : column.conditions) passes_ &= NullHolds(condition);
  return end;
}

// More bytes than the output can take. No value is longer in the output than in the record: what is escaped there was
// escaped here, and not shorter.
size_t Executor::Impl::OutputBound() const {
  const size_t frame = program_->lead_bytes() + 1 + kCopyStep;
  if (!program_->repeats()) return frame + static_cast<size_t>(text_.end() - text_.begin());
  size_t values = 0;
  for (const OutputMember& member : program_->output()) values += slots_[member.column].size * 6 + 2;
  return frame + values;
}

void Executor::Impl::Write(std::string* out) {
  char* begin = output_.Reserve(OutputBound());
  char* end = begin;
  for (const OutputMember& member : program_->output()) {
    const Slot& slot = slots_[member.column];
    end = Put(member.lead.data(), member.lead_size, end);
    end = slot.unescaped ? EncodeString(slot.bytes, slot.size, end) : Put(slot.bytes, slot.size, end);
  }
  *end++ = '}';
  out->append(begin, static_cast<size_t>(end - begin));
}

Executor::Executor(std::shared_ptr<const Program> program_) : impl_(std::make_unique<Impl>(std::move(program_))) {}

Executor::~Executor() = default;

Outcome Executor::Run(std::string_view value, std::string* out, Fault* fault) {
  if (!impl_->ReadRecord(value)) {
    *fault = impl_->fault();
    return Outcome::kPoison;
  }
  if (!impl_->passes()) return Outcome::kFiltered;
  impl_->Write(out);
  return Outcome::kPass;
}

}  // namespace st::record
