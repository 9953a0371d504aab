// Partitions that the input got after the runner's offsets were initialised. Of one that nobody ever read and that has
// lost nothing, there is only one place to start: 0. Any other partition without a committed offset ends the runner.
#ifndef ST_RUNNER_NEW_PARTITIONS_H_
#define ST_RUNNER_NEW_PARTITIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kafka/consumer.h"
#include "runner/failure.h"
#include "runner/startup.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {

using NamedPartitions = google::protobuf::RepeatedPtrField<v1::RunnerStatus::Partition>;

// What the status that an earlier process left says of the input's partitions. Nothing when there is none, or it is of
// another topic.
struct NamedBefore {
  int32_t below = 0;  // those below it were read once, by the highest number named. A status that cannot be read: all
  NamedPartitions partitions = {};
};
NamedBefore ReadNamedBefore(const std::string& status_path, const std::string& input_topic_id);

// A partition that was read once is named by every later status, also by that of a process that never came to read it:
// else the next start would take it for a new one. Those of `before` that `now` lacks come into it, with how far they
// were committed; what is only known of a partition that is read is not known any more.
void KeepNamed(const NamedPartitions& before, NamedPartitions* now);

// `committed`: partitions 0, 1, 2, ...; -1: no offset. `named`: those below it were read once. Fills `fresh` with those
// that may start at 0, if nothing is gone from them. Pure.
MaybeFailure FindFresh(const Expected& expected, int32_t named, const std::vector<kafka::Position>& committed,
                       std::vector<int32_t>* fresh);

// Nothing is gone from a fresh partition whose log begins at 0. Pure.
MaybeFailure CheckBegins(const Expected& expected, const std::vector<kafka::Position>& begins);

// Asks where `partitions` are to be read from: `committed`, in which fresh ones stand with -1. On a client that
// need not have an assignment. Waits up to `answer_ms` for each answer.
MaybeFailure AskPositions(kafka::Consumer* consumer, const Expected& expected, int32_t named,
                          const std::vector<int32_t>& partitions, int answer_ms,
                          std::vector<kafka::Position>* committed);

}  // namespace st::runner

#endif  // ST_RUNNER_NEW_PARTITIONS_H_
