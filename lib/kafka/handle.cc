#include "lib/kafka/handle.h"

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/kafka/refusal.h"

namespace st::kafka {
namespace {

constexpr int kWarning = 4;  // a level of syslog(3)
constexpr size_t kMessageBytes = 512;
constexpr char kInterceptor[] = "st";
// Texts may differ without end, memory may not.
constexpr size_t kMostTold = 1000;

// Never destroyed: threads of the library may outlive main.
LogReader& Reader() {
  static auto* const reader = new LogReader;
  return *reader;
}

void LogLine(const rd_kafka_t* handle, int level, const char* facility, const char* text) {
  // Why a connection ended is in some cases said here only.
  const bool is_news =
      std::string_view(facility) != "FAIL" || static_cast<Events*>(rd_kafka_opaque(handle))->NoteFailure(text);
  if (level > kWarning || !is_news) return;
  if (const LogReader& reader = Reader()) {
    reader(facility, text);
  } else {
    std::fprintf(stderr, "kafka client: %s: %s\n", facility, text);
  }
}

void ErrorCallback(rd_kafka_t* /*handle*/, int code, const char* reason, void* opaque) {
  static_cast<Events*>(opaque)->NoteTrouble(static_cast<rd_kafka_resp_err_t>(code), reason);
}

void DeliveryCallback(rd_kafka_t* /*handle*/, const rd_kafka_message_t* message, void* opaque) {
  if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) static_cast<Events*>(opaque)->OnDeliveryFailure(*message);
}

void RebalanceCallback(rd_kafka_t* /*handle*/, rd_kafka_resp_err_t what, rd_kafka_topic_partition_list_t* partitions,
                       void* opaque) {
  static_cast<Events*>(opaque)->OnRebalance(what, *partitions);
}

// Called by the thread that serves this broker of this handle and no other, while the client library holds locks.
rd_kafka_resp_err_t BrokerStateCallback(rd_kafka_t* /*handle*/, int32_t /*broker*/, const char* /*protocol*/,
                                        const char* /*name*/, int port, const char* state, void* opaque) {
  thread_local bool is_up = false;
  // Without a port it is the library's own queue, or a second connection to a broker that happens to coordinate.
  const std::string_view now = port == 0 ? "" : state;
  if (now == (is_up ? "DOWN" : "UP")) {
    is_up = !is_up;
    static_cast<Events*>(opaque)->NoteConnection(is_up);
  }
  return RD_KAFKA_RESP_ERR_NO_ERROR;
}

rd_kafka_resp_err_t NewHandleCallback(rd_kafka_t* handle, const rd_kafka_conf_t* /*conf*/, void* opaque, char* /*why*/,
                                      size_t /*why_size*/) {
  return rd_kafka_interceptor_add_on_broker_state_change(handle, kInterceptor, BrokerStateCallback, opaque);
}

int StatisticsCallback(rd_kafka_t* /*handle*/, char* json, size_t size, void* opaque) {
  static_cast<Events*>(opaque)->OnStatistics({json, size});
  return 0;  // the library frees it
}

}  // namespace

void SetLogReader(LogReader reader) { Reader() = std::move(reader); }

void HandleDeleter::operator()(rd_kafka_t* handle) const {
  rd_kafka_destroy_flags(handle, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
}

std::string Events::Trouble() const {
  absl::MutexLock lock(&mu_);
  return trouble_;
}

bool Events::NoteFailure(std::string_view text) {
  absl::MutexLock lock(&mu_);
  trouble_ = std::string(text);
  if (told_.size() >= kMostTold) told_.clear();
  // What follows is how long it took, and how often it was not said.
  return told_.insert(std::string(text.substr(0, text.find(" (after ")))).second;
}

void Events::NoteConnection(bool is_up) {
  connections_.fetch_add(is_up ? 1 : -1, std::memory_order_relaxed);
  absl::MutexLock lock(&mu_);
  if (is_up) told_.clear();
}

void Events::NoteTrouble(rd_kafka_resp_err_t code, std::string_view text) {
  absl::MutexLock lock(&mu_);
  // "All brokers are down" follows the reason and says less.
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN && !trouble_.empty()) return;
  trouble_ = absl::StrCat(text, " (", ErrorName(code), ")");
}

Settings::Settings() : conf_(rd_kafka_conf_new()) {
  rd_kafka_conf_set_log_cb(conf_, LogLine);
  // Looking at a topic never creates it.
  Set("allow.auto.create.topics", "false");
  // Log lines begin with the broker that they are about.
  Set("log.thread.name", "false");
}

Settings::~Settings() {
  if (conf_ != nullptr) rd_kafka_conf_destroy(conf_);
}

Settings& Settings::Set(const std::string& name, const std::string& value) {
  char why[kMessageBytes];
  if (rd_kafka_conf_set(conf_, name.c_str(), value.c_str(), why, sizeof(why)) != RD_KAFKA_CONF_OK &&
      first_failure_.ok()) {
    // `why` may quote the value.
    first_failure_ = absl::InvalidArgumentError(absl::StrCat("the client library refuses the value of `", name, "`"));
  }
  return *this;
}

Settings& Settings::SetAll(const Properties& properties) {
  for (const auto& [name, value] : properties) Set(name, value);
  return *this;
}

absl::StatusOr<Handle> Settings::Open(rd_kafka_type_t type, Events* events) {
  if (!first_failure_.ok()) return first_failure_;
  rd_kafka_conf_set_opaque(conf_, events);
  rd_kafka_conf_interceptor_add_on_new(conf_, kInterceptor, NewHandleCallback, events);
  rd_kafka_conf_set_error_cb(conf_, ErrorCallback);
  rd_kafka_conf_set_stats_cb(conf_, StatisticsCallback);
  if (type == RD_KAFKA_PRODUCER) {
    rd_kafka_conf_set_dr_msg_cb(conf_, DeliveryCallback);
  } else {
    rd_kafka_conf_set_rebalance_cb(conf_, RebalanceCallback);
  }
  char why[kMessageBytes];
  rd_kafka_t* handle = rd_kafka_new(type, conf_, why, sizeof(why));
  if (handle == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the client library refuses the client properties: ", ExplainSettings(why)));
  }
  conf_ = nullptr;  // the handle has it now
  return Handle(handle);
}

absl::Status CheckProperties(const Properties& properties) {
  Settings settings;
  for (const auto& [name, value] : properties) {
    if (name != "bootstrap.servers") settings.Set(name, value);
  }
  Events events;
  return settings.Open(RD_KAFKA_PRODUCER, &events).status();
}

std::string_view ErrorName(rd_kafka_resp_err_t code) { return rd_kafka_err2name(code); }

}  // namespace st::kafka
