// What every librdkafka client of ours has: its settings, its handle, its log, its callbacks.
// A handle may be used by any thread; its callbacks run on the thread that polls it.
#ifndef ST_LIB_KAFKA_HANDLE_H_
#define ST_LIB_KAFKA_HANDLE_H_

#include <librdkafka/rdkafka.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "lib/kafka/properties.h"

namespace st::kafka {

// Destroys without a consumer's close: that is a step of its own, with a bound.
struct HandleDeleter {
  void operator()(rd_kafka_t* handle) const;
};
using Handle = std::unique_ptr<rd_kafka_t, HandleDeleter>;

// Takes the client library's warnings and errors; of those about connections only what is new. `facility` is the
// library's word for the kind of line. Called by any thread, while the library holds locks: it must not call back.
using LogReader = std::function<void(std::string_view facility, std::string_view text)>;
// For all handles of the process; without one the lines go to standard error. To be called while there is no handle:
// the library's threads read it.
void SetLogReader(LogReader reader);

// The callbacks of one handle, which it outlives. Each is called by the thread that polls.
class Events {
 public:
  virtual ~Events() = default;
  // A message that could not be delivered (successes are not reported).
  virtual void OnDeliveryFailure(const rd_kafka_message_t&) {}
  virtual void OnRebalance(rd_kafka_resp_err_t, const rd_kafka_topic_partition_list_t&) {}
  virtual void OnStatistics(std::string_view /*json*/) {}

  // The last trouble with brokers, one clause without a final stop, e.g. "Connection refused (_TRANSPORT)"; empty when
  // there was none. The client library names hosts and reasons in it, never a credential. Any thread.
  std::string Trouble() const;
  void NoteTrouble(rd_kafka_resp_err_t code, std::string_view text);
  // A log line about a connection. False when it says nothing new: the same went wrong before, and no broker was there
  // since. The client library says it again every half minute, for each of its connections.
  bool NoteFailure(std::string_view text);

  // Whether a broker is there now: a connection to one stands. Any thread.
  bool IsConnected() const { return connections_.load(std::memory_order_relaxed) > 0; }
  void NoteConnection(bool is_up);  // one more, or one less

 private:
  mutable absl::Mutex mu_;
  std::string trouble_ ABSL_GUARDED_BY(mu_);
  absl::flat_hash_set<std::string> told_ ABSL_GUARDED_BY(mu_);
  std::atomic<int> connections_{0};
};

// A configuration in the making. Errors name a property and never its value.
class Settings {
 public:
  Settings();
  ~Settings();
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;

  // The first failure is remembered for Open. Later values replace earlier ones.
  Settings& Set(const std::string& name, const std::string& value);
  Settings& SetAll(const Properties& properties);

  // Once. `events` outlives the handle. Waits for no broker. InvalidArgument when the client library refuses a property
  // or a file that one names.
  absl::StatusOr<Handle> Open(rd_kafka_type_t type, Events* events);

 private:
  rd_kafka_conf_t* conf_;
  absl::Status first_failure_;
};

// All that can be known of properties without a socket: each is accepted, and the TLS files can be read and fit
// together (the client library itself loads them; without bootstrap servers it has nobody to connect to).
absl::Status CheckProperties(const Properties& properties);

// The protocol's name of an error, e.g. "MSG_SIZE_TOO_LARGE".
std::string_view ErrorName(rd_kafka_resp_err_t code);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_HANDLE_H_
