#include "runner/session.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/id.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "lib/kafka/handle.h"
#include "runner/identity_watch.h"
#include "runner/inputs.h"
#include "runner/log.h"
#include "runner/loop.h"
#include "runner/new_partitions.h"
#include "runner/process_identity.h"
#include "runner/startup.h"
#include "runner/status_file.h"
#include "runner/watchdog.h"

namespace st::runner {
namespace {

constexpr int kExitClosed = 0;
constexpr int kExitRefused = 2;
constexpr int kExitFailed = 3;

// How often a forgotten transactional id is made known again: one that is forgotten sooner has another cause.
constexpr int64_t kRenewalMs = 3600 * 1000;
// For committed offsets, before it is a member: in pieces, so that a request to stop is seen.
constexpr int kAskMs = 5000;
constexpr int kAskTimes = 3;
// The broker's default of max.message.bytes, less what may differ; for one who may not read the topic's configs.
constexpr int64_t kAssumedBatchBytes = 1000000;

int ExitCodeOf(const Failure& failure, bool was_running) {
  if (was_running) return kExitFailed;
  switch (failure.reason) {
    case v1::RunnerStatus::REFUSED:
    case v1::RunnerStatus::IDENTITY_MISMATCH:
    case v1::RunnerStatus::OFFSET_MISSING:
    case v1::RunnerStatus::PARTITIONS_CHANGED:
      return kExitRefused;
    default:
      return kExitFailed;
  }
}

v1::RunnerStatus KnownStatus(const Options& options, const v1::RunnerIdentity& identity) {
  v1::RunnerStatus status;
  status.set_application_id(options.application_id);
  status.set_generation_id(identity.generation_id());
  status.set_cluster_id(options.cluster_id);
  status.set_input_topic_id(options.input_topic_id);
  status.set_output_topic_id(options.output_topic_id);
  status.set_started_at_ms(identity.started_at_ms());
  status.set_pid(identity.pid());
  status.set_version(std::string(base::Version()));
  return status;
}

// Everything from the first socket to the last.
class Session {
 public:
  Session(const Options& options, Inputs inputs, int32_t named, StatusFile* status, Log* log, Pulse* pulse)
      : options_(options), inputs_(std::move(inputs)), status_(status), log_(log), pulse_(pulse), named_(named) {
    expected_ = {.cluster_id = options.cluster_id,
                 .input_topic = inputs_.plan.input_topic(),
                 .input_topic_id = options.input_topic_id,
                 .output_topic = inputs_.plan.output_topic(),
                 .output_topic_id = options.output_topic_id,
                 .initialized_partitions = static_cast<int>(options.initialized_partitions)};
  }

  // Nothing: closed. `was_running`: it has read records, or could have.
  MaybeFailure Run(bool* was_running) {
    for (;;) {
      MaybeFailure failure = RunOnce(was_running);
      if (!failure.has_value() || failure->reason != v1::RunnerStatus::PRODUCER_EXPIRED || !MayRenew()) return failure;
      // What the broker has forgotten had no transaction open. Everything is looked at again: identities, committed
      // offsets, the group.
      log_->Say(Level::kWarning, "renewal", absl::StrCat("makes its transactional id known again: ", failure->detail));
      consumer_.reset();
      producer_.reset();
    }
  }

 private:
  MaybeFailure RunOnce(bool* was_running) {
    if (auto failure = Connect()) return failure;
    IdentityWatch watch(expected_, producer_.get(), status_, log_);
    // Records that were not written lie in it until the producer lets them go.
    loop_ = std::make_unique<Loop>(Loop::Parts{.plan = &inputs_.plan,
                                               .program = inputs_.program,
                                               .expected = expected_,
                                               .commit_interval_ms = options_.commit_interval_ms,
                                               .keep_alive_ms = options_.keep_alive_s * 1000,
                                               .consumer = consumer_.get(),
                                               .producer = producer_.get(),
                                               .watch = &watch,
                                               .status = status_,
                                               .log = log_,
                                               .pulse = pulse_,
                                               .named = named_,
                                               .tally = tally_});
    MaybeFailure failure = loop_->Run();
    *was_running |= loop_->running();
    named_ = loop_->named();
    tally_ = loop_->tally();
    tally_.Abort();
    if (!failure.has_value()) {
      if (auto written = status_->Enter(v1::RunnerStatus::CLOSING); !written.ok()) failure = FailureOf(written);
    }
    if (!failure.has_value()) failure = loop_->Close();
    if (failure.has_value()) loop_->GiveUp(*failure);
    return failure;
  }

  bool MayRenew() {
    const int64_t now = Pulse::NowMs();
    if (pulse_->stop_requested() || (renewed_ms_.has_value() && now - *renewed_ms_ < kRenewalMs)) return false;
    renewed_ms_ = now;
    return true;
  }

  MaybeFailure Connect() {
    int64_t max_batch_bytes = kAssumedBatchBytes;
    if (auto failure = CheckIdentities(inputs_.properties, pulse_, log_, &expected_, &max_batch_bytes)) return failure;
    auto producer = kafka::Producer::Open(inputs_.properties, {.transactional_id = options_.application_id,
                                                               .topic = expected_.output_topic,
                                                               .max_batch_bytes = max_batch_bytes});
    if (!producer.ok()) return FailureOf(producer.status());
    producer_ = *std::move(producer);
    if (auto failure = InitTransactions()) return failure;
    auto consumer = kafka::Consumer::Open(inputs_.properties, options_.application_id, expected_.input_topic);
    if (!consumer.ok()) return FailureOf(consumer.status());
    consumer_ = *std::move(consumer);
    if (auto failure = CheckInitialOffsets()) return failure;
    absl::Status subscribed = consumer_->Subscribe();
    return subscribed.ok() ? std::nullopt : MaybeFailure(FailureOf(subscribed));
  }

  // Ends what a process before this one left open, so that its offsets are settled before they are read.
  MaybeFailure InitTransactions() {
    const int64_t begun = Pulse::NowMs();
    kafka::TxnResult result;
    do {
      pulse_->Beat();
      if (pulse_->stop_requested()) return Failure{.reason = v1::RunnerStatus::REASON_UNSPECIFIED};
      result = producer_->Init(kSliceMs);
      producer_->Serve(0);
    } while (result.outcome == kafka::TxnOutcome::kRetry && !pulse_->Expired(begun));
    if (result.outcome == kafka::TxnOutcome::kOk) return std::nullopt;
    return FailureOf(result, "initialising transactions");
  }

  // Before subscribing, so that a runner without offsets never becomes a member.
  MaybeFailure CheckInitialOffsets() {
    std::vector<int32_t> partitions(static_cast<size_t>(expected_.input_partitions));
    std::iota(partitions.begin(), partitions.end(), 0);
    std::vector<kafka::Position> committed;
    MaybeFailure failure;
    for (int i = 0; i < kAskTimes; ++i) {
      pulse_->Beat();
      if (pulse_->stop_requested()) return Failure{.reason = v1::RunnerStatus::REASON_UNSPECIFIED};
      failure = AskPositions(consumer_.get(), expected_, named_, partitions, kAskMs, &committed);
      if (!failure.has_value() || failure->reason != v1::RunnerStatus::BROKER_UNREACHABLE) break;
    }
    pulse_->Beat();
    return failure;
  }

  const Options& options_;
  const Inputs inputs_;
  StatusFile* const status_;
  Log* const log_;
  Pulse* const pulse_;
  Expected expected_;
  int32_t named_;
  Tally tally_;
  std::optional<int64_t> renewed_ms_;
  std::unique_ptr<Loop> loop_;
  std::unique_ptr<kafka::Producer> producer_;
  std::unique_ptr<kafka::Consumer> consumer_;
};

int Refuse(const cli::Flags& flags, const absl::Status& status) {
  flags.UsageError(status.message());
  return kExitRefused;
}

// Never destroyed: threads of the client library have it to the end of the process.
Log* OpenLog(const std::string& application_id) {
  auto* log = new Log(application_id, &base::RealClock());
  kafka::SetLogReader([log](std::string_view facility, std::string_view text) {
    log->Say(Level::kWarning, facility, absl::StrCat("kafka client: ", facility, ": ", text));
  });
  return log;
}

int RunLocked(const cli::Flags& flags, const Options& options, const v1::RunnerIdentity& identity, Pulse* pulse) {
  const std::string status_path = fs::JoinPath(options.state_dir, "status.textproto");
  const NamedBefore before = ReadNamedBefore(status_path, options.input_topic_id);
  v1::RunnerStatus known = KnownStatus(options, identity);
  KeepNamed(before.partitions, known.mutable_partitions());
  Log* const log = OpenLog(options.application_id);
  StatusFile status(status_path, std::move(known), &base::RealClock(), log);
  if (auto written = status.Enter(v1::RunnerStatus::STARTING); !written.ok()) return Refuse(flags, written);
  diag::Diagnostics diagnostics;
  std::string plan_sha256;
  std::optional<Inputs> inputs = ReadInputs(options, &plan_sha256, &diagnostics);
  // One that is refused says of which plan, too: it is this generation's own end.
  status.Update([&](v1::RunnerStatus* s) { s->set_plan_sha256(plan_sha256); });
  if (!inputs.has_value()) {
    cli::Report(flags, diagnostics);
    status.Fail({v1::RunnerStatus::REFUSED, diagnostics.Sorted().front().text}).IgnoreError();
    return kExitRefused;
  }
  Watchdog watchdog(pulse, &status, log, [&](const Failure& failure) {
    status.Fail(failure).IgnoreError();
    std::_Exit(kExitFailed);
  });
  bool was_running = false;
  // Never destroyed: that would wait for the client library's threads, after all that matters is done.
  auto* session = new Session(options, *std::move(inputs), before.below, &status, log, pulse);
  const MaybeFailure failure = session->Run(&was_running);
  if (failure.has_value() && failure->reason != v1::RunnerStatus::REASON_UNSPECIFIED) {
    if (auto written = status.Fail(*failure); !written.ok()) flags.UsageError(written.message());
    return ExitCodeOf(*failure, was_running);
  }
  if (auto written = status.Enter(v1::RunnerStatus::CLOSED); !written.ok()) {
    flags.UsageError(written.message());
    return kExitFailed;
  }
  return kExitClosed;
}

}  // namespace

int RunSession(const cli::Flags& flags, const Options& options, Pulse* pulse) {
  if (options.validate_only) {
    diag::Diagnostics diagnostics;
    std::string plan_sha256;
    const bool is_good = ReadInputs(options, &plan_sha256, &diagnostics).has_value();
    cli::Report(flags, diagnostics);
    if (is_good) cli::Say(flags, "plan and client properties are good");
    return is_good ? kExitClosed : kExitRefused;
  }
  constexpr int kFolderMode = 0700;
  constexpr int kFileMode = 0600;
  if (auto made = fs::MakeFolders(options.state_dir, kFolderMode); !made.ok()) return Refuse(flags, made);
  auto lock = fs::FileLock::TryAcquire(fs::JoinPath(options.state_dir, "lock"));
  if (!lock.ok()) return Refuse(flags, lock.status());
  auto identity = ReadOwnIdentity(base::RealClock().NowMs());
  if (!identity.ok()) return Refuse(flags, identity.status());
  auto written = fs::WriteFileAtomically(fs::JoinPath(options.state_dir, "identity.textproto"), docio::Write(*identity),
                                         kFileMode, fs::Existing::kReplace);
  if (!written.ok()) return Refuse(flags, written);
  return RunLocked(flags, options, *identity, pulse);
}

}  // namespace st::runner
