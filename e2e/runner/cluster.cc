#include "e2e/runner/cluster.h"

#include <unistd.h>

#include <array>
#include <functional>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"

namespace st::e2e {
namespace {

constexpr int kTimeoutMs = 60000;

struct Release {
  void operator()(rd_kafka_event_t* p) const { rd_kafka_event_destroy(p); }
  void operator()(rd_kafka_queue_t* p) const { rd_kafka_queue_destroy(p); }
  void operator()(rd_kafka_NewTopic_t* p) const { rd_kafka_NewTopic_destroy(p); }
  void operator()(rd_kafka_DeleteTopic_t* p) const { rd_kafka_DeleteTopic_destroy(p); }
  void operator()(rd_kafka_DeleteRecords_t* p) const { rd_kafka_DeleteRecords_destroy(p); }
  void operator()(rd_kafka_DeleteConsumerGroupOffsets_t* p) const { rd_kafka_DeleteConsumerGroupOffsets_destroy(p); }
  void operator()(rd_kafka_NewPartitions_t* p) const { rd_kafka_NewPartitions_destroy(p); }
  void operator()(rd_kafka_UserScramCredentialAlteration_t* p) const {
    rd_kafka_UserScramCredentialAlteration_destroy(p);
  }
  void operator()(rd_kafka_TopicCollection_t* p) const { rd_kafka_TopicCollection_destroy(p); }
  void operator()(rd_kafka_topic_partition_list_t* p) const { rd_kafka_topic_partition_list_destroy(p); }
  void operator()(rd_kafka_t* p) const { rd_kafka_destroy(p); }
  void operator()(rd_kafka_error_t* p) const { rd_kafka_error_destroy(p); }
  void operator()(rd_kafka_message_t* p) const { rd_kafka_message_destroy(p); }
};
template <typename T>
using Owned = std::unique_ptr<T, Release>;

void Check(rd_kafka_resp_err_t code, std::string_view what) {
  ABSL_CHECK_EQ(code, RD_KAFKA_RESP_ERR_NO_ERROR) << what << ": " << rd_kafka_err2str(code);
}

void Check(rd_kafka_error_t* error, std::string_view what) {
  Owned<rd_kafka_error_t> owned(error);
  ABSL_CHECK(error == nullptr) << what << ": " << rd_kafka_error_string(error);
}

bool IsBeforeCoordinator(rd_kafka_resp_err_t code) {
  return code == RD_KAFKA_RESP_ERR_NOT_COORDINATOR || code == RD_KAFKA_RESP_ERR_COORDINATOR_LOAD_IN_PROGRESS ||
         code == RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE;
}

// The answer to one admin request.
Owned<rd_kafka_event_t> Ask(rd_kafka_t* client, const std::function<void(rd_kafka_queue_t*)>& start) {
  Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(client));
  start(queue.get());
  Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue.get(), kTimeoutMs));
  ABSL_CHECK(event != nullptr) << "no answer to an admin request";
  ABSL_CHECK(rd_kafka_event_error(event.get()) == RD_KAFKA_RESP_ERR_NO_ERROR)
      << rd_kafka_event_error_string(event.get());
  return event;
}

void CheckTopicResults(const rd_kafka_topic_result_t** results, size_t count) {
  ABSL_CHECK_EQ(count, size_t{1});
  Check(rd_kafka_topic_result_error(results[0]), rd_kafka_topic_result_name(results[0]));
}

Owned<rd_kafka_t> NewClient(rd_kafka_type_t type, const Configs& properties) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  std::array<char, 512> why{};
  for (const auto& [name, value] : properties) {
    ABSL_CHECK(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()) == RD_KAFKA_CONF_OK)
        << why.data();
  }
  if (type == RD_KAFKA_PRODUCER) {
    rd_kafka_conf_set_dr_msg_cb(conf, [](rd_kafka_t*, const rd_kafka_message_t* message, void*) {
      ABSL_CHECK(message->err == RD_KAFKA_RESP_ERR_NO_ERROR || message->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE)
          << rd_kafka_err2str(message->err);
    });
  }
  Owned<rd_kafka_t> client(rd_kafka_new(type, conf, why.data(), why.size()));
  ABSL_CHECK(client != nullptr) << why.data();
  return client;
}

void ProduceOne(rd_kafka_t* client, const std::string& topic, const Record& record) {
  rd_kafka_headers_t* headers = nullptr;
  if (!record.headers.empty()) headers = rd_kafka_headers_new(record.headers.size());
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value ? value->data() : nullptr,
                        value ? static_cast<ssize_t>(value->size()) : 0);
  }
  char* value = record.value ? const_cast<char*>(record.value->data()) : nullptr;
  char* key = record.key ? const_cast<char*>(record.key->data()) : nullptr;
  const size_t value_size = record.value ? record.value->size() : 0;
  const size_t key_size = record.key ? record.key->size() : 0;
  while (true) {
    auto code = rd_kafka_producev(client, RD_KAFKA_V_TOPIC(topic.c_str()), RD_KAFKA_V_PARTITION(record.partition),
                                  RD_KAFKA_V_VALUE(value, value_size), RD_KAFKA_V_KEY(key, key_size),
                                  RD_KAFKA_V_TIMESTAMP(record.timestamp_ms), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
                                  RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR) return;
    ABSL_CHECK(code == RD_KAFKA_RESP_ERR__QUEUE_FULL) << rd_kafka_err2str(code);
    rd_kafka_poll(client, 100);
  }
}

Record FromMessage(rd_kafka_message_t* message) {
  Record record{.partition = message->partition};
  if (message->key != nullptr) record.key = std::string(static_cast<char*>(message->key), message->key_len);
  if (message->payload != nullptr) record.value = std::string(static_cast<char*>(message->payload), message->len);
  rd_kafka_timestamp_type_t type;
  record.timestamp_ms = rd_kafka_message_timestamp(message, &type);
  record.offset = message->offset;
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return record;
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  for (size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++i) {
    std::optional<std::string> text;
    if (value != nullptr) text = std::string(static_cast<const char*>(value), size);
    record.headers.emplace_back(name, text);
  }
  return record;
}

// With the records written and the transaction open.
Owned<rd_kafka_t> BeginTransaction(const std::string& servers, const std::string& topic,
                                   const std::vector<Record>& records) {
  auto client = NewClient(RD_KAFKA_PRODUCER,
                          {{"bootstrap.servers", servers}, {"transactional.id", absl::StrCat("test-", getpid())}});
  Check(rd_kafka_init_transactions(client.get(), kTimeoutMs), "init");
  Check(rd_kafka_begin_transaction(client.get()), "begin");
  for (const Record& record : records) ProduceOne(client.get(), topic, record);
  Check(rd_kafka_flush(client.get(), kTimeoutMs), "flushing");
  return client;
}

}  // namespace

Cluster::Cluster(const std::string& servers)
    : servers_(servers), client_(NewClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", servers}}).release()) {}

Cluster::~Cluster() { rd_kafka_destroy(client_); }

std::string Cluster::ClusterId() {
  char* id = rd_kafka_clusterid(client_, kTimeoutMs);
  ABSL_CHECK(id != nullptr);
  std::string copy = id;
  rd_kafka_mem_free(client_, id);
  return copy;
}

void Cluster::CreateTopic(const std::string& topic, int partitions, const Configs& configs) {
  std::array<char, 512> why{};
  Owned<rd_kafka_NewTopic_t> wanted(rd_kafka_NewTopic_new(topic.c_str(), partitions, 1, why.data(), why.size()));
  ABSL_CHECK(wanted != nullptr) << why.data();
  for (const auto& [name, value] : configs) rd_kafka_NewTopic_set_config(wanted.get(), name.c_str(), value.c_str());
  rd_kafka_NewTopic_t* topics[] = {wanted.get()};
  auto event =
      Ask(client_, [&](rd_kafka_queue_t* queue) { rd_kafka_CreateTopics(client_, topics, 1, nullptr, queue); });
  size_t count = 0;
  auto** results = rd_kafka_CreateTopics_result_topics(rd_kafka_event_CreateTopics_result(event.get()), &count);
  CheckTopicResults(results, count);
  // Made, but a broker under load may not show it yet.
  const int64_t until = base::RealClock().MonotonicMs() + kTimeoutMs;
  while (FindTopicId(topic).empty()) ABSL_CHECK_LT(base::RealClock().MonotonicMs(), until) << topic;
}

void Cluster::DeleteTopic(const std::string& topic) {
  Owned<rd_kafka_DeleteTopic_t> wanted(rd_kafka_DeleteTopic_new(topic.c_str()));
  rd_kafka_DeleteTopic_t* topics[] = {wanted.get()};
  auto event =
      Ask(client_, [&](rd_kafka_queue_t* queue) { rd_kafka_DeleteTopics(client_, topics, 1, nullptr, queue); });
  size_t count = 0;
  auto** results = rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event.get()), &count);
  CheckTopicResults(results, count);
}

void Cluster::DeleteRecords(const std::string& topic, int32_t partition, int64_t offset) {
  Owned<rd_kafka_topic_partition_list_t> before(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(before.get(), topic.c_str(), partition)->offset = offset;
  Owned<rd_kafka_DeleteRecords_t> wanted(rd_kafka_DeleteRecords_new(before.get()));
  rd_kafka_DeleteRecords_t* topics[] = {wanted.get()};
  auto event =
      Ask(client_, [&](rd_kafka_queue_t* queue) { rd_kafka_DeleteRecords(client_, topics, 1, nullptr, queue); });
  const rd_kafka_topic_partition_list_t* done =
      rd_kafka_DeleteRecords_result_offsets(rd_kafka_event_DeleteRecords_result(event.get()));
  Check(done->elems[0].err, "deleting records");
}

void Cluster::DeleteOffsets(const std::string& group, const std::string& topic, int partitions) {
  Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(partitions));
  rd_kafka_topic_partition_list_add_range(list.get(), topic.c_str(), 0, partitions - 1);
  Owned<rd_kafka_DeleteConsumerGroupOffsets_t> wanted(
      rd_kafka_DeleteConsumerGroupOffsets_new(group.c_str(), list.get()));
  rd_kafka_DeleteConsumerGroupOffsets_t* groups[] = {wanted.get()};
  auto event = Ask(client_, [&](rd_kafka_queue_t* queue) {
    rd_kafka_DeleteConsumerGroupOffsets(client_, groups, 1, nullptr, queue);
  });
  size_t count = 0;
  const rd_kafka_group_result_t** results = rd_kafka_DeleteConsumerGroupOffsets_result_groups(
      rd_kafka_event_DeleteConsumerGroupOffsets_result(event.get()), &count);
  ABSL_CHECK_EQ(count, size_t{1});
  Check(rd_kafka_group_result_error(results[0]) == nullptr
            ? RD_KAFKA_RESP_ERR_NO_ERROR
            : rd_kafka_error_code(rd_kafka_group_result_error(results[0])),
        "deleting offsets");
}

void Cluster::AddPartitions(const std::string& topic, int total) {
  std::array<char, 512> why{};
  Owned<rd_kafka_NewPartitions_t> wanted(
      rd_kafka_NewPartitions_new(topic.c_str(), static_cast<size_t>(total), why.data(), why.size()));
  ABSL_CHECK(wanted != nullptr) << why.data();
  rd_kafka_NewPartitions_t* topics[] = {wanted.get()};
  auto event =
      Ask(client_, [&](rd_kafka_queue_t* queue) { rd_kafka_CreatePartitions(client_, topics, 1, nullptr, queue); });
  size_t count = 0;
  auto** results = rd_kafka_CreatePartitions_result_topics(rd_kafka_event_CreatePartitions_result(event.get()), &count);
  CheckTopicResults(results, count);
}

std::string Cluster::FindTopicId(const std::string& topic) {
  const char* names[] = {topic.c_str()};
  Owned<rd_kafka_TopicCollection_t> topics(rd_kafka_TopicCollection_of_topic_names(names, 1));
  auto event =
      Ask(client_, [&](rd_kafka_queue_t* queue) { rd_kafka_DescribeTopics(client_, topics.get(), nullptr, queue); });
  size_t count = 0;
  auto** answers = rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event.get()), &count);
  ABSL_CHECK_EQ(count, size_t{1});
  const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(answers[0]);
  if (error != nullptr && rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return {};
  ABSL_CHECK(error == nullptr || rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_NO_ERROR)
      << rd_kafka_error_string(error);
  // The client library writes `+` and `/` where Kafka writes `-` and `_`.
  std::string id = rd_kafka_Uuid_base64str(rd_kafka_TopicDescription_topic_id(answers[0]));
  for (char& c : id) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return id;
}

std::string Cluster::TopicId(const std::string& topic) {
  std::string id = FindTopicId(topic);
  ABSL_CHECK(!id.empty()) << topic;
  return id;
}

void Cluster::Produce(const std::string& topic, const std::vector<Record>& records) {
  auto client = NewClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", servers_},
                                              {"enable.idempotence", "true"},
                                              {"linger.ms", "20"},
                                              {"message.max.bytes", "2000000"}});
  for (const Record& record : records) ProduceOne(client.get(), topic, record);
  Check(rd_kafka_flush(client.get(), kTimeoutMs), "flushing");
}

void Cluster::ProduceInTransaction(const std::string& topic, const std::vector<Record>& records, bool commit) {
  auto client = BeginTransaction(servers_, topic, records);
  Check(commit ? rd_kafka_commit_transaction(client.get(), kTimeoutMs)
               : rd_kafka_abort_transaction(client.get(), kTimeoutMs),
        "end of the transaction");
}

std::vector<Record> Cluster::Read(const std::string& topic, int partitions, bool committed) {
  auto client = NewClient(RD_KAFKA_CONSUMER, {{"bootstrap.servers", servers_},
                                              {"group.id", "test-reader"},
                                              {"isolation.level", committed ? "read_committed" : "read_uncommitted"},
                                              {"enable.auto.commit", "false"},
                                              {"auto.offset.reset", "error"},
                                              {"enable.partition.eof", "true"}});
  rd_kafka_poll_set_consumer(client.get());
  Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(partitions));
  for (int i = 0; i < partitions; ++i) rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i)->offset = 0;
  Check(rd_kafka_assign(client.get(), list.get()), "assign");
  std::vector<std::vector<Record>> found(static_cast<size_t>(partitions));
  for (int ended = 0; ended < partitions;) {
    Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(client.get(), kTimeoutMs));
    ABSL_CHECK(message != nullptr) << "no end of " << topic;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      ++ended;
      continue;
    }
    Check(message->err, "reading");
    found[static_cast<size_t>(message->partition)].push_back(FromMessage(message.get()));
  }
  std::vector<Record> all;
  for (auto& part : found) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void Cluster::CommitOffsets(const std::string& group, const std::string& topic, const std::vector<int64_t>& offsets) {
  auto client = NewClient(RD_KAFKA_CONSUMER, {{"bootstrap.servers", servers_}, {"group.id", group}});
  Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(static_cast<int>(offsets.size())));
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] >= 0) {
      rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), static_cast<int32_t>(i))->offset = offsets[i];
    }
  }
  // A fresh broker is still taking over its partitions of offsets; committing the same again is harmless.
  auto committed = RD_KAFKA_RESP_ERR_NOT_COORDINATOR;
  for (const int64_t end = base::RealClock().MonotonicMs() + kTimeoutMs;
       IsBeforeCoordinator(committed) && base::RealClock().MonotonicMs() < end;) {
    committed = rd_kafka_commit(client.get(), list.get(), 0);
  }
  Check(committed, "committing offsets");
  rd_kafka_consumer_close(client.get());
}

std::vector<int64_t> Cluster::Committed(const std::string& group, const std::string& topic, int partitions) {
  auto client =
      NewClient(RD_KAFKA_CONSUMER,
                {{"bootstrap.servers", servers_}, {"group.id", group}, {"isolation.level", "read_uncommitted"}});
  Owned<rd_kafka_topic_partition_list_t> list(rd_kafka_topic_partition_list_new(partitions));
  for (int i = 0; i < partitions; ++i) rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), i);
  Check(rd_kafka_committed(client.get(), list.get(), kTimeoutMs), "committed offsets");
  std::vector<int64_t> offsets;
  for (int i = 0; i < partitions; ++i) {
    Check(list->elems[i].err, "committed offset");
    offsets.push_back(list->elems[i].offset < 0 ? -1 : list->elems[i].offset);
  }
  rd_kafka_consumer_close(client.get());
  return offsets;
}

void Cluster::SetPassword(const std::string& user, const std::string& password) {
  constexpr int kIterations = 4096;  // the least that brokers take
  Owned<rd_kafka_UserScramCredentialAlteration_t> wanted(rd_kafka_UserScramCredentialUpsertion_new(
      user.c_str(), RD_KAFKA_SCRAM_MECHANISM_SHA_256, kIterations,
      reinterpret_cast<const unsigned char*>(password.data()), password.size(), nullptr, 0));
  rd_kafka_UserScramCredentialAlteration_t* users[] = {wanted.get()};
  auto event = Ask(
      client_, [&](rd_kafka_queue_t* queue) { rd_kafka_AlterUserScramCredentials(client_, users, 1, nullptr, queue); });
  size_t count = 0;
  auto** answers = rd_kafka_AlterUserScramCredentials_result_responses(
      rd_kafka_event_AlterUserScramCredentials_result(event.get()), &count);
  ABSL_CHECK_EQ(count, size_t{1});
  const rd_kafka_error_t* error = rd_kafka_AlterUserScramCredentials_result_response_error(answers[0]);
  ABSL_CHECK(error == nullptr || rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_NO_ERROR)
      << rd_kafka_error_string(error);
}

std::string Cluster::GroupState(const std::string& group) {
  const char* names[] = {group.c_str()};
  auto event = Ask(
      client_, [&](rd_kafka_queue_t* queue) { rd_kafka_DescribeConsumerGroups(client_, names, 1, nullptr, queue); });
  size_t count = 0;
  auto** groups =
      rd_kafka_DescribeConsumerGroups_result_groups(rd_kafka_event_DescribeConsumerGroups_result(event.get()), &count);
  ABSL_CHECK_EQ(count, size_t{1});
  return rd_kafka_consumer_group_state_name(rd_kafka_ConsumerGroupDescription_state(groups[0]));
}

OpenTransaction::OpenTransaction(const std::string& servers, const std::string& topic,
                                 const std::vector<Record>& records)
    : client_(BeginTransaction(servers, topic, records).release()) {}

OpenTransaction::~OpenTransaction() {
  Check(rd_kafka_abort_transaction(client_, kTimeoutMs), "abort");
  rd_kafka_destroy(client_);
}

Member::Member(const std::string& servers, const std::string& group, const std::string& topic)
    : client_(NewClient(RD_KAFKA_CONSUMER, {{"bootstrap.servers", servers},
                                            {"group.id", group},
                                            {"partition.assignment.strategy", "range"},
                                            {"enable.auto.commit", "false"}})
                  .release()) {
  rd_kafka_poll_set_consumer(client_);
  Owned<rd_kafka_topic_partition_list_t> topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), topic.c_str(), RD_KAFKA_PARTITION_UA);
  Check(rd_kafka_subscribe(client_, topics.get()), "subscribe");
}

Member::~Member() {
  Check(rd_kafka_consumer_close(client_), "close");
  rd_kafka_destroy(client_);
}

void Member::AwaitAssignment() {
  for (int count = 0; count == 0;) {
    Owned<rd_kafka_message_t> message(rd_kafka_consumer_poll(client_, 100));
    rd_kafka_topic_partition_list_t* assigned = nullptr;
    Check(rd_kafka_assignment(client_, &assigned), "assignment");
    Owned<rd_kafka_topic_partition_list_t> owned(assigned);
    count = assigned->cnt;
  }
}

}  // namespace st::e2e
