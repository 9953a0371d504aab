#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/dev/kafka-probe/probe_client.h"
#include "tools/dev/kafka-probe/probe_commands.h"

namespace st::probe {

namespace {

using NewTopic = Owned<rd_kafka_NewTopic_t, rd_kafka_NewTopic_destroy>;
using DeleteTopic = Owned<rd_kafka_DeleteTopic_t, rd_kafka_DeleteTopic_destroy>;
using TopicNames = Owned<rd_kafka_TopicCollection_t, rd_kafka_TopicCollection_destroy>;
using ConfigResource = Owned<rd_kafka_ConfigResource_t, rd_kafka_ConfigResource_destroy>;
using GroupOffsets = Owned<rd_kafka_ListConsumerGroupOffsets_t, rd_kafka_ListConsumerGroupOffsets_destroy>;

absl::Status FirstError(const rd_kafka_topic_result_t** topics, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (rd_kafka_topic_result_error(topics[i]) == RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    const char* text = rd_kafka_topic_result_error_string(topics[i]);
    return absl::UnknownError(absl::StrCat(rd_kafka_topic_result_name(topics[i]), ": ",
                                           rd_kafka_err2name(rd_kafka_topic_result_error(topics[i])), ": ",
                                           text == nullptr ? "" : text));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> TopicId(rd_kafka_t* client, const Options& options) {
  const char* names[] = {options.name.c_str()};
  const TopicNames collection(rd_kafka_TopicCollection_of_topic_names(names, 1));
  const auto event = Ask(client, options.timeout_ms, [&](rd_kafka_queue_t* queue) {
    rd_kafka_DescribeTopics(client, collection.get(), nullptr, queue);
  });
  if (!event.ok()) return event.status();
  size_t count = 0;
  const auto** topics =
      rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event->get()), &count);
  if (auto s = ToStatus(rd_kafka_TopicDescription_error(topics[0]), options.name); !s.ok()) return s;
  return rd_kafka_Uuid_base64str(rd_kafka_TopicDescription_topic_id(topics[0]));
}

// The configs that are set on the topic itself, as the members of a JSON object.
absl::StatusOr<std::string> TopicConfigs(rd_kafka_t* client, const Options& options) {
  const ConfigResource resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, options.name.c_str()));
  rd_kafka_ConfigResource_t* resources[] = {resource.get()};
  const auto event = Ask(client, options.timeout_ms, [&](rd_kafka_queue_t* queue) {
    rd_kafka_DescribeConfigs(client, resources, 1, nullptr, queue);
  });
  if (!event.ok()) return event.status();
  size_t count = 0;
  const auto** described =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event->get()), &count);
  if (auto s = ToStatus(rd_kafka_ConfigResource_error(described[0]), options.name); !s.ok()) return s;
  const auto** entries = rd_kafka_ConfigResource_configs(described[0], &count);
  std::set<std::string> members;
  for (size_t i = 0; i < count; ++i) {
    if (rd_kafka_ConfigEntry_source(entries[i]) != RD_KAFKA_CONFIG_SOURCE_DYNAMIC_TOPIC_CONFIG) continue;
    members.insert(
        absl::StrCat(Quote(rd_kafka_ConfigEntry_name(entries[i])), ":", Quote(rd_kafka_ConfigEntry_value(entries[i]))));
  }
  return absl::StrJoin(members, ",");
}

std::string MembersOf(const rd_kafka_ConsumerGroupDescription_t* group) {
  std::vector<std::string> members;
  for (size_t i = 0; i < rd_kafka_ConsumerGroupDescription_member_count(group); ++i) {
    const auto* member = rd_kafka_ConsumerGroupDescription_member(group, i);
    const auto* assigned = rd_kafka_MemberAssignment_partitions(rd_kafka_MemberDescription_assignment(member));
    std::vector<std::string> partitions;
    for (int p = 0; assigned != nullptr && p < assigned->cnt; ++p) {
      partitions.push_back(absl::StrFormat(R"({"topic":%s,"partition":%d})", Quote(assigned->elems[p].topic),
                                           assigned->elems[p].partition));
    }
    members.push_back(absl::StrFormat(R"({"member":%s,"client_id":%s,"host":%s,"partitions":[%s]})",
                                      Quote(rd_kafka_MemberDescription_consumer_id(member)),
                                      Quote(rd_kafka_MemberDescription_client_id(member)),
                                      Quote(rd_kafka_MemberDescription_host(member)), absl::StrJoin(partitions, ",")));
  }
  return absl::StrJoin(members, ",");
}

absl::StatusOr<std::string> CommittedOffsets(rd_kafka_t* client, const Options& options) {
  const GroupOffsets wanted(rd_kafka_ListConsumerGroupOffsets_new(options.name.c_str(), nullptr));
  rd_kafka_ListConsumerGroupOffsets_t* all_wanted[] = {wanted.get()};
  const auto event = Ask(client, options.timeout_ms, [&](rd_kafka_queue_t* queue) {
    rd_kafka_ListConsumerGroupOffsets(client, all_wanted, 1, nullptr, queue);
  });
  if (!event.ok()) return event.status();
  size_t count = 0;
  const auto** groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event->get()), &count);
  if (auto s = ToStatus(rd_kafka_group_result_error(groups[0]), options.name); !s.ok()) return s;
  const auto* partitions = rd_kafka_group_result_partitions(groups[0]);
  std::set<std::string> offsets;
  for (int i = 0; partitions != nullptr && i < partitions->cnt; ++i) {
    const auto& at = partitions->elems[i];
    if (auto s = ToStatus(at.err, at.topic); !s.ok()) return s;
    offsets.insert(
        absl::StrFormat(R"({"topic":%s,"partition":%d,"offset":%d})", Quote(at.topic), at.partition, at.offset));
  }
  return absl::StrJoin(offsets, ",");
}

// The ends of a partition as the members of a JSON object. A topic that was made just now, or a broker that was
// started, may have no leader for a moment: it is asked again until the time is over.
absl::StatusOr<std::string> EndsOf(rd_kafka_t* client, const Options& options, int32_t partition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options.timeout_ms);
  while (true) {
    int64_t begin = 0;
    int64_t end = 0;
    const auto error =
        rd_kafka_query_watermark_offsets(client, options.name.c_str(), partition, &begin, &end, options.timeout_ms);
    const bool may_pass = error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
                          error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
                          error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
                          error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION || error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC;
    if (!may_pass || std::chrono::steady_clock::now() >= deadline) {
      if (auto s = ToStatus(error, "offsets"); !s.ok()) return s;
      return absl::StrFormat(R"("begin":%d,"end":%d)", begin, end);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

absl::Status Topics(const Options& options) {
  const auto client = Connect(options, RD_KAFKA_PRODUCER);
  if (!client.ok()) return client.status();
  const rd_kafka_metadata_t* answer = nullptr;
  const auto error = rd_kafka_metadata(client->get(), 1, nullptr, &answer, options.timeout_ms);
  if (auto s = ToStatus(error, "metadata"); !s.ok()) return s;
  const Owned<const rd_kafka_metadata_t, rd_kafka_metadata_destroy> metadata(answer);
  std::set<std::string> names;
  for (int i = 0; i < metadata->topic_cnt; ++i) names.insert(metadata->topics[i].topic);
  for (const std::string& name : names) std::puts(name.c_str());
  return absl::OkStatus();
}

absl::Status Topic(const Options& options) {
  const auto client = Connect(options, RD_KAFKA_PRODUCER);
  if (!client.ok()) return client.status();
  const auto id = TopicId(client->get(), options);
  if (!id.ok()) return id.status();
  const auto configs = TopicConfigs(client->get(), options);
  if (!configs.ok()) return configs.status();
  const auto numbers = PartitionsOf(client->get(), options.name, options.timeout_ms);
  if (!numbers.ok()) return numbers.status();
  std::vector<std::string> partitions;
  for (const int32_t number : *numbers) {
    const auto ends = EndsOf(client->get(), options, number);
    if (!ends.ok()) return ends.status();
    partitions.push_back(absl::StrFormat(R"({"partition":%d,%s})", number, *ends));
  }
  absl::PrintF("{\"topic\":%s,\"id\":%s,\"partitions\":[%s],\"configs\":{%s}}\n", Quote(options.name), Quote(*id),
               absl::StrJoin(partitions, ","), *configs);
  return absl::OkStatus();
}

absl::Status Create(const Options& options) {
  const auto client = Connect(options, RD_KAFKA_PRODUCER);
  if (!client.ok()) return client.status();
  char text[512];
  const NewTopic topic(
      rd_kafka_NewTopic_new(options.name.c_str(), options.partitions, options.replication_factor, text, sizeof(text)));
  if (topic == nullptr) return absl::InvalidArgumentError(text);
  for (const auto& [key, value] : options.configs) {
    const auto error = rd_kafka_NewTopic_set_config(topic.get(), key.c_str(), value.c_str());
    if (auto s = ToStatus(error, key); !s.ok()) return s;
  }
  rd_kafka_NewTopic_t* topics[] = {topic.get()};
  const auto event = Ask(client->get(), options.timeout_ms, [&](rd_kafka_queue_t* queue) {
    rd_kafka_CreateTopics(client->get(), topics, 1, nullptr, queue);
  });
  if (!event.ok()) return event.status();
  size_t count = 0;
  const auto** results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event->get()), &count);
  if (auto s = FirstError(results, count); !s.ok()) return s;
  // Whoever asked for a topic wants to use it.
  for (int32_t partition = 0; partition < options.partitions; ++partition) {
    if (const auto ends = EndsOf(client->get(), options, partition); !ends.ok()) return ends.status();
  }
  return absl::OkStatus();
}

absl::Status Delete(const Options& options) {
  const auto client = Connect(options, RD_KAFKA_PRODUCER);
  if (!client.ok()) return client.status();
  const DeleteTopic topic(rd_kafka_DeleteTopic_new(options.name.c_str()));
  rd_kafka_DeleteTopic_t* topics[] = {topic.get()};
  const auto event = Ask(client->get(), options.timeout_ms, [&](rd_kafka_queue_t* queue) {
    rd_kafka_DeleteTopics(client->get(), topics, 1, nullptr, queue);
  });
  if (!event.ok()) return event.status();
  size_t count = 0;
  const auto** results = rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event->get()), &count);
  return FirstError(results, count);
}

absl::Status Group(const Options& options) {
  const auto client = Connect(options, RD_KAFKA_PRODUCER);
  if (!client.ok()) return client.status();
  const char* names[] = {options.name.c_str()};
  const auto event = Ask(client->get(), options.timeout_ms, [&](rd_kafka_queue_t* queue) {
    rd_kafka_DescribeConsumerGroups(client->get(), names, 1, nullptr, queue);
  });
  if (!event.ok()) return event.status();
  size_t count = 0;
  const auto** groups =
      rd_kafka_DescribeConsumerGroups_result_groups(rd_kafka_event_DescribeConsumerGroups_result(event->get()), &count);
  if (auto s = ToStatus(rd_kafka_ConsumerGroupDescription_error(groups[0]), options.name); !s.ok()) return s;
  const auto offsets = CommittedOffsets(client->get(), options);
  if (!offsets.ok()) return offsets.status();
  const auto state = rd_kafka_ConsumerGroupDescription_state(groups[0]);
  absl::PrintF("{\"group\":%s,\"state\":%s,\"members\":[%s],\"offsets\":[%s]}\n", Quote(options.name),
               Quote(rd_kafka_consumer_group_state_name(state)), MembersOf(groups[0]), *offsets);
  return absl::OkStatus();
}

}  // namespace st::probe
