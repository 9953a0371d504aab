#include "tools/dev/kafka-probe/probe_client.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace st::probe {

absl::Status ToStatus(rd_kafka_resp_err_t error, std::string_view context) {
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return absl::OkStatus();
  return absl::UnknownError(absl::StrCat(context, ": ", rd_kafka_err2name(error), ": ", rd_kafka_err2str(error)));
}

absl::Status ToStatus(const rd_kafka_error_t* error, std::string_view context) {
  if (error == nullptr || rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_NO_ERROR) return absl::OkStatus();
  return absl::UnknownError(
      absl::StrCat(context, ": ", rd_kafka_error_name(error), ": ", rd_kafka_error_string(error)));
}

absl::StatusOr<Client> Connect(const Options& options, rd_kafka_type_t type, const Pairs& properties,
                               void (*delivered)(rd_kafka_t*, const rd_kafka_message_t*, void*), void* opaque) {
  Conf conf(rd_kafka_conf_new());
  Pairs all = {{"bootstrap.servers", options.bootstrap_servers}, {"client.id", "kafka-probe"}, {"log_level", "0"}};
  all.insert(all.end(), properties.begin(), properties.end());
  all.insert(all.end(), options.properties.begin(), options.properties.end());
  char text[512];
  for (const auto& [key, value] : all) {
    if (rd_kafka_conf_set(conf.get(), key.c_str(), value.c_str(), text, sizeof(text)) != RD_KAFKA_CONF_OK) {
      return absl::InvalidArgumentError(text);
    }
  }
  if (delivered != nullptr) rd_kafka_conf_set_dr_msg_cb(conf.get(), delivered);
  rd_kafka_conf_set_opaque(conf.get(), opaque);
  Client client(rd_kafka_new(type, conf.get(), text, sizeof(text)));
  if (client == nullptr) return absl::InvalidArgumentError(text);
  (void)conf.release();  // the client's now
  return client;
}

absl::StatusOr<Event> Ask(rd_kafka_t* client, int timeout_ms, const std::function<void(rd_kafka_queue_t*)>& start) {
  const Queue queue(rd_kafka_queue_new(client));
  start(queue.get());
  Event event(rd_kafka_queue_poll(queue.get(), timeout_ms));
  if (event == nullptr) return absl::DeadlineExceededError("no answer in time");
  if (const auto error = rd_kafka_event_error(event.get()); error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return absl::UnknownError(absl::StrCat(rd_kafka_err2name(error), ": ", rd_kafka_event_error_string(event.get())));
  }
  return event;
}

absl::StatusOr<std::vector<int32_t>> PartitionsOf(rd_kafka_t* client, const std::string& topic, int timeout_ms) {
  const Owned<rd_kafka_topic_t, rd_kafka_topic_destroy> handle(rd_kafka_topic_new(client, topic.c_str(), nullptr));
  const rd_kafka_metadata_t* answer = nullptr;
  if (auto s = ToStatus(rd_kafka_metadata(client, 0, handle.get(), &answer, timeout_ms), "metadata"); !s.ok()) return s;
  const Owned<const rd_kafka_metadata_t, rd_kafka_metadata_destroy> metadata(answer);
  if (auto s = ToStatus(metadata->topics[0].err, topic); !s.ok()) return s;
  std::vector<int32_t> partitions;
  for (int i = 0; i < metadata->topics[0].partition_cnt; ++i) {
    partitions.push_back(metadata->topics[0].partitions[i].id);
  }
  std::sort(partitions.begin(), partitions.end());
  return partitions;
}

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&quoted, "\\", std::string_view(&c, 1));
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&quoted, "\\u%04x", c);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

}  // namespace st::probe
