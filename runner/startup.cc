#include "runner/startup.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/kafka/handle.h"
#include "lib/kafka/refusal.h"

namespace st::runner {
namespace {

constexpr int kReachMs = 30000;
// After that a reason that does not pass ends the waiting: a broker that just starts may not know its users yet.
constexpr int kPatienceMs = 3000;

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
Failure Unreached(const absl::Status& status, const std::string& trouble, const kafka::Properties& properties) {
  Failure failure = FailureOf(status);
  if (trouble.empty() || failure.reason == v1::RunnerStatus::NOT_AUTHORIZED) return failure;
  const std::string known = kafka::ExplainTrouble(trouble, properties).sentence;
  absl::StrAppend(&failure.detail, ": ", known.empty() ? trouble : known);
  return failure;
}

// Asks until there is an answer, or waiting for one is pointless. `trouble`: why there is none.
absl::StatusOr<std::string> AwaitClusterId(rd_kafka_t* handle, const kafka::Events& events,
                                           const kafka::Properties& properties, Pulse* pulse, std::string* trouble) {
  const int64_t begun = Pulse::NowMs();
  bool looked = false;
  while (true) {
    pulse->Beat();
    absl::StatusOr<std::string> cluster_id = kafka::ClusterId(handle, kSliceMs);
    if (cluster_id.ok() || pulse->stop_requested()) return cluster_id;
    rd_kafka_poll(handle, 0);  // for the reasons
    *trouble = events.Trouble();
    const int64_t waited = Pulse::NowMs() - begun;
    if (waited >= kReachMs) return cluster_id;
    if (looked || waited < kPatienceMs || trouble->empty()) continue;
    looked = true;
    if (kafka::ExplainTrouble(*trouble, properties).is_final) return cluster_id;
  }
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
  if (input.partitions < expected.initialized_partitions) {
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

absl::StatusOr<std::vector<kafka::TopicIdentity>> AskTopics(rd_kafka_t* handle, const Expected& expected,
                                                            Pulse* pulse) {
  kafka::TopicProbe probe(handle, {expected.input_topic, expected.output_topic});
  probe.Ask(kReachMs);
  const int64_t begun = Pulse::NowMs();
  while (Pulse::NowMs() - begun < kReachMs) {
    pulse->Beat();
    if (pulse->stop_requested()) return absl::CancelledError("asked to stop");
    if (auto topics = probe.Take(kSliceMs)) return *std::move(topics);
  }
  return absl::DeadlineExceededError("the topics were not described in time");
}

MaybeFailure CheckIdentities(const kafka::Properties& properties, Pulse* pulse, Log* log, Expected* expected,
                             int64_t* max_batch_bytes) {
  kafka::Events events;
  kafka::Settings settings;
  auto handle = settings.SetAll(properties).Open(RD_KAFKA_PRODUCER, &events);
  if (!handle.ok()) return FailureOf(handle.status());
  std::string trouble;
  absl::StatusOr<std::string> cluster_id = AwaitClusterId(handle->get(), events, properties, pulse, &trouble);
  if (pulse->stop_requested()) return Failure{v1::RunnerStatus::REASON_UNSPECIFIED};
  if (!cluster_id.ok()) return Unreached(cluster_id.status(), trouble, properties);
  if (auto failure = CheckCluster(*expected, *cluster_id)) return failure;

  auto topics = AskTopics(handle->get(), *expected, pulse);
  if (pulse->stop_requested()) return Failure{v1::RunnerStatus::REASON_UNSPECIFIED};
  if (!topics.ok()) return Unreached(topics.status(), events.Trouble(), properties);
  if (auto failure = CheckTopics(*expected, *topics)) return failure;
  expected->input_partitions = (*topics)[0].partitions;
  expected->output_partitions = (*topics)[1].partitions;

  auto limit = kafka::MaxMessageBytes(handle->get(), expected->output_topic, kReachMs, [pulse] {
    pulse->Beat();
    return !pulse->stop_requested();
  });
  if (pulse->stop_requested()) return Failure{v1::RunnerStatus::REASON_UNSPECIFIED};
  if (limit.ok()) {
    *max_batch_bytes = *limit;
  } else if (absl::IsPermissionDenied(limit.status())) {
    log->Say(
        Level::kWarning, "batch limit",
        absl::StrCat("the output topic's limit of a batch is not readable, ", *max_batch_bytes, " bytes are assumed"));
  } else {
    return Unreached(limit.status(), events.Trouble(), properties);
  }
  return std::nullopt;
}

}  // namespace st::runner
