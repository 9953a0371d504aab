#include "lib/kafka/writes.h"

#include <array>
#include <cstring>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace st::kafka {
namespace {

constexpr size_t kTopicsAtOnce = 500;

// What the broker said to one part of a request.
struct Answer {
  rd_kafka_resp_err_t code = RD_KAFKA_RESP_ERR_NO_ERROR;
  std::string words;
};

absl::StatusOr<NewTopic> Describe(const v1::CreateTopic& topic) {
  std::array<char, 512> words{};
  int replicas = topic.replication_factor() == 0 ? -1 : static_cast<int>(topic.replication_factor());
  NewTopic described(rd_kafka_NewTopic_new(topic.name().c_str(), static_cast<int>(topic.partitions()), replicas,
                                           words.data(), words.size()));
  if (described == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("cannot create topic '", topic.name(), "': ", words.data()));
  }
  for (const v1::TopicConfig& config : topic.configs()) {
    rd_kafka_NewTopic_set_config(described.get(), config.name().c_str(), config.value().c_str());
  }
  return described;
}

Answer ToAnswer(const rd_kafka_topic_result_t* result) {
  return {rd_kafka_topic_result_error(result), std::string(Text(rd_kafka_topic_result_error_string(result)))};
}

std::string CreateRight(std::string_view topic) {
  return absl::StrCat("Create on topic '", topic, "', or on the cluster");
}

std::string AlterConfigsRight(std::string_view topic) { return absl::StrCat("AlterConfigs on topic '", topic, "'"); }

std::string AlterRight(std::string_view topic) { return absl::StrCat("Alter on topic '", topic, "'"); }

v1::TopicVerdict ToVerdict(const std::string& topic, const Answer& answer, std::string_view rights) {
  v1::TopicVerdict verdict;
  verdict.set_topic(topic);
  if (answer.code == RD_KAFKA_RESP_ERR_NO_ERROR) return verdict;
  verdict.set_refused(true);
  verdict.set_code(rd_kafka_err2name(answer.code));
  verdict.set_words(absl::StrCat(answer.words.empty() ? rd_kafka_err2str(answer.code) : answer.words,
                                 MissingRight(answer.code, rights)));
  return verdict;
}

bool IsAnswer(const Answer& answer) { return answer.code == RD_KAFKA_RESP_ERR_NO_ERROR || IsVerdict(answer.code); }

// Of the only topic that a request was about.
absl::StatusOr<Answer> OnlyAnswer(const rd_kafka_topic_result_t** results, size_t count, Effect effect,
                                  std::string_view what) {
  if (count == 1) return ToAnswer(results[0]);
  return ToStatus(RD_KAFKA_RESP_ERR_UNKNOWN, "the broker's answer does not mention the topic", effect, what);
}

absl::StatusOr<Answer> SendPartitions(AdminClient& client, const AdminClient::Request& request, Effect effect,
                                      const std::string& topic, int total, std::string_view what) {
  std::array<char, 512> words{};
  Owned<rd_kafka_NewPartitions_t, rd_kafka_NewPartitions_destroy> partitions(
      rd_kafka_NewPartitions_new(topic.c_str(), static_cast<size_t>(total), words.data(), words.size()));
  if (partitions == nullptr) return absl::InvalidArgumentError(absl::StrCat("cannot ", what, ": ", words.data()));
  rd_kafka_NewPartitions_t* pointer = partitions.get();
  rd_kafka_CreatePartitions(client.handle(), &pointer, 1, request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, effect, what);
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_topic_result_t** results =
      rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event->get()), &count);
  return OnlyAnswer(results, count, effect, what);
}

absl::Status AddChange(rd_kafka_ConfigResource_t* resource, const std::string& name, rd_kafka_AlterConfigOpType_t kind,
                       const char* value) {
  Error error(rd_kafka_ConfigResource_add_incremental_config(resource, name.c_str(), kind, value));
  if (error == nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("cannot change config '", name, "': ", rd_kafka_error_string(error.get())));
}

absl::StatusOr<Answer> SendConfigs(AdminClient& client, const AdminClient::Request& request, Effect effect,
                                   const std::string& topic, const ConfigValues& set,
                                   const std::vector<std::string>& unset, std::string_view what) {
  ConfigResource resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  for (const auto& [name, value] : set) {
    absl::Status status = AddChange(resource.get(), name, RD_KAFKA_ALTER_CONFIG_OP_TYPE_SET, value.c_str());
    if (!status.ok()) return status;
  }
  for (const std::string& name : unset) {
    absl::Status status = AddChange(resource.get(), name, RD_KAFKA_ALTER_CONFIG_OP_TYPE_DELETE, nullptr);
    if (!status.ok()) return status;
  }
  rd_kafka_ConfigResource_t* pointer = resource.get();
  rd_kafka_IncrementalAlterConfigs(client.handle(), &pointer, 1, request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, effect, what);
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_ConfigResource_t** resources = rd_kafka_IncrementalAlterConfigs_result_resources(
      rd_kafka_event_IncrementalAlterConfigs_result(event->get()), &count);
  if (count != 1) {
    return ToStatus(RD_KAFKA_RESP_ERR_UNKNOWN, "the broker's answer does not mention the topic", effect, what);
  }
  return Answer{rd_kafka_ConfigResource_error(resources[0]),
                std::string(Text(rd_kafka_ConfigResource_error_string(resources[0])))};
}

// Verdicts of one piece, in the order of `topics`.
absl::Status ValidatePiece(AdminClient& client, const v1::CreateTopic* topics, size_t count,
                           std::vector<v1::TopicVerdict>* verdicts) {
  std::vector<NewTopic> described;
  for (size_t i = 0; i < count; ++i) {
    absl::StatusOr<NewTopic> one = Describe(topics[i]);
    if (!one.ok()) return one.status();
    described.push_back(*std::move(one));
  }
  std::vector<rd_kafka_NewTopic_t*> pointers = Pointers(described);
  AdminClient::Request request = client.NewValidation(RD_KAFKA_ADMIN_OP_CREATETOPICS);
  rd_kafka_CreateTopics(client.handle(), pointers.data(), pointers.size(), request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kNone, "ask whether topics could be created");
  if (!event.ok()) return event.status();
  size_t answered = 0;
  const rd_kafka_topic_result_t** results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event->get()), &answered);
  absl::flat_hash_map<std::string_view, Answer> answers;
  for (size_t i = 0; i < answered; ++i) answers[rd_kafka_topic_result_name(results[i])] = ToAnswer(results[i]);
  for (size_t i = 0; i < count; ++i) {
    std::string what = absl::StrCat("ask whether topic '", topics[i].name(), "' could be created");
    auto found = answers.find(topics[i].name());
    if (found == answers.end()) return absl::UnavailableError(absl::StrCat("cannot ", what, ": no answer about it"));
    if (!IsAnswer(found->second)) {
      return client.ToLook(found->second.code, found->second.words, what);
    }
    verdicts->push_back(ToVerdict(topics[i].name(), found->second, CreateRight(topics[i].name())));
  }
  return absl::OkStatus();
}

absl::StatusOr<PartitionList> ToList(const std::string& topic, const std::vector<v1::PartitionOffset>& offsets,
                                     const std::string& metadata) {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (const v1::PartitionOffset& offset : offsets) {
    if (offset.offset() < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("no offset to commit for partition ", offset.partition(), " of topic '", topic, "'"));
    }
    rd_kafka_topic_partition_t* added =
        rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), offset.partition());
    added->offset = offset.offset();
    rd_kafka_topic_partition_set_leader_epoch(added, offset.leader_epoch());
    added->metadata = std::malloc(metadata.size() + 1);  // freed with the list, by free(3)
    if (added->metadata == nullptr) return absl::ResourceExhaustedError("out of memory");
    std::memcpy(added->metadata, metadata.c_str(), metadata.size() + 1);
    added->metadata_size = metadata.size();
  }
  if (list->cnt == 0) return absl::InvalidArgumentError("no offsets to commit");
  return list;
}

// The worst of the partitions' answers: one of unknown outcome makes the whole unknown.
absl::Status CheckCommitted(const AdminClient& client, const rd_kafka_topic_partition_list_t* list, int asked,
                            const std::string& group, const std::string& what) {
  if (list == nullptr || list->cnt != asked) {
    return ToStatus(RD_KAFKA_RESP_ERR_UNKNOWN, "the broker's answer does not mention every partition", Effect::kChange,
                    what);
  }
  absl::Status worst;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& got = list->elems[i];
    // A group's denial comes with each partition.
    const bool of_group = got.err == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
    const std::string rights =
        of_group ? absl::StrCat("Read on group '", group, "'") : absl::StrCat("Read on topic '", got.topic, "'");
    absl::Status status =
        client.Explain(got.err, "", Effect::kChange, absl::StrCat(what, ", partition ", got.partition), rights);
    if (worst.ok() || absl::IsUnknown(status)) worst = status;
  }
  return worst;
}

}  // namespace

absl::StatusOr<std::vector<v1::TopicVerdict>> ValidateCreate(AdminClient& client,
                                                             const std::vector<v1::CreateTopic>& topics) {
  std::vector<v1::TopicVerdict> verdicts;
  for (size_t begin = 0; begin < topics.size(); begin += kTopicsAtOnce) {
    size_t count = std::min(kTopicsAtOnce, topics.size() - begin);
    absl::Status status = client.Settle([&] {
      verdicts.resize(begin);
      return ValidatePiece(client, topics.data() + begin, count, &verdicts);
    });
    if (!status.ok()) return status;
  }
  return verdicts;
}

absl::StatusOr<v1::TopicVerdict> ValidateUpdate(AdminClient& client, const std::string& topic, const ConfigValues& set,
                                                const std::vector<std::string>& unset, int partitions) {
  std::string what = absl::StrCat("ask whether topic '", topic, "' could be changed");
  Answer answer;
  bool of_configs = true;
  absl::Status status = client.Settle([&] {
    absl::StatusOr<Answer> got = Answer();
    if (!set.empty() || !unset.empty()) {
      AdminClient::Request request = client.NewValidation(RD_KAFKA_ADMIN_OP_INCREMENTALALTERCONFIGS);
      got = SendConfigs(client, request, Effect::kNone, topic, set, unset, what);
    }
    if (got.ok() && got->code == RD_KAFKA_RESP_ERR_NO_ERROR && partitions > 0) {
      AdminClient::Request request = client.NewValidation(RD_KAFKA_ADMIN_OP_CREATEPARTITIONS);
      of_configs = false;
      got = SendPartitions(client, request, Effect::kNone, topic, partitions, what);
    }
    if (!got.ok()) return got.status();
    answer = *got;
    return IsAnswer(answer) ? absl::OkStatus() : client.ToLook(answer.code, answer.words, what);
  });
  if (!status.ok()) return status;
  return ToVerdict(topic, answer, of_configs ? AlterConfigsRight(topic) : AlterRight(topic));
}

absl::Status CreateTopic(AdminClient& client, const v1::CreateTopic& topic) {
  std::string what = absl::StrCat("create topic '", topic.name(), "'");
  absl::StatusOr<NewTopic> described = Describe(topic);
  if (!described.ok()) return described.status();
  rd_kafka_NewTopic_t* pointer = described->get();
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_CREATETOPICS);
  rd_kafka_CreateTopics(client.handle(), &pointer, 1, request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kChange, what);
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_topic_result_t** results =
      rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event->get()), &count);
  absl::StatusOr<Answer> answer = OnlyAnswer(results, count, Effect::kChange, what);
  if (!answer.ok()) return answer.status();
  return client.Explain(answer->code, answer->words, Effect::kChange, what, CreateRight(topic.name()));
}

absl::Status AlterConfigs(AdminClient& client, const std::string& topic, const ConfigValues& set,
                          const std::vector<std::string>& unset) {
  std::string what = absl::StrCat("change the configs of topic '", topic, "'");
  if (set.empty() && unset.empty()) return absl::OkStatus();
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_INCREMENTALALTERCONFIGS);
  absl::StatusOr<Answer> answer = SendConfigs(client, request, Effect::kChange, topic, set, unset, what);
  if (!answer.ok()) return answer.status();
  return client.Explain(answer->code, answer->words, Effect::kChange, what, AlterConfigsRight(topic));
}

absl::Status CreatePartitions(AdminClient& client, const std::string& topic, int total) {
  std::string what = absl::StrCat("give topic '", topic, "' ", total, " partitions");
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_CREATEPARTITIONS);
  absl::StatusOr<Answer> answer = SendPartitions(client, request, Effect::kChange, topic, total, what);
  if (!answer.ok()) return answer.status();
  return client.Explain(answer->code, answer->words, Effect::kChange, what, AlterRight(topic));
}

absl::Status CommitOffsets(AdminClient& client, const std::string& group, const std::string& topic,
                           const std::vector<v1::PartitionOffset>& offsets, const std::string& metadata) {
  std::string what = absl::StrCat("commit offsets of group '", group, "' for topic '", topic, "'");
  absl::StatusOr<PartitionList> list = ToList(topic, offsets, metadata);
  if (!list.ok()) return list.status();
  Owned<rd_kafka_AlterConsumerGroupOffsets_t, rd_kafka_AlterConsumerGroupOffsets_destroy> change(
      rd_kafka_AlterConsumerGroupOffsets_new(group.c_str(), list->get()));
  rd_kafka_AlterConsumerGroupOffsets_t* pointer = change.get();
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS);
  rd_kafka_AlterConsumerGroupOffsets(client.handle(), &pointer, 1, request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kChange, what);
  if (!event.ok()) {
    // Whether that works or not: what became of the offsets is the answer.
    static_cast<void>(client.Reopen());
    return event.status();
  }
  size_t count = 0;
  const rd_kafka_group_result_t** results = rd_kafka_AlterConsumerGroupOffsets_result_groups(
      rd_kafka_event_AlterConsumerGroupOffsets_result(event->get()), &count);
  if (count != 1) return ToStatus(RD_KAFKA_RESP_ERR_UNKNOWN, "no answer about the group", Effect::kChange, what);
  if (const rd_kafka_error_t* error = rd_kafka_group_result_error(results[0]); error != nullptr) {
    return client.Explain(rd_kafka_error_code(error), Text(rd_kafka_error_string(error)), Effect::kChange, what,
                          absl::StrCat("Read on group '", group, "'"));
  }
  return CheckCommitted(client, rd_kafka_group_result_partitions(results[0]), static_cast<int>(offsets.size()), group,
                        what);
}

}  // namespace st::kafka
