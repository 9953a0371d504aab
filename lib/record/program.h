// A record plan prepared for speed: what Program::Compile makes and Executor runs. Immutable, so any thread.
#ifndef ST_LIB_RECORD_PROGRAM_H_
#define ST_LIB_RECORD_PROGRAM_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/record/grammar.h"
#include "lib/record/record.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::record {

// One predicate of one column.
struct Condition {
  v1::Predicate::Operator op = v1::Predicate::OPERATOR_UNSPECIFIED;
  int64_t bigint = 0;
  bool boolean = false;
  std::string text;
};

// The bytes `"member":` as they most often stand, compared a word at a time. A member that must be escaped in JSON, or
// that is longer than the words hold, never matches and is looked up by name.
class MemberPattern {
 public:
  MemberPattern() = default;
  explicit MemberPattern(std::string_view member);

  size_t size() const { return size_; }
  bool Matches(const char* p) const {
    uint64_t difference = ((Word(p) ^ bytes_[0]) & mask_[0]) | ((Word(p + 8) ^ bytes_[1]) & mask_[1]);
    if (size_ > 16) {
      difference |= ((Word(p + 16) ^ bytes_[2]) & mask_[2]) | ((Word(p + 24) ^ bytes_[3]) & mask_[3]);
    }
    return difference == 0;
  }

 private:
  static constexpr size_t kWords = 4;
  // As made it matches nothing: eight bytes 0xff stand nowhere in UTF-8.
  uint64_t bytes_[kWords] = {~uint64_t{0}, 0, 0, 0};
  uint64_t mask_[kWords] = {~uint64_t{0}, 0, 0, 0};
  size_t size_ = 0;
};

// What is copied to the output is copied in steps of this many bytes; more of the source than needed may be read.
inline constexpr size_t kCopyStep = 32;
// The same for what is compared or hashed.
inline constexpr size_t kNamePadding = 8;

struct Column {
  MemberPattern pattern;
  v1::ColumnType type = v1::COLUMN_TYPE_UNSPECIFIED;
  bool required = false;
  bool projected = false;
  std::vector<Condition> conditions;
  std::string name;
  std::string member;  // then kNamePadding bytes
  size_t member_size = 0;
};

// Text that stands before an output value (`{"a":` or `,"a":`), and the column that gives the value.
struct OutputMember {
  std::string lead;  // then kCopyStep bytes, so that it can be copied in whole steps
  size_t lead_size = 0;
  uint32_t column = 0;
};
class CompiledProgram final : public Program {
 public:
  static constexpr uint32_t kNoColumn = ~uint32_t{0};

  // `plan` was checked.
  explicit CompiledProgram(const v1::RecordPlan& plan);

  const std::vector<Column>& columns() const { return columns_; }
  const std::vector<OutputMember>& output() const { return output_; }
  size_t lead_bytes() const { return lead_bytes_; }
  bool ignore_extra_members() const { return ignore_extra_members_; }
  // A column is projected more than once.
  bool repeats() const { return repeats_; }
  // By its member's name, unescaped, with kNamePadding bytes behind it; kNoColumn when none has it.
  uint32_t Find(std::string_view member) const;

 private:
  void AddColumn(const v1::InputColumn& column);
  void AddPredicate(const v1::Predicate& predicate);
  // Of a column that exists; they are sorted by name.
  uint32_t IndexOf(std::string_view name) const;

  std::vector<Column> columns_;
  std::vector<OutputMember> output_;
  struct Place {
    uint64_t hash = 0;
    uint32_t column = kNoColumn;  // free
  };
  std::vector<Place> table_;  // open addressing, at most a quarter full
  int table_shift_ = 0;       // a hash's bits that are not of the place
  size_t lead_bytes_ = 0;
  bool ignore_extra_members_ = false;
  bool repeats_ = false;
};

}  // namespace st::record

#endif  // ST_LIB_RECORD_PROGRAM_H_
