#include "runner/watchdog.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace st::runner {
namespace {

constexpr absl::Duration kRefresh = absl::Seconds(1);
// Before a supervisor's patience is over, so that the status says why.
constexpr int64_t kCloseMarginMs = 1000;

}  // namespace

MaybeFailure Overdue(const Pulse& pulse) {
  if (pulse.SinceStopMs() >= kCloseMs - kCloseMarginMs) {
    return Failure{v1::RunnerStatus::CLOSE_TIMEOUT,
                   absl::StrCat("it could not close within ", kCloseMs / 1000, " s of SIGTERM")};
  }
  if (pulse.SilenceMs() >= kHangMs) {
    return Failure{v1::RunnerStatus::WATCHDOG,
                   absl::StrCat("a call has not returned for ", kHangMs / 1000, " s; the broker knows its outcome")};
  }
  return std::nullopt;
}

Watchdog::Watchdog(Pulse* pulse, StatusFile* status, Log* log, std::function<void(const Failure&)> end)
    : pulse_(pulse), status_(status), log_(log), end_(std::move(end)), thread_([this] { Watch(); }) {}

Watchdog::~Watchdog() {
  {
    absl::MutexLock lock(&mu_);
    stop_ = true;
  }
  thread_.join();
}

void Watchdog::Watch() {
  bool complained = false;
  while (true) {
    const int64_t before = Pulse::NowMs();
    {
      absl::MutexLock lock(&mu_);
      if (mu_.AwaitWithTimeout(absl::Condition(&stop_), kRefresh)) return;
    }
    // Then the loop was stopped, too, and is no less alive than before. What has become of its transaction, the broker
    // will tell it.
    if (Pulse::NowMs() - before >= kStoppedMs) pulse_->Beat();
    if (auto failure = Overdue(*pulse_)) {
      end_(*failure);
      return;
    }
    absl::Status written = status_->Refresh();
    // Once: the file's age tells the rest.
    if (!written.ok() && !complained) log_->Say(Level::kWarning, "status", written.message());
    complained = !written.ok();
    log_->Tick();
  }
}

}  // namespace st::runner
