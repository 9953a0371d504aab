#include <chrono>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/dev/kafka-probe/probe_client.h"
#include "tools/dev/kafka-probe/probe_commands.h"

namespace st::probe {

namespace {

using Message = Owned<rd_kafka_message_t, rd_kafka_message_destroy>;

std::string Base64OrNull(const void* bytes, size_t size) {
  if (bytes == nullptr) return "null";
  return absl::StrCat("\"", absl::Base64Escape({static_cast<const char*>(bytes), size}), "\"");
}

std::string HeadersOf(const rd_kafka_message_t* message) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return "";
  std::vector<std::string> pairs;
  const char* name = nullptr;
  const void* value = nullptr;
  for (size_t i = 0, size = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i) {
    pairs.push_back(absl::StrFormat(R"({"key":%s,"value":%s})", Quote(name), Base64OrNull(value, size)));
  }
  return absl::StrJoin(pairs, ",");
}

void PrintJson(const rd_kafka_message_t* message) {
  absl::PrintF("{\"partition\":%d,\"offset\":%d,\"timestamp\":%d,\"key\":%s,\"value\":%s,\"headers\":[%s]}\n",
               message->partition, message->offset, rd_kafka_message_timestamp(message, nullptr),
               Base64OrNull(message->key, message->key_len), Base64OrNull(message->payload, message->len),
               HeadersOf(message));
}

void PrintValue(const rd_kafka_message_t* message) {
  if (message->payload == nullptr) {
    std::puts("null");
    return;
  }
  std::fwrite(message->payload, 1, message->len, stdout);
  std::fputc('\n', stdout);
}

absl::Status AssignFromBeginning(rd_kafka_t* client, const Options& options, std::set<int32_t>* assigned) {
  const auto partitions = PartitionsOf(client, options.name, options.timeout_ms);
  if (!partitions.ok()) return partitions.status();
  const Partitions list(rd_kafka_topic_partition_list_new(static_cast<int>(partitions->size())));
  for (const int32_t partition : *partitions) {
    if (options.partition && *options.partition != partition) continue;
    rd_kafka_topic_partition_list_add(list.get(), options.name.c_str(), partition)->offset = RD_KAFKA_OFFSET_BEGINNING;
    assigned->insert(partition);
  }
  if (assigned->empty()) return absl::NotFoundError(absl::StrCat(options.name, " has no such partition"));
  return ToStatus(rd_kafka_assign(client, list.get()), "assign");
}

// Prints records until the options say that it is enough.
absl::Status Read(rd_kafka_t* client, const Options& options, const std::set<int32_t>& assigned) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(options.timeout_ms);
  const bool has_goal = options.exit_at_end || options.count;
  std::set<int32_t> at_end;
  int64_t read = 0;
  while (std::chrono::steady_clock::now() < deadline) {
    const Message message(rd_kafka_consumer_poll(client, 100));
    if (message == nullptr) {
      std::fflush(stdout);
    } else if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      at_end.insert(message->partition);
    } else if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return absl::UnknownError(rd_kafka_message_errstr(message.get()));
    } else {
      at_end.erase(message->partition);
      options.json ? PrintJson(message.get()) : PrintValue(message.get());
      ++read;
    }
    if (options.count && read >= *options.count) return absl::OkStatus();
    if (options.exit_at_end && at_end == assigned) break;
  }
  if (options.count) return absl::DeadlineExceededError(absl::StrCat("only ", read, " records came"));
  if (has_goal && at_end != assigned) return absl::DeadlineExceededError("the end was not reached in time");
  return absl::OkStatus();
}

}  // namespace

absl::Status Consume(const Options& options) {
  // The group is a name for librdkafka alone: nothing joins it or commits to it.
  const auto client = Connect(options, RD_KAFKA_CONSUMER,
                              {{"group.id", "kafka-probe"},
                               {"enable.auto.commit", "false"},
                               {"enable.partition.eof", "true"},
                               {"allow.auto.create.topics", "false"},
                               {"auto.offset.reset", "error"},
                               {"isolation.level", options.committed ? "read_committed" : "read_uncommitted"}});
  if (!client.ok()) return client.status();
  rd_kafka_poll_set_consumer(client->get());
  std::set<int32_t> assigned;
  if (auto s = AssignFromBeginning(client->get(), options, &assigned); !s.ok()) return s;
  const absl::Status status = Read(client->get(), options, assigned);
  rd_kafka_consumer_close(client->get());
  return status;
}

}  // namespace st::probe
