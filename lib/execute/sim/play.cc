#include "lib/execute/sim/play.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/execute/execute.h"
#include "lib/execute/sim/faces.h"
#include "lib/execute/sim/gated.h"
#include "lib/execute/sim/meddling.h"

namespace st::sim {
namespace {

// Runs without faults after which a cell has to have come to its end.
constexpr int kSettlingRuns = 8;

std::string CodeOf(const std::string& reason) {
  const size_t end = reason.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
  return end != std::string::npos && end > 3 && reason[end] == ':' ? reason.substr(0, end) : "";
}

void Describe(const absl::StatusOr<v1::ApplyReport>& report, Run* run) {
  if (!report.ok()) {
    run->outcome = "ERROR";
    run->code = absl::StatusCodeToString(report.status().code());
    run->reason = report.status().message();
    return;
  }
  run->outcome = v1::ApplyReport::Outcome_Name(report->outcome());
  run->reason = report->reason();
  run->code = CodeOf(report->reason());
}

bool IsEnd(const Run& run) {
  return run.outcome == "DONE" || run.outcome == "NO_CHANGES" || run.outcome == "RUNNER_FAILED";
}

}  // namespace

absl::StatusOr<Run> Play::DriveAs(int actor, Injection injection, bool always_apply) {
  Run run;
  run.actor = actor;
  run.injection = injection;
  auto store = place_->Open();
  if (!store.ok()) return store.status();
  // What the operator was told or finds by the address: a look of his own, not the driver's.
  absl::StatusOr<state::Snapshot> found = (*store)->Read(kAddress);
  if (!found.ok()) return found.status();
  std::string operation = found->operation_id;
  const bool ours_ended = found->last_operation_id != scenario_.last_operation;
  if (operation.empty() && ours_ended) operation = found->last_operation_id;
  Clock clock(&state_);
  Cluster cluster(&state_);
  Host host(&state_);
  Gate gate(&state_, actor, [&](Fault fault) { Meddle(fault, injection.at, &run); });
  gate.Arm(injection.at, injection.fault);
  GatedCluster gated_cluster(&cluster, &gate);
  GatedHost gated_host(&host, &gate);
  GatedStore gated_store(store->get(), &gate);
  execute::World world;
  world.cluster = &gated_cluster;
  world.host = &gated_host;
  world.store = &gated_store;
  world.clock = &clock;
  world.by = absl::StrCat("operator-", actor, "@here");
  run.mode = operation.empty() || always_apply ? Run::Mode::kApply : Run::Mode::kResume;
  Describe(run.mode == Run::Mode::kApply ? execute::Apply(scenario_.plan, scenario_.topology, world)
                                         : execute::Resume(scenario_.plan, scenario_.topology, operation, world),
           &run);
  run.fired = gate.fired();
  run.killed = gate.dead();
  run.calls_after_death = gate.calls_after_death();
  run.trace = gate.trace();
  if (run.fired) run.struck = run.trace[static_cast<size_t>(injection.at) - 1];
  if (absl::Status status = LookAtStore(store->get()); !status.ok()) {
    // The theft of a lock may have cut the connection.
    store = place_->Open();
    if (store.ok()) status = LookAtStore(store->get());
    if (!status.ok()) return status;
  }
  return run;
}

absl::Status Play::LookAtStore(state::StateStore* store) {
  absl::StatusOr<state::Snapshot> left = store->Read(kAddress);
  if (!left.ok()) return left.status();
  absl::StatusOr<std::vector<state::HistoryEntry>> history = store->History(kAddress);
  if (!history.ok()) return history.status();
  left_ = *std::move(left);
  history_ = *std::move(history);
  return absl::OkStatus();
}

void Play::TakeLock() {
  place_->StealLock(kAddress);
  auto store = place_->Open();
  if (!store.ok()) return;
  auto lease = (*store)->Acquire(kAddress);
  if (!lease.ok()) return;
  thief_ = *std::move(store);
  stolen_ = *std::move(lease);
}

void Play::Meddle(Fault fault, int at, Run* run) {
  if (fault >= Fault::kForeignGeneration) {
    state_.actor = kAnotherOperator;
    run->effect = ActOnWorld(fault, at, scenario_, &state_);
    return;
  }
  if (fault == Fault::kLockLost) {
    TakeLock();
    run->effect = stolen_ != nullptr;
    return;
  }
  if (fault == Fault::kPaused) place_->StealLock(kAddress);
  absl::StatusOr<Run> other =
      DriveAs(100 * (static_cast<int>(runs_.size()) + 1) + ++drivers_, {}, fault == Fault::kAnotherApply);
  if (other.ok()) run->others.push_back(*std::move(other));
}

absl::StatusOr<Run> Play::Drive(Injection injection) {
  absl::StatusOr<Run> run = DriveAs(static_cast<int>(runs_.size()) + 1, injection, false);
  stolen_.reset();
  thief_.reset();
  if (run.ok()) runs_.push_back(*run);
  return run;
}

absl::Status Play::Settle() {
  std::string last;
  for (int i = 0; i < kSettlingRuns; ++i) {
    absl::StatusOr<Run> run = Drive({});
    if (!run.ok()) return run.status();
    if (IsEnd(*run)) return absl::OkStatus();
    const std::string now = absl::StrCat(run->outcome, ":", run->code);
    const bool stands = run->outcome == "BLOCKED" || run->outcome == "REFUSED";
    if (stands && now == last) return absl::OkStatus();
    last = now;
  }
  return absl::InternalError("it neither ends nor stays blocked for one reason");
}

}  // namespace st::sim
