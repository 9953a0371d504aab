// The transaction in which records are read, written and their offsets committed. One thread.
//
// Its end is certain or the process ends: nothing is begun on a producer whose last call has an unknown outcome.
#ifndef ST_RUNNER_TRANSACTION_H_
#define ST_RUNNER_TRANSACTION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lib/kafka/consumer.h"
#include "lib/kafka/producer.h"
#include "runner/arena.h"
#include "runner/failure.h"
#include "runner/ledger.h"
#include "runner/log.h"
#include "runner/pulse.h"
#include "runner/refusal_search.h"
#include "runner/tally.h"

namespace st::runner {

enum class Ended {
  kCommitted,  // or there was nothing to commit
  kAborted,    // confirmed; nothing of it is visible, what was read is to be read again
  kFailed,     // the process has to end
};

class Transaction {
 public:
  // All outlive it.
  Transaction(std::string input_topic, kafka::Consumer* consumer, kafka::Producer* producer, Ledger* ledger,
              Pulse* pulse, Log* log)
      : input_topic_(std::move(input_topic)),
        consumer_(consumer),
        producer_(producer),
        ledger_(ledger),
        pulse_(pulse),
        log_(log) {}

  bool open() const { return open_; }
  int64_t opened_ms() const { return opened_ms_; }
  // The last one ended, or none was begun yet.
  int64_t ended_ms() const { return ended_ms_; }

  // For the one who fills it.
  Arena& arena() { return arena_; }
  Tally& tally() { return tally_; }
  const Tally& tally() const { return tally_; }
  RefusalSearch& refusals() { return refusals_; }
  kafka::Producer& producer() { return *producer_; }
  Pulse& pulse() { return *pulse_; }

  // Does nothing when it is open.
  MaybeFailure Open();
  // Hands what is staged to the client library, when there is room. False: the transaction is to be aborted; `why` is
  // set, unless the producer has failures to tell.
  bool SendStaged(std::string* why);
  // Writes what is queued, then commits it with the ledger's positions. `failure` is set on kFailed.
  Ended Commit(Failure* failure);
  // Commits the positions once more, also those that did not move: a transaction for its own sake, without which the
  // broker forgets the transactional id in the end.
  Ended KeepAlive(Failure* failure);
  // `why`: one clause for people, and for the log.
  Ended Abort(const std::string& why, Failure* failure);
  // The same after something could not be written: the producer's failures say what, else `why` does.
  Ended AbortFailed(const std::string& why, Failure* failure);
  // Where reading goes on after an abort: the stable committed offsets, for the ledger and the client. With a lost
  // assignment there is nowhere to go to; a rebalance follows.
  MaybeFailure Rewind();

 private:
  using Call = std::function<kafka::TxnResult(int timeout_ms)>;
  // The same call until it is answered or no time is left (kRetry then).
  kafka::TxnResult Insist(const Call& call);
  Ended Fail(Failure* failure, Failure value);
  Ended CommitWith(const std::vector<kafka::Position>& positions, Failure* failure);

  const std::string input_topic_;
  kafka::Consumer* const consumer_;
  kafka::Producer* const producer_;
  Ledger* const ledger_;
  Pulse* const pulse_;
  Log* const log_;
  Arena arena_;
  Tally tally_;
  RefusalSearch refusals_;
  bool open_ = false;
  int64_t opened_ms_ = 0;
  int64_t ended_ms_ = Pulse::NowMs();
  // Since the last commit, but those of a search for a refused record.
  int aborts_ = 0;
};

}  // namespace st::runner

#endif  // ST_RUNNER_TRANSACTION_H_
