#include "lib/kafka/topic_identity.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "lib/kafka/fault.h"
#include "lib/kafka/handle.h"
#include "lib/kafka/topic_id.h"

namespace st::kafka {
namespace {

constexpr int kPieceMs = 500;

struct Release {
  void operator()(rd_kafka_event_t* event) const { rd_kafka_event_destroy(event); }
  void operator()(rd_kafka_AdminOptions_t* options) const { rd_kafka_AdminOptions_destroy(options); }
  void operator()(rd_kafka_ConfigResource_t* resource) const { rd_kafka_ConfigResource_destroy(resource); }
  void operator()(rd_kafka_queue_t* queue) const { rd_kafka_queue_destroy(queue); }
  void operator()(rd_kafka_TopicCollection_t* topics) const { rd_kafka_TopicCollection_destroy(topics); }
};
template <typename T>
using Owned = std::unique_ptr<T, Release>;

absl::Status Refusal(std::string_view what, rd_kafka_resp_err_t code, const char* text) {
  std::string message = absl::StrCat(what, ": ", text == nullptr ? "" : text, " (", ErrorName(code), ")");
  const bool denied = ClassifyConsume(code) == ConsumeFault::kDenied;
  // The client library's own errors are below 0: what the request met on its way.
  if (!denied && code < RD_KAFKA_RESP_ERR_NO_ERROR) return absl::DeadlineExceededError(message);
  if (!denied) return absl::UnavailableError(message);
  return absl::PermissionDeniedError(absl::StrCat(message, RunnerRight(code, Denied::kLooking)));
}

Owned<rd_kafka_AdminOptions_t> Options(rd_kafka_t* handle, rd_kafka_admin_op_t operation, int timeout_ms) {
  Owned<rd_kafka_AdminOptions_t> options(rd_kafka_AdminOptions_new(handle, operation));
  rd_kafka_AdminOptions_set_request_timeout(options.get(), timeout_ms, nullptr, 0);
  return options;
}

absl::StatusOr<TopicIdentity> ReadDescription(const rd_kafka_TopicDescription_t* description) {
  const rd_kafka_error_t* error = rd_kafka_TopicDescription_error(description);
  const auto code = error == nullptr ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(error);
  if (code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return TopicIdentity{};
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Refusal(absl::StrCat("topic ", rd_kafka_TopicDescription_name(description), " could not be described"), code,
                   rd_kafka_error_string(error));
  }
  TopicIdentity topic;
  topic.exists = true;
  topic.id = TopicIdText(rd_kafka_TopicDescription_topic_id(description));
  size_t partitions = 0;
  rd_kafka_TopicDescription_partitions(description, &partitions);
  topic.partitions = static_cast<int>(partitions);
  return topic;
}

}  // namespace

absl::StatusOr<std::string> ClusterId(rd_kafka_t* handle, int timeout_ms) {
  char* id = rd_kafka_clusterid(handle, timeout_ms);
  if (id == nullptr) return absl::UnavailableError("no broker answered in time");
  std::string copy = id;
  rd_kafka_mem_free(handle, id);
  return copy;
}

absl::StatusOr<int64_t> MaxMessageBytes(rd_kafka_t* handle, const std::string& topic, int timeout_ms,
                                        const std::function<bool()>& go_on) {
  Owned<rd_kafka_ConfigResource_t> resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
  Owned<rd_kafka_queue_t> queue(rd_kafka_queue_new(handle));
  auto options = Options(handle, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeout_ms);
  rd_kafka_ConfigResource_t* resources[] = {resource.get()};
  rd_kafka_DescribeConfigs(handle, resources, 1, options.get(), queue.get());
  const std::string what = absl::StrCat("the configs of topic ", topic, " could not be read");
  Owned<rd_kafka_event_t> event;
  for (int left = timeout_ms; event == nullptr && left > 0; left -= kPieceMs) {
    if (!go_on()) return absl::CancelledError(what);
    event.reset(rd_kafka_queue_poll(queue.get(), std::min(left, kPieceMs)));
  }
  if (event == nullptr) return absl::UnavailableError(absl::StrCat(what, ": no answer in time"));
  if (auto code = rd_kafka_event_error(event.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Refusal(what, code, rd_kafka_event_error_string(event.get()));
  }
  size_t count = 0;
  auto** answers =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  if (count != 1) return absl::UnavailableError(absl::StrCat(what, ": the answer is empty"));
  if (auto code = rd_kafka_ConfigResource_error(answers[0]); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Refusal(what, code, rd_kafka_ConfigResource_error_string(answers[0]));
  }
  auto** entries = rd_kafka_ConfigResource_configs(answers[0], &count);
  for (size_t i = 0; i < count; ++i) {
    if (std::string_view(rd_kafka_ConfigEntry_name(entries[i])) != "max.message.bytes") continue;
    const char* text = rd_kafka_ConfigEntry_value(entries[i]);
    int64_t value = 0;
    if (text != nullptr && absl::SimpleAtoi(text, &value)) return value;
  }
  return absl::UnavailableError(absl::StrCat(what, ": the answer has no max.message.bytes"));
}

TopicProbe::TopicProbe(rd_kafka_t* handle, std::vector<std::string> topics)
    : handle_(handle), topics_(std::move(topics)), queue_(rd_kafka_queue_new(handle)) {}

TopicProbe::~TopicProbe() { rd_kafka_queue_destroy(queue_); }

void TopicProbe::Ask(int timeout_ms) {
  std::vector<const char*> names;
  names.reserve(topics_.size());
  for (const std::string& topic : topics_) names.push_back(topic.c_str());
  Owned<rd_kafka_TopicCollection_t> topics(rd_kafka_TopicCollection_of_topic_names(names.data(), names.size()));
  auto options = Options(handle_, RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, timeout_ms);
  rd_kafka_DescribeTopics(handle_, topics.get(), options.get(), queue_);
  awaiting_ = true;
}

std::optional<absl::StatusOr<std::vector<TopicIdentity>>> TopicProbe::Take(int wait_ms) {
  Owned<rd_kafka_event_t> event(rd_kafka_queue_poll(queue_, wait_ms));
  if (event == nullptr || !awaiting_) return std::nullopt;
  awaiting_ = false;
  if (auto code = rd_kafka_event_error(event.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Refusal("the topics could not be described", code, rd_kafka_event_error_string(event.get()));
  }
  size_t count = 0;
  auto** answers = rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event.get()), &count);
  if (count != topics_.size()) return absl::UnavailableError("the topics could not be described: an answer is missing");
  std::vector<TopicIdentity> identities(count);
  for (size_t i = 0; i < count; ++i) {
    auto identity = ReadDescription(answers[i]);
    if (!identity.ok()) return identity.status();
    // The answers come in the order of the question; rather not rely on it.
    for (size_t j = 0; j < count; ++j) {
      if (topics_[j] == rd_kafka_TopicDescription_name(answers[i])) identities[j] = *identity;
    }
  }
  return identities;
}

}  // namespace st::kafka
