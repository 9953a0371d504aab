#include "lib/kafka/topics.h"

#include <algorithm>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "lib/kafka/topic_id.h"

namespace st::kafka {
namespace {

// Topics in one request: their configs come to some 5 kB each.
constexpr size_t kTopicsAtOnce = 500;
// Partitions in one request for offsets: the library's merging of answers takes their square.
constexpr size_t kPartitionsAtOnce = 1000;

// The facts of one piece, by topic name.
using Piece = absl::flat_hash_map<std::string_view, v1::TopicFacts*>;

std::string On(std::string_view right, std::string_view topic) {
  return absl::StrCat(right, " on topic '", topic, "'");
}

std::string About(std::string_view verb, std::string_view topic) { return absl::StrCat(verb, " topic '", topic, "'"); }

void AddPartitions(const rd_kafka_TopicDescription_t* description, v1::TopicFacts* facts) {
  size_t count = 0;
  const rd_kafka_TopicPartitionInfo_t** partitions = rd_kafka_TopicDescription_partitions(description, &count);
  for (size_t i = 0; i < count; ++i) {
    v1::TopicFacts::Partition* partition = facts->add_partitions();
    partition->set_partition(rd_kafka_TopicPartitionInfo_partition(partitions[i]));
    size_t replicas = 0;
    rd_kafka_TopicPartitionInfo_replicas(partitions[i], &replicas);
    partition->set_replicas(static_cast<uint32_t>(replicas));
  }
  std::sort(facts->mutable_partitions()->begin(), facts->mutable_partitions()->end(),
            [](const auto& a, const auto& b) { return a.partition() < b.partition(); });
}

absl::Status TakeDescription(const AdminClient& client, const rd_kafka_TopicDescription_t* description,
                             v1::TopicFacts* facts) {
  const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(description);
  rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
    facts->set_presence(v1::ABSENT);
  } else if (IsHidden(code)) {
    facts->set_presence(v1::NOT_VISIBLE);
    facts->set_detail(absl::StrCat(rd_kafka_error_string(error), MissingRight(code, On("Describe", facts->name()))));
  } else if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client.ToLook(code, Text(rd_kafka_error_string(error)), About("describe", facts->name()));
  } else {
    facts->set_presence(v1::PRESENT);
    facts->set_topic_id(TopicIdText(rd_kafka_TopicDescription_topic_id(description)));
    AddPartitions(description, facts);
  }
  return absl::OkStatus();
}

absl::Status AskPresence(AdminClient& client, const Piece& piece) {
  std::vector<std::string> names;
  std::vector<const char*> pointers;
  names.reserve(piece.size());
  pointers.reserve(piece.size());
  for (const auto& [name, facts] : piece) names.emplace_back(name);
  for (const std::string& name : names) pointers.push_back(name.c_str());
  Owned<rd_kafka_TopicCollection_t, rd_kafka_TopicCollection_destroy> topics(
      rd_kafka_TopicCollection_of_topic_names(pointers.data(), pointers.size()));
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_DESCRIBETOPICS);
  rd_kafka_DescribeTopics(client.handle(), topics.get(), request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kNone, "describe topics");
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_TopicDescription_t** descriptions =
      rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event->get()), &count);
  for (size_t i = 0; i < count; ++i) {
    auto found = piece.find(rd_kafka_TopicDescription_name(descriptions[i]));
    if (found == piece.end()) continue;
    absl::Status status = TakeDescription(client, descriptions[i], found->second);
    if (!status.ok()) return status;
  }
  for (const auto& [name, facts] : piece) {
    if (facts->presence() == v1::PRESENCE_UNSPECIFIED) {
      return absl::UnavailableError(absl::StrCat("the broker's answer does not mention topic '", name, "'"));
    }
  }
  return absl::OkStatus();
}

void AddConfig(const rd_kafka_ConfigEntry_t* entry, v1::TopicFacts* facts) {
  const char* value = rd_kafka_ConfigEntry_value(entry);
  if (value == nullptr || rd_kafka_ConfigEntry_is_sensitive(entry) == 1) return;
  auto add = [&](v1::TopicConfig* config) {
    config->set_name(rd_kafka_ConfigEntry_name(entry));
    config->set_value(value);
  };
  add(facts->add_effective());
  if (rd_kafka_ConfigEntry_source(entry) == RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG) add(facts->add_configs());
}

absl::Status TakeConfigs(const AdminClient& client, const rd_kafka_ConfigResource_t* resource, v1::TopicFacts* facts) {
  rd_kafka_resp_err_t code = rd_kafka_ConfigResource_error(resource);
  std::string_view words = Text(rd_kafka_ConfigResource_error_string(resource));
  if (IsHidden(code)) {
    facts->set_configs_hidden(true);
    facts->set_detail(
        absl::StrCat("its configs are not visible: ", words, MissingRight(code, On("DescribeConfigs", facts->name()))));
    return absl::OkStatus();
  }
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client.ToLook(code, words, About("describe the configs of", facts->name()));
  }
  size_t count = 0;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(resource, &count);
  for (size_t i = 0; i < count; ++i) AddConfig(entries[i], facts);
  for (auto* configs : {facts->mutable_configs(), facts->mutable_effective()}) {
    std::sort(configs->begin(), configs->end(), [](const auto& a, const auto& b) { return a.name() < b.name(); });
  }
  return absl::OkStatus();
}

absl::Status AskConfigs(AdminClient& client, const Piece& present) {
  std::vector<ConfigResource> resources;
  for (const auto& [name, facts] : present) {
    resources.emplace_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, facts->name().c_str()));
  }
  std::vector<rd_kafka_ConfigResource_t*> pointers = Pointers(resources);
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_DescribeConfigs(client.handle(), pointers.data(), pointers.size(), request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kNone, "describe topic configs");
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_ConfigResource_t** answers =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event->get()), &count);
  size_t taken = 0;
  for (size_t i = 0; i < count; ++i) {
    auto found = present.find(rd_kafka_ConfigResource_name(answers[i]));
    if (found == present.end()) continue;
    if (absl::Status status = TakeConfigs(client, answers[i], found->second); !status.ok()) return status;
    ++taken;
  }
  if (taken != present.size())
    return absl::UnavailableError("the broker's answer does not mention every topic's configs");
  return absl::OkStatus();
}

struct Wanted {
  std::string_view topic;
  int32_t partition;
};

// What the library leaves where a broker of several did not answer, without an error; and what says that no record is
// as young as the time asked for.
constexpr int64_t kNoAnswer = RD_KAFKA_OFFSET_INVALID;
constexpr int64_t kNoneThatYoung = -1;

// In the order of `wanted`. `spec`: an end (rd_kafka_OffsetSpec_t), or a time in milliseconds.
absl::StatusOr<std::vector<int64_t>> AskOffsets(AdminClient& client, const std::vector<Wanted>& wanted, int64_t spec) {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(wanted.size())));
  absl::flat_hash_map<std::pair<std::string_view, int32_t>, size_t> places;
  for (const Wanted& one : wanted) {
    rd_kafka_topic_partition_list_add(list.get(), std::string(one.topic).c_str(), one.partition)->offset = spec;
    places.try_emplace({one.topic, one.partition}, places.size());
  }
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_LISTOFFSETS);
  rd_kafka_ListOffsets(client.handle(), list.get(), request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kNone, "list the offsets of topics");
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_ListOffsetsResultInfo_t** infos =
      rd_kafka_ListOffsets_result_infos(rd_kafka_event_ListOffsets_result(event->get()), &count);
  std::vector<int64_t> offsets(wanted.size(), kNoAnswer);
  for (size_t i = 0; i < count; ++i) {
    const rd_kafka_topic_partition_t* got = rd_kafka_ListOffsetsResultInfo_topic_partition(infos[i]);
    std::string what = absl::StrCat("list the offsets of partition ", got->partition, " of topic '", got->topic, "'");
    if (got->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return client.ToLook(got->err, "", what, On("Describe", got->topic));
    }
    if (got->offset < 0 && (spec < 0 || got->offset != kNoneThatYoung)) {
      return client.Explain(RD_KAFKA_RESP_ERR__TRANSPORT, "", Effect::kNone, what);
    }
    if (auto place = places.find({got->topic, got->partition}); place != places.end()) {
      offsets[place->second] = got->offset;
    }
  }
  if (std::find(offsets.begin(), offsets.end(), kNoAnswer) != offsets.end()) {
    return absl::UnavailableError("the broker's answer does not mention every partition's offsets");
  }
  return offsets;
}

// Gives each offset to `take`, with its place in `wanted`.
absl::Status AskInPieces(AdminClient& client, const std::vector<Wanted>& wanted, int64_t spec,
                         absl::FunctionRef<void(size_t at, int64_t offset)> take) {
  for (size_t begin = 0; begin < wanted.size(); begin += kPartitionsAtOnce) {
    const size_t end = std::min(begin + kPartitionsAtOnce, wanted.size());
    const std::vector<Wanted> piece(wanted.begin() + static_cast<ptrdiff_t>(begin),
                                    wanted.begin() + static_cast<ptrdiff_t>(end));
    absl::StatusOr<std::vector<int64_t>> offsets = AskOffsets(client, piece, spec);
    if (!offsets.ok()) return offsets.status();
    for (size_t i = 0; i < offsets->size(); ++i) take(begin + i, (*offsets)[i]);
  }
  return absl::OkStatus();
}

absl::Status AskBothEnds(AdminClient& client, const Piece& present) {
  std::vector<Wanted> wanted;
  std::vector<v1::TopicFacts::Partition*> places;
  for (const auto& [name, facts] : present) {
    for (v1::TopicFacts::Partition& partition : *facts->mutable_partitions()) {
      wanted.push_back({facts->name(), partition.partition()});
      places.push_back(&partition);
    }
  }
  absl::Status status = AskInPieces(client, wanted, RD_KAFKA_OFFSET_SPEC_EARLIEST,
                                    [&](size_t at, int64_t offset) { places[at]->set_begin_offset(offset); });
  if (!status.ok()) return status;
  return AskInPieces(client, wanted, RD_KAFKA_OFFSET_SPEC_LATEST,
                     [&](size_t at, int64_t offset) { places[at]->set_end_offset(offset); });
}

absl::Status LookOnce(AdminClient& client, const Piece& piece) {
  if (absl::Status status = AskPresence(client, piece); !status.ok()) return status;
  Piece present;
  for (const auto& [name, facts] : piece) {
    if (facts->presence() == v1::PRESENT) present[name] = facts;
  }
  if (present.empty()) return absl::OkStatus();
  if (absl::Status status = AskConfigs(client, present); !status.ok()) return status;
  return AskBothEnds(client, present);
}

absl::Status DescribePiece(AdminClient& client, const Piece& piece) {
  return client.Settle([&] {
    for (const auto& [name, facts] : piece) {
      // Not Clear: the key points into the message's own name.
      facts->clear_presence();
      facts->clear_topic_id();
      facts->clear_partitions();
      facts->clear_configs();
      facts->clear_effective();
      facts->clear_detail();
      facts->clear_configs_hidden();
    }
    return LookOnce(client, piece);
  });
}

absl::Status AskCluster(AdminClient& client, v1::ClusterFacts* facts) {
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_DESCRIBECLUSTER);
  rd_kafka_DescribeCluster(client.handle(), request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kNone, "describe the cluster");
  if (!event.ok()) return event.status();
  const rd_kafka_DescribeCluster_result_t* result = rd_kafka_event_DescribeCluster_result(event->get());
  facts->set_cluster_id(std::string(Text(rd_kafka_DescribeCluster_result_cluster_id(result))));
  if (facts->cluster_id().empty()) return absl::UnavailableError("the broker does not say which cluster it belongs to");
  size_t brokers = 0;
  rd_kafka_DescribeCluster_result_nodes(result, &brokers);
  facts->set_brokers(static_cast<uint32_t>(brokers));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::ClusterFacts> DescribeCluster(AdminClient& client) {
  v1::ClusterFacts facts;
  absl::Status status = client.Settle([&] { return AskCluster(client, &facts); });
  if (!status.ok()) return status;
  return facts;
}

absl::StatusOr<std::vector<std::string>> ListTopics(AdminClient& client) {
  const rd_kafka_metadata_t* raw = nullptr;
  rd_kafka_resp_err_t code = rd_kafka_metadata(client.handle(), /*all_topics=*/1, nullptr, &raw, client.timeout_ms());
  client.Drain();
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) return client.Explain(code, "", Effect::kNone, "list topics");
  Owned<const rd_kafka_metadata_t, rd_kafka_metadata_destroy> metadata(raw);
  std::vector<std::string> names;
  names.reserve(static_cast<size_t>(metadata->topic_cnt));
  for (int i = 0; i < metadata->topic_cnt; ++i) names.emplace_back(metadata->topics[i].topic);
  std::sort(names.begin(), names.end());
  return names;
}

absl::StatusOr<std::vector<v1::TopicFacts>> DescribeTopics(AdminClient& client, const std::vector<std::string>& names) {
  absl::flat_hash_map<std::string_view, size_t> first;
  std::vector<v1::TopicFacts> all(names.size());
  Piece piece;
  for (size_t i = 0; i < names.size(); ++i) {
    all[i].set_name(names[i]);
    if (first.try_emplace(names[i], i).second) piece[all[i].name()] = &all[i];
    if (piece.size() < kTopicsAtOnce && i + 1 < names.size()) continue;
    if (piece.empty()) break;
    if (absl::Status status = DescribePiece(client, piece); !status.ok()) return status;
    piece.clear();
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (size_t original = first[names[i]]; original != i) all[i] = all[original];
  }
  return all;
}

absl::StatusOr<std::vector<std::vector<int64_t>>> FindByTime(AdminClient& client,
                                                             const std::vector<std::pair<std::string, int>>& topics,
                                                             int64_t since_ms) {
  std::vector<Wanted> wanted;
  for (const auto& [topic, partitions] : topics) {
    for (int32_t i = 0; i < partitions; ++i) wanted.push_back({topic, i});
  }
  std::vector<int64_t> found(wanted.size());
  absl::Status status = client.Settle(
      [&] { return AskInPieces(client, wanted, since_ms, [&](size_t at, int64_t offset) { found[at] = offset; }); });
  if (!status.ok()) return status;
  std::vector<std::vector<int64_t>> by_topic;
  auto next = found.begin();
  for (const auto& [topic, partitions] : topics) {
    by_topic.emplace_back(next, next + partitions);
    next += partitions;
  }
  return by_topic;
}

}  // namespace st::kafka
