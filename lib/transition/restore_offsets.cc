// The table of RESTORE_OFFSETS: the reviewed vector, once, into a group that nobody is in and that still is as
// reviewed.
#include <string>

#include "absl/strings/str_cat.h"
#include "lib/transition/runner_facts.h"

namespace st::transition {
namespace {

int64_t OffsetNow(const v1::GroupOffsets* offsets, int32_t partition) {
  for (int i = 0; offsets != nullptr && i < offsets->offsets_size(); ++i) {
    if (offsets->offsets(i).partition() == partition) return offsets->offsets(i).offset();
  }
  return -1;
}

// By this operation: a late write of a call whose answer was lost carries its id, too.
bool IsWritten(const Look& look, const v1::GroupOffsets* offsets, const v1::RestoreOffsets& restore) {
  for (const v1::PartitionOffset& wanted : restore.offsets()) {
    bool found = false;
    for (int i = 0; offsets != nullptr && i < offsets->offsets_size(); ++i) {
      const v1::GroupOffset& now = offsets->offsets(i);
      found = found || (now.partition() == wanted.partition() && now.offset() == wanted.offset() &&
                        now.metadata() == look.progress.operation_id);
    }
    if (!found) return false;
  }
  return true;
}

// Still without offsets, or with the useless ones that were reviewed.
std::optional<Step> CheckPrior(const Look& look, const v1::GroupOffsets* offsets, const v1::RestoreOffsets& restore) {
  for (const v1::PartitionOffset& prior : restore.prior()) {
    const int64_t now = OffsetNow(offsets, prior.partition());
    if (now == prior.offset() || (now < 0 && prior.offset() < 0)) continue;
    return Blocked("OFFSETS_MOVED",
                   absl::StrCat("offset ", now, " of group ", look.facts.group.group_id(), " on partition ",
                                prior.partition(), " is not the reviewed ", prior.offset()),
                   "find out who wrote it; nothing is written over it");
  }
  return std::nullopt;
}

std::optional<Step> CheckInLog(const Look& look, const v1::RestoreOffsets& restore) {
  for (const v1::PartitionOffset& wanted : restore.offsets()) {
    for (const v1::TopicFacts::Partition& partition : look.facts.input.partitions()) {
      if (partition.partition() != wanted.partition()) continue;
      if (wanted.offset() >= partition.begin_offset() && wanted.offset() <= partition.end_offset()) continue;
      return Stale("OFFSETS_OUT_OF_RANGE",
                   absl::StrCat("the reviewed offset ", wanted.offset(), " of partition ", wanted.partition(),
                                " is not in the log (", partition.begin_offset(), " to ", partition.end_offset(), ")"),
                   "records were deleted meanwhile; nothing is skipped silently");
    }
  }
  return std::nullopt;
}

Step Finish(const Look& look, const v1::RestoreOffsets& restore) {
  v1::OwnedResource owned = look.action.prior();
  // What it closed at is no longer where it goes on.
  if (restore.from() != v1::RestoreOffsets::CLEAN_CLOSE) owned.mutable_runner()->clear_closed();
  *owned.mutable_runner()->mutable_restored() = restore.offsets();
  return RecordOwned(look, owned);
}

}  // namespace

Step NextRestoreOffsets(const Look& look, const v1::RestoreOffsets& restore) {
  if (std::optional<Step> step = CheckPlaces(look, restore)) return *step;
  const v1::GenerationFacts* found = nullptr;
  if (std::optional<Step> step =
          CheckGeneration(look, restore.generation_id(), look.action.prior().runner().plan_sha256(), &found)) {
    return *step;
  }
  if (found->state() == v1::GenerationFacts::RUNNING) {
    return Stale("RUNNER_RUNS_AGAIN", absl::StrCat("runner ", restore.application_id(), " had ended, and runs again"));
  }
  const v1::GroupOffsets* offsets = InputOffsets(look.facts.group, restore.input().name());
  if (std::optional<Step> step = CheckReadable(look, offsets)) return *step;
  if (std::optional<Step> step = CheckNoMembers(look)) return *step;
  if (look.reached() == v1::Checkpoint::STARTED && IsWritten(look, offsets, restore)) return Finish(look, restore);
  if (std::optional<Step> step = CheckPrior(look, offsets, restore)) return *step;
  if (std::optional<Step> step = CheckInLog(look, restore)) return *step;
  if (look.reached() == v1::Checkpoint::NAME_UNSPECIFIED) {
    Step step = Record(look, v1::Checkpoint::STARTED);
    *step.record.mutable_vector() = restore.offsets();
    return step;
  }
  if (!look.Crossed(Do::kCommitOffsets)) return Cross(Do::kCommitOffsets);
  return Wait(look, kUnstableBoundMs, "OFFSETS_NOT_SEEN",
              absl::StrCat("the offsets of group ", look.facts.group.group_id(), " were written and do not show"),
              "look at the group coordinator's health");
}

}  // namespace st::transition
