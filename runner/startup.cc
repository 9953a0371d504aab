#include "runner/startup.h"

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace st::runner {
namespace {

constexpr int kReachMs = 30000;

Failure Mismatch(std::string detail) {
  return {.reason = v1::RunnerStatus::IDENTITY_MISMATCH, .detail = std::move(detail)};
}

MaybeFailure CheckTopic(std::string_view which, const std::string& name, const std::string& expected,
                        const kafka::TopicIdentity& found) {
  if (!found.exists || found.partitions == 0)
    return Mismatch(absl::StrCat("the ", which, " topic ", name, " is not there"));
  if (found.id != expected) {
    return Mismatch(absl::StrCat("the ", which, " topic ", name, " has the id ", found.id, ", not ", expected,
                                 ": it was deleted and made again"));
  }
  return std::nullopt;
}

// With the reason that the client knows: a refused connection, a certificate, a password.
Failure Unreached(const absl::Status& status, const kafka::Events& events) {
  Failure failure = FailureOf(status);
  if (std::string trouble = events.Trouble(); !trouble.empty()) absl::StrAppend(&failure.detail, ": ", trouble);
  return failure;
}

}  // namespace

MaybeFailure CheckCluster(const Expected& expected, const std::string& cluster_id) {
  if (cluster_id == expected.cluster_id) return std::nullopt;
  return Mismatch(absl::StrCat("this is the cluster ", cluster_id, ", not ", expected.cluster_id));
}

MaybeFailure CheckTopics(const Expected& expected, const std::vector<kafka::TopicIdentity>& topics) {
  const kafka::TopicIdentity& input = topics[0];
  const kafka::TopicIdentity& output = topics[1];
  if (auto failure = CheckTopic("input", expected.input_topic, expected.input_topic_id, input)) return failure;
  if (auto failure = CheckTopic("output", expected.output_topic, expected.output_topic_id, output)) return failure;
  if (input.partitions != expected.initialized_partitions) {
    return Failure{
        .reason = v1::RunnerStatus::PARTITIONS_CHANGED,
        .detail = absl::StrCat("the input topic ", expected.input_topic, " has ", input.partitions,
                               " partitions; offsets were initialised for ", expected.initialized_partitions)};
  }
  if (expected.output_partitions != 0 && output.partitions != expected.output_partitions) {
    return Failure{.reason = v1::RunnerStatus::PARTITIONS_CHANGED,
                   .detail = absl::StrCat("the output topic ", expected.output_topic, " has ", output.partitions,
                                          " partitions; it had ", expected.output_partitions,
                                          ", and keys would change their partition in the middle of a run")};
  }
  return std::nullopt;
}

MaybeFailure CheckOffsets(const Expected& expected, const std::vector<kafka::Position>& committed) {
  std::vector<int32_t> missing;
  for (const kafka::Position& position : committed) {
    if (position.partition >= expected.initialized_partitions) {
      return Failure{
          .reason = v1::RunnerStatus::PARTITIONS_CHANGED,
          .detail = absl::StrCat("partition ", position.partition, " of the input topic ", expected.input_topic,
                                 " is beyond the ", expected.initialized_partitions, " that were initialised")};
    }
    if (position.offset < 0) missing.push_back(position.partition);
  }
  if (missing.empty()) return std::nullopt;
  return Failure{.reason = v1::RunnerStatus::OFFSET_MISSING,
                 .detail = absl::StrCat("no offset is committed for partition ", absl::StrJoin(missing, ", "), " of ",
                                        expected.input_topic, ", and the runner never chooses one")};
}

MaybeFailure CheckIdentities(const kafka::Properties& properties, Pulse* pulse, Expected* expected,
                             int64_t* max_batch_bytes) {
  kafka::Events events;
  kafka::Settings settings;
  auto handle = settings.SetAll(properties).Open(RD_KAFKA_PRODUCER, &events);
  if (!handle.ok()) return FailureOf(handle.status());
  const int64_t begun = Pulse::NowMs();
  absl::StatusOr<std::string> cluster_id;
  do {
    pulse->Beat();
    if (pulse->stop_requested()) return Failure{v1::RunnerStatus::REASON_UNSPECIFIED};
    cluster_id = kafka::ClusterId(handle->get(), kSliceMs);
    rd_kafka_poll(handle->get(), 0);  // for the reasons
  } while (!cluster_id.ok() && Pulse::NowMs() - begun < kReachMs);
  if (!cluster_id.ok()) return Unreached(cluster_id.status(), events);
  if (auto failure = CheckCluster(*expected, *cluster_id)) return failure;

  kafka::TopicProbe probe(handle->get(), {expected->input_topic, expected->output_topic});
  probe.Ask(kReachMs);
  auto topics = probe.Take(kReachMs);
  pulse->Beat();
  if (!topics.has_value())
    return Failure{v1::RunnerStatus::BROKER_UNREACHABLE, "the topics were not described in time"};
  if (!topics->ok()) return Unreached(topics->status(), events);
  if (auto failure = CheckTopics(*expected, **topics)) return failure;
  expected->output_partitions = (**topics)[1].partitions;

  auto limit = kafka::MaxMessageBytes(handle->get(), expected->output_topic, kReachMs);
  pulse->Beat();
  if (limit.ok()) {
    *max_batch_bytes = *limit;
  } else if (absl::IsPermissionDenied(limit.status())) {
    std::fprintf(stderr, "st-runner: the output topic's limit of a batch is not readable, %lld bytes are assumed\n",
                 static_cast<long long>(*max_batch_bytes));
  } else {
    return Unreached(limit.status(), events);
  }
  return std::nullopt;
}

}  // namespace st::runner
