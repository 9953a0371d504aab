#include "lib/kafka/admin_client.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/diag/diag.h"
#include "lib/kafka/refusal.h"

namespace st::kafka {
namespace {

constexpr int kTimeoutMs = 10'000;
constexpr int kLeastTimeoutMs = 10;  // librdkafka's own limit for `socket.timeout.ms`
// The library ends a request itself after its time; we wait a little longer for that answer.
constexpr int kGraceMs = 1'000;
// The first try to ask a group's coordinator, and how many times the time of one request all tries may take.
constexpr int kFirstTryMs = 2'500;
constexpr int kGroupPatience = 3;
// Between two looks at what is about to settle.
constexpr absl::Duration kPause = absl::Milliseconds(50);
constexpr size_t kMaxReasonBytes = 500;
// An error that is looked into may cost a connection to the broker.
constexpr int kMaxLooks = 3;
// Taking a shorter one out of a text would tell what it is.
constexpr size_t kLeastSecretBytes = 4;

using Conf = Owned<rd_kafka_conf_t, rd_kafka_conf_destroy>;

int64_t NowMs() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

// Ours first, so that the caller's properties win where they say the same; but `timeout_ms` wins over all: a request
// that waits to be sent must not go out when we have long answered that nobody knows its outcome.
absl::Status Configure(const Properties& properties, const std::string& client_id, int timeout_ms,
                       rd_kafka_conf_t* conf) {
  Properties all = {
      {"client.id", client_id},
      {"allow.auto.create.topics", "false"},
      // Why a connection failed is said by an event, and sometimes only by a log line: both come by the queue.
      {"log.queue", "true"},
      {"log.thread.name", "false"},
      {"api.version.request.timeout.ms", "4000"},
      // A host that does not answer must be named within the bound of one request.
      {"socket.connection.setup.timeout.ms", "4000"},
      {"reconnect.backoff.max.ms", "1000"},
      // So that the three looks for a coordinator cover more than a second.
      {"retry.backoff.ms", "400"},
  };
  all.insert(all.end(), properties.begin(), properties.end());
  all.emplace_back("socket.timeout.ms", absl::StrCat(timeout_ms));
  for (const auto& [name, value] : all) {
    std::array<char, 512> words;
    if (rd_kafka_conf_set(conf, name.c_str(), value.c_str(), words.data(), words.size()) != RD_KAFKA_CONF_OK) {
      return absl::InvalidArgumentError(
          absl::StrCat("the client library refuses the value of the client property '", name, "'"));
    }
  }
  rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_LOG);
  return absl::OkStatus();
}

bool IsUnreachable(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable || status.code() == absl::StatusCode::kUnknown;
}

bool IsLocal(rd_kafka_resp_err_t code) { return code < RD_KAFKA_RESP_ERR_UNKNOWN; }

}  // namespace

AdminClient::AdminClient(Properties properties, std::string client_id)
    : properties_(std::move(properties)), client_id_(std::move(client_id)), timeout_ms_(kTimeoutMs) {
  for (const auto& [name, value] : properties_) {
    int number = 0;
    if (name == "bootstrap.servers") servers_ = value;
    if (name == "socket.timeout.ms" && absl::SimpleAtoi(value, &number)) {
      timeout_ms_ = std::clamp(number, kLeastTimeoutMs, kTimeoutMs);
    }
    if (IsSecret(name) && value.size() >= kLeastSecretBytes) secrets_.push_back(value);
  }
}

absl::StatusOr<std::unique_ptr<AdminClient>> AdminClient::Open(const Properties& properties,
                                                               const std::string& client_id) {
  if (absl::Status status = CheckAllowed(properties); !status.ok()) return status;
  std::unique_ptr<AdminClient> client(new AdminClient(properties, client_id));
  if (client->servers_.empty()) {
    return absl::InvalidArgumentError("the client property 'bootstrap.servers' is not given");
  }
  if (absl::Status status = client->Reopen(); !status.ok()) return status;
  return client;
}

absl::Status AdminClient::Reopen() {
  Conf conf(rd_kafka_conf_new());
  absl::Status status = Configure(properties_, client_id_, timeout_ms_, conf.get());
  if (!status.ok()) return status;
  std::array<char, 512> words{};
  // The lightest kind of handle: it keeps no group and fetches nothing.
  rd_kafka_t* handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), words.data(), words.size());
  if (handle == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the client library refuses the client properties: ", Scrub(ExplainSettings(words.data()))));
  }
  static_cast<void>(conf.release());  // the handle's now
  all_down_ = false;
  queue_.reset();
  handle_.reset(handle);
  queue_.reset(rd_kafka_queue_get_main(handle));
  if (rd_kafka_set_log_queue(handle, queue()) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return absl::InternalError("the client library does not queue its log");
  }
  return absl::OkStatus();
}

AdminClient::Request AdminClient::NewRequest(rd_kafka_admin_op_t kind) {
  Request request = NewTry(kind, timeout_ms_);
  request.is_try_ = false;
  return request;
}

AdminClient::Request AdminClient::NewTry(rd_kafka_admin_op_t kind, int try_ms) {
  Request request;
  request.timeout_ms_ = try_ms;
  request.is_try_ = true;
  request.options_.reset(rd_kafka_AdminOptions_new(handle(), kind));
  request.token_ = &tokens_.emplace_back();
  std::array<char, 512> words;
  rd_kafka_AdminOptions_set_request_timeout(request.options_.get(), try_ms, words.data(), words.size());
  rd_kafka_AdminOptions_set_opaque(request.options_.get(), &tokens_.back());
  return request;
}

AdminClient::Request AdminClient::NewValidation(rd_kafka_admin_op_t kind) {
  Request request = NewRequest(kind);
  std::array<char, 512> words;
  rd_kafka_AdminOptions_set_validate_only(request.mutable_options(), 1, words.data(), words.size());
  return request;
}

absl::StatusOr<Event> AdminClient::Await(const Request& request, Effect effect, std::string_view what) {
  int64_t deadline = NowMs() + request.timeout_ms_ + kGraceMs;
  final_refusal_.clear();
  looks_ = 0;
  for (int64_t now = NowMs(); now < deadline; now = NowMs()) {
    Event event(rd_kafka_queue_poll(queue(), static_cast<int>(deadline - now)));
    if (event == nullptr) continue;
    Remember(event.get());
    if (Hopeless()) break;
    if (rd_kafka_event_opaque(event.get()) != request.token_) continue;
    if (rd_kafka_resp_err_t code = rd_kafka_event_error(event.get()); code != RD_KAFKA_RESP_ERR_NO_ERROR) {
      std::string_view words = Text(rd_kafka_event_error_string(event.get()));
      if (effect == Effect::kChange) return Explain(code, words, effect, what);
      absl::Status status = ToLook(code, words, what);
      bool late = request.is_try_ && code == RD_KAFKA_RESP_ERR__TIMED_OUT;
      return late ? absl::AbortedError(status.message()) : status;
    }
    last_error_.clear();
    all_down_ = false;
    return event;
  }
  return Explain(RD_KAFKA_RESP_ERR__TIMED_OUT, "", effect, what);
}

absl::Status AdminClient::ToLook(rd_kafka_resp_err_t code, std::string_view words, std::string_view what,
                                 std::string_view rights) const {
  absl::Status status = Explain(code, words, Effect::kNone, what, rights);
  return IsPassing(code) ? absl::AbortedError(status.message()) : status;
}

absl::Status AdminClient::Settle(absl::FunctionRef<absl::Status()> look) const {
  int64_t deadline = NowMs() + timeout_ms_;
  while (true) {
    absl::Status status = look();
    if (!absl::IsAborted(status)) return status;
    if (NowMs() >= deadline) return absl::UnavailableError(status.message());
    absl::SleepFor(kPause);
  }
}

absl::Status AdminClient::SettleGroup(absl::FunctionRef<absl::Status(int)> look) {
  int64_t deadline = NowMs() + int64_t{kGroupPatience} * timeout_ms_;
  for (int try_ms = std::min(kFirstTryMs, timeout_ms_);; try_ms = std::min(2 * try_ms, timeout_ms_)) {
    absl::Status status = look(try_ms);
    if (status.ok()) return status;
    // Whoever uses this client next must not meet what was left behind.
    if (absl::Status reopened = Reopen(); !reopened.ok()) return reopened;
    if (!absl::IsAborted(status)) return status;
    if (NowMs() >= deadline) {
      return absl::UnavailableError(absl::StrCat(status.message(), "; the group's coordinator may not be there yet"));
    }
    absl::SleepFor(kPause);
  }
}

void AdminClient::Drain() {
  while (true) {
    Event event(rd_kafka_queue_poll(queue(), 0));
    if (event == nullptr) return;
    Remember(event.get());
  }
}

void AdminClient::Remember(rd_kafka_event_t* event) {
  if (rd_kafka_event_type(event) == RD_KAFKA_EVENT_LOG) {
    const char *facility = nullptr, *text = nullptr;
    int level = 0;
    if (rd_kafka_event_log(event, &facility, &text, &level) == 0 && Text(facility) == "FAIL") last_error_ = Text(text);
  }
  if (rd_kafka_event_type(event) != RD_KAFKA_EVENT_ERROR) return;
  rd_kafka_resp_err_t code = rd_kafka_event_error(event);
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    all_down_ = true;
    return;
  }
  last_error_ = Text(rd_kafka_event_error_string(event));
}

bool AdminClient::Hopeless() {
  if (!all_down_ || last_error_.empty() || looks_ == kMaxLooks) return false;
  ++looks_;
  Explanation explanation = ExplainTrouble(last_error_, properties_);
  if (explanation.is_final) final_refusal_ = std::move(explanation.sentence);
  return explanation.is_final;
}

absl::Status AdminClient::Explain(rd_kafka_resp_err_t code, std::string_view words, Effect effect,
                                  std::string_view what, std::string_view rights) const {
  absl::Status status = ToStatus(code, Scrub(words), effect, what, rights);
  if (!IsUnreachable(status) || !IsLocal(code)) return status;
  std::string refusal = final_refusal_.empty() ? ExplainTrouble(last_error_, properties_).sentence : final_refusal_;
  if (!refusal.empty()) return NotDone(status.code(), what, refusal);
  std::string reason = last_error_.empty() ? absl::StrCat("no answer within ", timeout_ms_, " ms") : Scrub(last_error_);
  return NotDone(status.code(), what, absl::StrCat("Kafka at ", servers_, " did not answer (", reason, ")"));
}

std::string AdminClient::Scrub(std::string_view text) const {
  std::string clean(text);
  for (const std::string& secret : secrets_) absl::StrReplaceAll({{secret, "***"}}, &clean);
  return diag::Visible(clean, kMaxReasonBytes);
}

}  // namespace st::kafka
