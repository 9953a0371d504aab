// librdkafka with owners for its handles and absl::Status for its errors.
#ifndef ST_TOOLS_DEV_KAFKA_PROBE_PROBE_CLIENT_H_
#define ST_TOOLS_DEV_KAFKA_PROBE_PROBE_CLIENT_H_

#include <librdkafka/rdkafka.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/dev/kafka-probe/probe_options.h"

namespace st::probe {

// An owner that calls one of librdkafka's destroy functions.
template <typename T, auto destroy>
struct Destroy {
  void operator()(T* object) const { destroy(object); }
};
template <typename T, auto destroy>
using Owned = std::unique_ptr<T, Destroy<T, destroy>>;

using Client = Owned<rd_kafka_t, rd_kafka_destroy>;
using Conf = Owned<rd_kafka_conf_t, rd_kafka_conf_destroy>;
using Event = Owned<rd_kafka_event_t, rd_kafka_event_destroy>;
using Partitions = Owned<rd_kafka_topic_partition_list_t, rd_kafka_topic_partition_list_destroy>;
using Queue = Owned<rd_kafka_queue_t, rd_kafka_queue_destroy>;

// A client of the options' cluster; `properties` come before those of the options.
absl::StatusOr<Client> Connect(const Options& options, rd_kafka_type_t type, const Pairs& properties = {},
                               void (*delivered)(rd_kafka_t*, const rd_kafka_message_t*, void*) = nullptr,
                               void* opaque = nullptr);

// Starts an admin request that answers on a queue, and waits for the answer. The error is that of the whole request;
// single topics and groups have their own.
absl::StatusOr<Event> Ask(rd_kafka_t* client, int timeout_ms, const std::function<void(rd_kafka_queue_t*)>& start);

// The partitions of a topic, ascending; NotFound when there is no such topic.
absl::StatusOr<std::vector<int32_t>> PartitionsOf(rd_kafka_t* client, const std::string& topic, int timeout_ms);

absl::Status ToStatus(rd_kafka_resp_err_t error, std::string_view context);
// `error` may be null: no error. Not owned.
absl::Status ToStatus(const rd_kafka_error_t* error, std::string_view context);

// A JSON string literal; bytes that are not ASCII stand as they are.
std::string Quote(std::string_view text);

}  // namespace st::probe

#endif  // ST_TOOLS_DEV_KAFKA_PROBE_PROBE_CLIENT_H_
