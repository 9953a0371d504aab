// What time will take away, said before it does: old records from an output topic, offsets from a group that stands
// still.
#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "lib/plan/runner_planner.h"

namespace st::plan {
namespace {

using Positions = google::protobuf::RepeatedPtrField<v1::PartitionOffset>;

int64_t OffsetOf(const Positions& positions, int32_t partition, int64_t otherwise) {
  for (const v1::PartitionOffset& position : positions) {
    if (position.partition() == partition) return position.offset();
  }
  return otherwise;
}

std::string Words(int64_t ms) { return absl::FormatDuration(absl::Milliseconds(ms)); }

}  // namespace

void RunnerPlanner::WarnAboutOldRecords(const Positions& from) {
  const v1::RecordAges* ages = index_.Ages(model_.resource());
  if (ages == nullptr || input_ == nullptr) return;
  int64_t old = 0;
  for (const v1::TopicFacts::Partition& partition : input_->partitions()) {
    const int64_t begin = std::max(partition.begin_offset(), OffsetOf(from, partition.partition(), 0));
    old += std::max<int64_t>(0, OffsetOf(ages->young(), partition.partition(), 0) - begin);
  }
  if (old == 0) return;
  draft_.Warn("RECORDS_OLDER_THAN_RETENTION", model_.resource(),
              absl::StrCat("up to ", old, old == 1 ? " record" : " records", " of topic ", input_topic_,
                           " that the runner will read are older than topic ", model_.topic(), " keeps them (",
                           Words(ages->retention_ms()),
                           "): what comes of them may be removed there before anybody reads it; declare a longer "
                           "retention.ms, or accept that"));
}

void RunnerPlanner::WarnIfOffsetsExpireSoon(const v1::GenerationFacts& generation) {
  const int64_t kept = index_.observation().cluster().defaults().offsets_retention_ms();
  const int64_t ended = generation.status().updated_at_ms();
  if (kept == 0 || ended == 0 || HasMembers() || offsets_ == nullptr) return;
  const bool has_offsets = std::any_of(offsets_->offsets().begin(), offsets_->offsets().end(),
                                       [](const v1::GroupOffset& offset) { return offset.offset() >= 0; });
  const int64_t left = ended + kept - index_.observation().observed_at_ms();
  if (!has_offsets || left >= kept / 4) return;
  draft_.Warn(
      "OFFSETS_EXPIRE_SOON", model_.resource(),
      absl::StrCat("runner ", model_.application_id(), " has not run since ",
                   absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixMillis(ended), absl::UTCTimeZone()),
                   ", and the cluster forgets the offsets of a group ", Words(kept), " after its last member left: ",
                   left <= 0 ? "they may go at any moment" : absl::StrCat("about ", Words(left), " are left"),
                   "; start it before that"));
}

}  // namespace st::plan
