// Where an owned runner goes on. One that has ended, and whose group lost its offsets, goes on where it closed cleanly,
// or where a person chose; nothing else is ever chosen.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/runner_planner.h"

namespace st::plan {
namespace {

using From = v1::RestoreOffsets::From;

bool InLog(int64_t offset, const v1::TopicFacts::Partition& partition) {
  return offset >= partition.begin_offset() && offset <= partition.end_offset();
}

template <typename Offsets>
bool Names(const Offsets& offsets, int32_t partition) {
  return std::any_of(offsets.begin(), offsets.end(), [&](const auto& one) { return one.partition() == partition; });
}

std::string Records(int64_t count) { return absl::StrCat(count, count == 1 ? " record" : " records"); }

}  // namespace

// Counts of offsets, which are records or fewer: control records and compacted ones have offsets, too.
struct RunnerPlanner::Lacking {
  const v1::TopicFacts::Partition* partition;
  int64_t committed;  // -1: none
  int64_t closed;     // by state and status; -1: no clean close
  int64_t status;     // by the last status; -1: none

  int64_t Left() const { return partition->end_offset() - partition->begin_offset(); }
  // How much of what is there was read before, as far as is known.
  int64_t Read() const {
    const int64_t known = std::max({committed, closed, status});
    return std::clamp(known - partition->begin_offset(), int64_t{0}, Left());
  }
  int64_t Deleted() const {
    const int64_t known = std::max({committed, closed, status});
    return known < 0 ? 0 : std::max<int64_t>(0, partition->begin_offset() - known);
  }
  int64_t At(From from) const {
    switch (from) {
      case v1::RestoreOffsets::CLEAN_CLOSE:
        return closed;
      case v1::RestoreOffsets::EARLIEST:
        return partition->begin_offset();
      case v1::RestoreOffsets::LATEST:
        return partition->end_offset();
      case v1::RestoreOffsets::LAST_STATUS:
        return status;
      default:
        return -1;
    }
  }
};

RunnerPlanner::Lacking RunnerPlanner::LackingOf(const v1::GenerationFacts& generation,
                                                const v1::TopicFacts::Partition& partition, int64_t committed) const {
  Lacking lacking{&partition, committed, -1, -1};
  for (const v1::RunnerStatus::Partition& known : generation.status().partitions()) {
    if (known.partition() == partition.partition()) lacking.status = known.committed();
  }
  // What is owned as closed still stands after a start that failed before it had an assignment; the status has it from
  // the one before.
  const v1::RunnerStatus& last = generation.status();
  const bool read_nothing = last.state() == v1::RunnerStatus::FAILED && last.member_id().empty();
  if (last.state() != v1::RunnerStatus::CLOSED && !read_nothing) return lacking;
  for (const v1::PartitionOffset& closed : owned_->closed()) {
    if (closed.partition() == partition.partition() && closed.offset() == lacking.status) {
      lacking.closed = closed.offset();
    }
  }
  return lacking;
}

const v1::GroupOffset* RunnerPlanner::CommittedOn(int32_t partition) const {
  for (int i = 0; offsets_ != nullptr && i < offsets_->offsets_size(); ++i) {
    if (offsets_->offsets(i).partition() == partition) return &offsets_->offsets(i);
  }
  return nullptr;
}

bool RunnerPlanner::IsNew(const v1::TopicFacts::Partition& partition) const {
  const int32_t number = partition.partition();
  if (static_cast<uint32_t>(number) < owned_->initialized_partitions() || partition.begin_offset() > 0) return false;
  if (Names(owned_->closed(), number) || Names(owned_->restored(), number)) return false;
  return ended_ == nullptr || !Names(ended_->status().partitions(), number);
}

std::string RunnerPlanner::Consequence(From from, const std::vector<Lacking>& all) const {
  int64_t left = 0;
  int64_t read = 0;
  int64_t deleted = 0;
  bool known = true;
  for (const Lacking& one : all) {
    left += one.Left();
    read += one.Read();
    deleted += one.Deleted();
    known = known && std::max({one.committed, one.closed, one.status}) >= 0;
  }
  const std::string gone =
      deleted > 0 ? absl::StrCat("; ", Records(deleted), " before them were deleted unread") : std::string();
  switch (from) {
    case v1::RestoreOffsets::EARLIEST:
      return absl::StrCat("reads the ", Records(left), " that are there, ",
                          known ? absl::StrCat(read, " of them") : std::string("perhaps all of them"),
                          " for the second time", gone);
    case v1::RestoreOffsets::LATEST:
      return absl::StrCat("misses ", known ? Records(left - read) : absl::StrCat("up to ", Records(left)), gone);
    case v1::RestoreOffsets::LAST_STATUS:
      return "reads again what it committed after its last status: about a second's work";
    default:
      return "";
  }
}

std::string RunnerPlanner::Choices(const std::vector<Lacking>& all) const {
  std::vector<std::string> choices;
  for (From from : {v1::RestoreOffsets::EARLIEST, v1::RestoreOffsets::LATEST, v1::RestoreOffsets::LAST_STATUS}) {
    const bool possible =
        std::all_of(all.begin(), all.end(), [&](const Lacking& one) { return InLog(one.At(from), *one.partition); });
    if (!possible) continue;
    choices.push_back(absl::StrCat("--start-at ", model_.name(), "=", PlaceName(from), " ", Consequence(from, all)));
  }
  return absl::StrCat("no position is chosen silently; choose one, and review it: ", absl::StrJoin(choices, ", or "));
}

bool RunnerPlanner::CollectOffsets(bool may_restore, google::protobuf::RepeatedPtrField<v1::PartitionOffset>* bound) {
  static const v1::GenerationFacts kNone;
  std::vector<Lacking> lacking;
  for (const v1::TopicFacts::Partition& partition : input_->partitions()) {
    const v1::GroupOffset* found = CommittedOn(partition.partition());
    if (found != nullptr && found->unstable()) {
      draft_.Warn("OFFSETS_UNSTABLE", model_.resource(),
                  absl::StrCat("an open transaction holds the offset of partition ", partition.partition(), " of ",
                               input_topic_, ": st-apply waits until it times out"));
      continue;
    }
    const int64_t committed = found == nullptr || found->offset() < 0 ? -1 : found->offset();
    if (committed < 0 && IsNew(partition)) continue;
    if (committed < partition.begin_offset() || committed > partition.end_offset()) {
      lacking.push_back(LackingOf(ended_ == nullptr ? kNone : *ended_, partition, committed));
      continue;
    }
    v1::PartitionOffset& offset = *bound->Add();
    offset.set_partition(partition.partition());
    offset.set_offset(found->offset());
    offset.set_leader_epoch(found->leader_epoch());
  }
  if (lacking.empty()) return true;
  lacks_offsets_ = true;
  if (!may_restore || ended_ == nullptr) {
    BlockDrifted(lacking.front().committed < 0 ? "OFFSETS_MISSING" : "OFFSETS_OUT_OF_RANGE",
                 absl::StrCat("group ", model_.application_id(), " has no offset in the log of partition ",
                              lacking.front().partition->partition(), " of ", input_topic_),
                 ended_ == nullptr ? "a runner without a position stops by itself: look at its log, and plan again"
                                   : "there is nothing to stop any more: declare it as running, and choose a position");
    return false;
  }
  return Restore(*ended_, lacking, bound);
}

bool RunnerPlanner::CheckNotMoved(const v1::GenerationFacts& generation,
                                  const google::protobuf::RepeatedPtrField<v1::PartitionOffset>& offsets) {
  const auto moved = [&](int32_t partition, int64_t now, int64_t then, std::string_view when) {
    BlockDrifted("OFFSETS_MOVED",
                 absl::StrCat("offset ", now, " of group ", model_.application_id(), " on partition ", partition,
                              " of ", input_topic_, " is not where the runner stopped: ", then, " ", when),
                 absl::StrCat("somebody moved it while nothing ran: put it back to ", then,
                              " (kafka-consumer-groups --reset-offsets --to-offset), or declare a new model"));
    return false;
  };
  const v1::OwnedRunner& from = restored_.has_value() ? restored_->runner() : *owned_;
  for (const v1::PartitionOffset& offset : offsets) {
    bool is_restored = false;
    for (const v1::PartitionOffset& restored : from.restored()) {
      if (restored.partition() != offset.partition()) continue;
      is_restored = true;
      if (restored.offset() != offset.offset()) {
        return moved(offset.partition(), offset.offset(), restored.offset(), "was restored");
      }
    }
    if (is_restored) continue;
    for (const v1::PartitionOffset& closed : from.closed()) {
      if (closed.partition() != offset.partition() || closed.offset() == offset.offset()) continue;
      return moved(offset.partition(), offset.offset(), closed.offset(), "was its clean close");
    }
    // A status is written every second, so what was committed after it is ahead of it, never behind.
    for (const v1::RunnerStatus::Partition& last : generation.status().partitions()) {
      if (last.partition() != offset.partition() || last.committed() <= offset.offset()) continue;
      return moved(offset.partition(), offset.offset(), last.committed(), "or more was committed");
    }
  }
  return true;
}

bool RunnerPlanner::Restore(const v1::GenerationFacts& generation, const std::vector<Lacking>& all,
                            google::protobuf::RepeatedPtrField<v1::PartitionOffset>* bound) {
  const bool out_of_log = std::any_of(all.begin(), all.end(), [](const Lacking& one) { return one.committed >= 0; });
  const auto fits = [&](From from) {
    return std::all_of(all.begin(), all.end(), [&](const Lacking& one) { return InLog(one.At(from), *one.partition); });
  };
  const auto chosen = draft_.start_at().find(model_.name());
  From from = v1::RestoreOffsets::FROM_UNSPECIFIED;
  if (chosen != draft_.start_at().end()) {
    from = chosen->second;
  } else if (!out_of_log && fits(v1::RestoreOffsets::CLEAN_CLOSE)) {
    from = v1::RestoreOffsets::CLEAN_CLOSE;
  }
  std::vector<std::string> places;
  for (const Lacking& one : all) {
    places.push_back(absl::StrCat(one.partition->partition(),
                                  one.committed < 0 ? std::string() : absl::StrCat(" (", one.committed, ")"), ", log ",
                                  one.partition->begin_offset(), " to ", one.partition->end_offset()));
  }
  const std::string where = absl::StrCat("partition ", absl::StrJoin(places, "; "), " of ", input_topic_);
  if (from == v1::RestoreOffsets::FROM_UNSPECIFIED || !fits(from)) {
    BlockDrifted(
        out_of_log ? "OFFSETS_OUT_OF_RANGE" : "OFFSETS_MISSING",
        absl::StrCat("group ", model_.application_id(),
                     out_of_log ? " has a committed offset outside of the log on " : " has no committed offset on ",
                     where),
        Choices(all));
    return false;
  }
  const std::string_view place = PlaceName(from);
  v1::Action& action =
      draft_.AddAction(model_.resource(), v1::Action::DRIFTED,
                       absl::StrCat("restore offsets of ", model_.application_id(), " on ", where, ": ",
                                    from == v1::RestoreOffsets::CLEAN_CLOSE
                                        ? std::string("they are gone, and go on where it closed cleanly")
                                        : absl::StrCat("at ", place, ", as chosen: this ", Consequence(from, all))));
  v1::RestoreOffsets& restore = *action.mutable_restore_offsets();
  restore.set_application_id(model_.application_id());
  restore.set_generation_id(generation.generation_id());
  *restore.mutable_input() = Bind(input_topic_);
  *restore.mutable_output() = Bind(model_.topic());
  restore.set_from(from);
  restore.set_host(owned_->host());
  restore.set_host_id(owned_->host_id());
  for (const Lacking& one : all) {
    v1::PartitionOffset& offset = *restore.add_offsets();
    offset.set_partition(one.partition->partition());
    offset.set_offset(one.At(from));
    offset.set_leader_epoch(-1);
    v1::PartitionOffset& prior = *restore.add_prior();
    prior.set_partition(one.partition->partition());
    prior.set_offset(one.committed);
    prior.set_leader_epoch(-1);
  }
  // What the next action starts from.
  restored_ = *action.mutable_prior();
  if (from != v1::RestoreOffsets::CLEAN_CLOSE) restored_->mutable_runner()->clear_closed();
  *restored_->mutable_runner()->mutable_restored() = restore.offsets();
  for (const Lacking& one : all) {
    v1::PartitionOffset& offset = *bound->Add();
    offset.set_partition(one.partition->partition());
    offset.set_offset(one.At(from));
    offset.set_leader_epoch(-1);
  }
  return true;
}

void RunnerPlanner::RefuseNeedlessChoice() {
  if (lacks_offsets_ || !draft_.start_at().contains(model_.name())) return;
  Block("START_AT_NOT_NEEDED",
        absl::StrCat("--start-at names ", model_.name(), ", and there is no place to choose: ",
                     owned_ == nullptr ? "it is not deployed, and initial_offset says where it starts"
                                       : "its runner lacks no offset, or is not to be started"),
        "plan without --start-at for it");
}

void RunnerPlanner::FollowRestored(v1::Action* action) const {
  if (restored_.has_value()) *action->mutable_prior() = *restored_;
}

}  // namespace st::plan
