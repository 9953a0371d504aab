// What an error code of the protocol or of librdkafka means to us. Used by lib/kafka only. Pure; any thread.
#ifndef ST_LIB_KAFKA_ERRORS_H_
#define ST_LIB_KAFKA_ERRORS_H_

#include <librdkafka/rdkafka.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace st::kafka {

// What the request was to do: a lost answer means nothing for one that only looks, and an unknown outcome for one
// that changes something.
enum class Effect { kNone, kChange };

// `what` says what was asked ("create topic orders"), `words` are the broker's or the library's, may be empty.
//
// Of a change, only an error by which the broker says that it did nothing is a refusal (the closed list in
// errors.cc). Everything else is Unknown: "not the controller", "coordinator not available" or "request timed out"
// may also come for a record that was appended and whose confirmation failed (KIP-500's controller and the group
// coordinator both answer so when they lose their role while an append waits).
//
// `rights`: what our principal needs for it ("Create on topic 'orders'"), said when the broker denies it.
absl::Status ToStatus(rd_kafka_resp_err_t code, std::string_view words, Effect effect, std::string_view what,
                      std::string_view rights = {});

// What a denial is told with: "; our principal needs the right " and `rights`. Empty for any other code.
std::string MissingRight(rd_kafka_resp_err_t code, std::string_view rights);

// The sentence of a request that was not, or perhaps not, carried out.
absl::Status NotDone(absl::StatusCode code, std::string_view what, std::string_view reason);

// The broker refused, for good, what a validate-only request asked: a verdict, no failure.
bool IsVerdict(rd_kafka_resp_err_t code);

// Of a topic that is just being made, moved or deleted, or a group that moves to another coordinator: a moment later
// there is an answer.
bool IsPassing(rd_kafka_resp_err_t code);

// We lack the right to see it.
bool IsHidden(rd_kafka_resp_err_t code);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_ERRORS_H_
