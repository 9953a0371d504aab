#include <cstdint>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "tools/dev/kafka-probe/probe_client.h"
#include "tools/dev/kafka-probe/probe_commands.h"

namespace st::probe {

namespace {

using Headers = Owned<rd_kafka_headers_t, rd_kafka_headers_destroy>;

struct Deliveries {
  int64_t delivered = 0;
  int64_t failed = 0;
  absl::Status error;
  bool explained = false;
};

void CountDelivery(rd_kafka_t*, const rd_kafka_message_t* message, void* opaque) {
  auto* deliveries = static_cast<Deliveries*>(opaque);
  if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
    ++deliveries->delivered;
    return;
  }
  ++deliveries->failed;
  // One bad record takes its whole batch along, and only that one's error explains it.
  const bool explains = message->err != RD_KAFKA_RESP_ERR__INVALID_DIFFERENT_RECORD;
  if (deliveries->error.ok() || (explains && !deliveries->explained)) {
    deliveries->error = ToStatus(message->err, "delivery");
    deliveries->explained = explains;
  }
}

struct Line {
  std::optional<std::string> key;
  std::optional<std::string> value;
};

Line Split(const Options& options, std::string text) {
  Line line;
  if (options.key_separator) {
    if (const size_t at = text.find(*options.key_separator); at != std::string::npos) {
      line.key = text.substr(0, at);
      text.erase(0, at + options.key_separator->size());
    }
  }
  line.value = std::move(text);
  if (line.key == options.null_text) line.key.reset();
  if (line.value == options.null_text) line.value.reset();
  return line;
}

absl::Status Send(rd_kafka_t* client, const Options& options, const Line& line) {
  Headers headers(rd_kafka_headers_new(options.headers.size()));
  for (const auto& [name, value] : options.headers) {
    rd_kafka_header_add(headers.get(), name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  }
  const auto data = [](const auto& text) { return text ? const_cast<char*>(text->data()) : nullptr; };
  const auto size = [](const auto& text) { return text ? text->size() : size_t{0}; };
  rd_kafka_resp_err_t error;
  do {
    error = rd_kafka_producev(client, RD_KAFKA_V_TOPIC(options.name.c_str()),
                              RD_KAFKA_V_PARTITION(options.partition.value_or(RD_KAFKA_PARTITION_UA)),
                              RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_KEY(data(line.key), size(line.key)),
                              RD_KAFKA_V_VALUE(data(line.value), size(line.value)),
                              RD_KAFKA_V_TIMESTAMP(options.timestamp_ms.value_or(0)), RD_KAFKA_V_HEADERS(headers.get()),
                              RD_KAFKA_V_END);
    rd_kafka_poll(client, error == RD_KAFKA_RESP_ERR__QUEUE_FULL ? 100 : 0);
  } while (error == RD_KAFKA_RESP_ERR__QUEUE_FULL);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) (void)headers.release();  // the record's now
  return ToStatus(error, options.name);
}

absl::Status SendLines(rd_kafka_t* client, const Options& options, std::istream& input) {
  for (std::string text; std::getline(input, text);) {
    if (auto s = Send(client, options, Split(options, std::move(text))); !s.ok()) return s;
  }
  return input.bad() ? absl::UnknownError(absl::StrCat(options.file, " cannot be read")) : absl::OkStatus();
}

}  // namespace

absl::Status Produce(const Options& options) {
  Deliveries deliveries;
  const auto client = Connect(options, RD_KAFKA_PRODUCER,
                              {{"enable.idempotence", "true"},
                               {"linger.ms", "5"},
                               {"message.timeout.ms", absl::StrCat(options.timeout_ms)},
                               {"topic.metadata.propagation.max.ms", "3000"}},
                              CountDelivery, &deliveries);
  if (!client.ok()) return client.status();
  // An idempotent producer waits for a missing topic; say so at once.
  if (auto partitions = PartitionsOf(client->get(), options.name, options.timeout_ms); !partitions.ok()) {
    return partitions.status();
  }
  std::ifstream file;
  if (options.file != "-") {
    file.open(options.file);
    if (!file) return absl::NotFoundError(absl::StrCat(options.file, " cannot be opened"));
  }
  const absl::Status sent = SendLines(client->get(), options, options.file == "-" ? std::cin : file);
  const absl::Status flushed = ToStatus(rd_kafka_flush(client->get(), options.timeout_ms), "flush");
  std::cerr << "kafka-probe: " << deliveries.delivered << " delivered, " << deliveries.failed << " failed\n";
  if (!sent.ok()) return sent;
  return deliveries.failed != 0 ? deliveries.error : flushed;
}

}  // namespace st::probe
