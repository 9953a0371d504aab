// One librdkafka handle for administrative requests: sends one, waits for its answer within a bound, and when none
// comes says why the brokers could not be reached. Used by lib/kafka only; one thread at a time.
//
// Facts of librdkafka 2.14.2 that this rests on (rdkafka_admin.c, rdkafka_coord.c, read and tried):
// - A request of the admin API that was sent is never sent again: none of its response handlers calls
//   rd_kafka_buf_retry, whatever `retries` says. What is repeated is only the search for controller and coordinator.
// - Its errors come as results ("Timed out waiting for controller"), without the reason, which is an event of its
//   own on the main queue ("Connection refused") or a log line of the facility FAIL (a server that never answers). So
//   we wait on the main queue for all of them.
// - The answer to a request that we no longer wait for still comes later; it is known by its opaque and dropped.
// - A coordinator is looked for three times (twice again after COORDINATOR_NOT_AVAILABLE, which a fresh cluster says
//   while it makes the topic of offsets), then nothing happens until the request's time is over. And once its time is
//   over, the handle aborts the process as soon as that coordinator is found after all: the forgotten search
//   (rd_kafka_coord_req_t) answers to memory that was freed (issue 4605, pull request 5397 there). A coordinator that
//   is known is believed for metadata.max.age.ms, even when it says that it is none. So such a handle is given up.
// - Metadata requests of the admin API and for all topics never create a topic; `allow.auto.create.topics` is off all
//   the same.
#ifndef ST_LIB_KAFKA_ADMIN_CLIENT_H_
#define ST_LIB_KAFKA_ADMIN_CLIENT_H_

#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/kafka/errors.h"
#include "lib/kafka/owned.h"
#include "lib/kafka/properties.h"

namespace st::kafka {

class AdminClient {
 public:
  // The options of one request, which also tell its answer from others.
  class Request {
   public:
    const rd_kafka_AdminOptions_t* options() const { return options_.get(); }
    // For what only some requests know; the library refuses it for others.
    rd_kafka_AdminOptions_t* mutable_options() { return options_.get(); }

   private:
    friend class AdminClient;
    Owned<rd_kafka_AdminOptions_t, rd_kafka_AdminOptions_destroy> options_;
    const char* token_ = nullptr;
    int timeout_ms_ = 0;
    bool is_try_ = false;
  };

  // Does not connect yet. InvalidArgument for properties that the library refuses; no value is quoted.
  static absl::StatusOr<std::unique_ptr<AdminClient>> Open(const Properties& properties, const std::string& client_id);

  rd_kafka_t* handle() const { return handle_.get(); }
  rd_kafka_queue_t* queue() const { return queue_.get(); }
  // How long one request may take: 10 s, or `socket.timeout.ms` when that is shorter.
  int timeout_ms() const { return timeout_ms_; }

  Request NewRequest(rd_kafka_admin_op_t kind);
  Request NewValidation(rd_kafka_admin_op_t kind);  // validate-only
  // One try of SettleGroup: that no answer came in `try_ms` is Aborted.
  Request NewTry(rd_kafka_admin_op_t kind, int try_ms);

  // Waits for the answer of a request that was handed to the library with queue(). The event has no request-level
  // error; each part of it may have one of its own. Aborted as ToLook.
  absl::StatusOr<Event> Await(const Request& request, Effect effect, std::string_view what);

  // ToStatus, and when the brokers could not be reached, which ones and why: for that one of them may be looked at.
  absl::Status Explain(rd_kafka_resp_err_t code, std::string_view words, Effect effect, std::string_view what,
                       std::string_view rights = {}) const;

  // Explain, of a request that only looks; Aborted for what is about to settle (IsPassing).
  absl::Status ToLook(rd_kafka_resp_err_t code, std::string_view words, std::string_view what,
                      std::string_view rights = {}) const;

  // Looks, and again while the answer is Aborted, within the time of one request; then that is Unavailable.
  absl::Status Settle(absl::FunctionRef<absl::Status()> look) const;

  // The same for what the coordinator of a group answers, within three times the time of one request, by tries that are
  // given longer and longer, each on a new handle.
  absl::Status SettleGroup(absl::FunctionRef<absl::Status(int try_ms)> look);

  // A new handle in place of this one. To be called when a request to a group's coordinator ended without its answer.
  absl::Status Reopen();

  // Takes the events that have come meanwhile.
  void Drain();

 private:
  using Queue = Owned<rd_kafka_queue_t, rd_kafka_queue_destroy>;

  AdminClient(Properties properties, std::string client_id);
  void Remember(rd_kafka_event_t* event);
  // True when waiting on is pointless: no broker is left, and why is not going to pass.
  bool Hopeless();
  std::string Scrub(std::string_view text) const;

  const Properties properties_;
  const std::string client_id_;
  Owned<rd_kafka_t, rd_kafka_destroy> handle_;
  Queue queue_;  // goes before its handle
  std::string servers_;
  std::vector<std::string> secrets_;
  int timeout_ms_ = 0;
  // One for each request ever made: their addresses tell answers apart, so none is used twice.
  std::deque<char> tokens_;
  // Since the last good answer.
  std::string last_error_;
  bool all_down_ = false;
  // Of the request that is waited for.
  int looks_ = 0;              // how many errors were looked into
  std::string final_refusal_;  // what came of it, when waiting is pointless
};

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_ADMIN_CLIENT_H_
