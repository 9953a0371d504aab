#include "lib/execute/facts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/kafka/outrun.h"

namespace st::execute {
namespace {

struct Places {
  std::string application_id;
  std::string input;
  std::string output;
};

template <typename Runner>
Places RunnerPlaces(const Runner& runner) {
  return {runner.application_id(), runner.input().name(), runner.output().name()};
}

Places PlacesOf(const v1::Action& action) {
  switch (action.action_case()) {
    case v1::Action::kCreateTopic:
      return {"", "", action.create_topic().name()};
    case v1::Action::kUpdateTopic:
      return {"", "", action.update_topic().name()};
    case v1::Action::kCreateRunner:
      return RunnerPlaces(action.create_runner());
    case v1::Action::kStartRunner:
      return RunnerPlaces(action.start_runner());
    case v1::Action::kStopRunner:
      return RunnerPlaces(action.stop_runner());
    case v1::Action::kReplaceRunner:
      return RunnerPlaces(action.replace_runner());
    case v1::Action::kRestoreOffsets:
      return RunnerPlaces(action.restore_offsets());
    case v1::Action::ACTION_NOT_SET:
      break;
  }
  return {};
}

absl::Status LookAtRunner(const Places& places, const World& world, transition::Facts* facts) {
  if (world.host == nullptr) return absl::FailedPreconditionError("this action needs a runner host, and there is none");
  auto group = world.cluster->DescribeGroup(places.application_id, {{places.input, facts->input.partitions_size()}});
  if (!group.ok()) return group.status();
  facts->group = *std::move(group);
  const auto& read = facts->group.topics();
  if (std::any_of(read.begin(), read.end(), [&](const auto& one) { return kafka::IsOutrun(facts->input, one); })) {
    auto again = world.cluster->DescribeTopics({places.input});
    if (!again.ok()) return again.status();
    if (again->size() != 1) return absl::InternalError("the broker answered for another number of topics");
    facts->input = std::move(again->front());
  }
  auto host = world.host->Identify();
  if (!host.ok()) return host.status();
  facts->host = *std::move(host);
  auto generations = world.host->Inventory({places.application_id}, host::Depth::kDeep);
  if (!generations.ok()) return generations.status();
  for (v1::GenerationFacts& generation : *generations) *facts->host.add_generations() = std::move(generation);
  auto volumes = world.host->Volumes({places.application_id});
  if (!volumes.ok()) return volumes.status();
  for (v1::VolumeFacts& volume : *volumes) *facts->host.add_volumes() = std::move(volume);
  return absl::OkStatus();
}

std::string DescribeTopic(const v1::TopicFacts& topic) {
  switch (topic.presence()) {
    case v1::ABSENT:
      return absl::StrCat("topic ", topic.name(), ": absent\n");
    case v1::PRESENT:
      return absl::StrCat("topic ", topic.name(), ": id ", topic.topic_id(), ", ", topic.partitions_size(),
                          " partitions\n");
    default:
      return absl::StrCat("topic ", topic.name(), ": not visible\n");
  }
}

}  // namespace

std::string ApplicationId(const v1::Action& action) { return PlacesOf(action).application_id; }

absl::StatusOr<transition::Facts> Look(const v1::Action& action, const World& world) {
  const Places places = PlacesOf(action);
  transition::Facts facts;
  auto cluster = world.cluster->DescribeCluster();
  if (!cluster.ok()) return cluster.status();
  facts.cluster = *std::move(cluster);
  std::vector<std::string> names;
  if (!places.input.empty()) names.push_back(places.input);
  names.push_back(places.output);
  auto topics = world.cluster->DescribeTopics(names);
  if (!topics.ok()) return topics.status();
  if (topics->size() != names.size()) return absl::InternalError("the broker answered for another number of topics");
  facts.output = std::move(topics->back());
  if (!places.input.empty()) facts.input = std::move(topics->front());
  if (!places.application_id.empty()) {
    if (absl::Status status = LookAtRunner(places, world, &facts); !status.ok()) return status;
  }
  // Read last: a status that is written meanwhile must not look as if it came from the future of this look.
  facts.now_ms = world.clock->NowMs();
  return facts;
}

std::string Describe(const v1::Action& action, const transition::Facts& facts) {
  const Places places = PlacesOf(action);
  std::string text = absl::StrCat("cluster ", facts.cluster.cluster_id(), "\n");
  if (!places.input.empty()) absl::StrAppend(&text, DescribeTopic(facts.input));
  absl::StrAppend(&text, DescribeTopic(facts.output));
  if (places.application_id.empty()) return text;
  absl::StrAppend(&text, "group ", places.application_id, ": ", v1::GroupFacts::State_Name(facts.group.state()), ", ",
                  facts.group.members_size(), " members\n");
  for (const v1::GroupOffsets& offsets : facts.group.topics()) {
    for (const v1::GroupOffset& offset : offsets.offsets()) {
      absl::StrAppend(&text, "  ", offsets.topic(), "[", offset.partition(),
                      "]: ", offset.unstable() ? std::string("pending") : absl::StrCat(offset.offset()), "\n");
    }
  }
  for (const v1::GenerationFacts& generation : facts.host.generations()) {
    absl::StrAppend(&text, "generation ", generation.generation_id(), ": ",
                    v1::GenerationFacts::State_Name(generation.state()), ", status ",
                    generation.has_status() ? v1::RunnerStatus::State_Name(generation.status().state()) : "none",
                    generation.exit_code_known() ? absl::StrCat(", exit code ", generation.exit_code()) : "", ", at ",
                    generation.location(), generation.detail().empty() ? "" : ": ", generation.detail(), "\n");
  }
  for (const v1::VolumeFacts& volume : facts.host.volumes()) {
    absl::StrAppend(&text, "volume ", volume.instance_id().empty() ? "that is not ours" : volume.instance_id(),
                    volume.detail().empty() ? "" : ": ", volume.detail(), "\n");
  }
  if (facts.host.volumes().empty()) absl::StrAppend(&text, "no volume\n");
  if (facts.host.generations().empty()) absl::StrAppend(&text, "no generation on host ", facts.host.host_id(), "\n");
  return text;
}

}  // namespace st::execute
