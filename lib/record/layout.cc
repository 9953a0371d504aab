#include "lib/record/layout.h"

namespace st::record {

void Layout::LeaveLayout(size_t index) {
  if (!followed_) return;
  followed_ = false;
  for (size_t i = 0; i < std::min(index, kMaxMembers); ++i) {
    if (members_[i].column == CompiledProgram::kNoColumn) extras_.insert(NameOf(members_[i]));
  }
}

void Layout::Learn(size_t index, uint32_t column, const MemberPattern* pattern) {
  LeaveLayout(index);
  distinct_ = std::min(distinct_, index);
  if (index >= kMaxMembers) return;
  if (index + 1 == members_.size()) members_.emplace_back();
  members_[index].pattern = pattern;
  members_[index].column = column;
}

bool Layout::LearnExtra(size_t index, std::string_view name) {
  Learn(index, CompiledProgram::kNoColumn, &kNone);
  if (index < kMaxMembers) {
    Member& member = members_[index];
    if (member.own == nullptr) member.own = &own_.emplace_back();
    *member.own = MemberPattern(name);
    member.pattern = member.own;
  }
  return extras_.insert(name).second;
}

}  // namespace st::record
