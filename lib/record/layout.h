// The members of the last record, in order: the guess for the next record. A source writes its members in one order, so
// the guess is nearly always right and costs a comparison of words. Not thread-safe; one an executor.
#ifndef ST_LIB_RECORD_LAYOUT_H_
#define ST_LIB_RECORD_LAYOUT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "lib/record/program.h"

namespace st::record {

// Also finds undeclared members that stand twice. Those names are known to differ while a record follows the layout of
// a whole record before it; only from the first difference on they are put into a set.
class Layout {
 public:
  // Members from this one on are not remembered: a record can hold millions.
  static constexpr size_t kMaxMembers = 4096;

  Layout() : members_(1) {}

  void StartRecord() {
    if (followed_) return;
    followed_ = true;
    extras_.clear();
  }

  // True when the `index`-th member is spelt `"name":` at `p` as in the last record; its column (kNoColumn: undeclared)
  // and the bytes it takes.
  bool Guess(size_t index, const char* p, uint32_t* column, size_t* size) {
    Member& member = members_[std::min(index, kMaxMembers)];
    if (!member.pattern->Matches(p)) return false;
    *column = member.column;
    *size = member.pattern->size();
    if (member.column == CompiledProgram::kNoColumn) member.at = p;
    return true;
  }

  // A guessed undeclared member stood before in this record.
  bool IsRepeat(size_t index) {
    if (followed_ && index < distinct_) return false;
    LeaveLayout(index);
    return !extras_.insert(NameOf(members_[index])).second;
  }

  // After a wrong guess: what stands there. `pattern` lives as long as this.
  void Learn(size_t index, uint32_t column, const MemberPattern* pattern);
  // The same for an undeclared member; false when it stood before in this record. `name` must live until its end.
  bool LearnExtra(size_t index, std::string_view name);

  // A record of `members` was read whole.
  void EndRecord(size_t members) { distinct_ = std::min(members, kMaxMembers); }

 private:
  // Matches nothing.
  static constexpr MemberPattern kNone{};

  struct Member {
    const MemberPattern* pattern = &kNone;  // a column's, or its own
    MemberPattern* own = nullptr;           // in own_, when it ever needed one
    uint32_t column = CompiledProgram::kNoColumn;
    const char* at = nullptr;  // undeclared: its quote in the current record
  };

  static std::string_view NameOf(const Member& member) { return {member.at + 1, member.pattern->size() - 3}; }
  void LeaveLayout(size_t index);

  std::vector<Member> members_;  // and one that matches nothing
  std::deque<MemberPattern> own_;
  size_t distinct_ = 0;   // the first so many came from one whole record
  bool followed_ = true;  // this record, so far, is as members_ and within distinct_
  absl::flat_hash_set<std::string_view> extras_;
};

}  // namespace st::record

#endif  // ST_LIB_RECORD_LAYOUT_H_
