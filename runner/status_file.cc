#include "runner/status_file.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "runner/metrics.h"

namespace st::runner {
namespace {

constexpr int kStatusMode = 0600;
// Whoever may enter the folder may read figures: the collector is another user.
constexpr int kMetricsMode = 0644;

}  // namespace

StatusFile::StatusFile(std::string path, v1::RunnerStatus known, base::Clock* clock, Log* log)
    : path_(std::move(path)),
      metrics_path_(fs::JoinPath(fs::Dirname(path_), "metrics.prom")),
      clock_(clock),
      log_(log),
      status_(std::move(known)) {}

void StatusFile::Update(const std::function<void(v1::RunnerStatus*)>& change) {
  absl::MutexLock lock(&mu_);
  if (status_.state() != v1::RunnerStatus::FAILED) change(&status_);
}

void StatusFile::SetCommits(const CommitTimes& commits) {
  absl::MutexLock lock(&mu_);
  if (status_.state() != v1::RunnerStatus::FAILED) commits_ = commits;
}

absl::Status StatusFile::Enter(v1::RunnerStatus::State state) {
  {
    absl::MutexLock lock(&mu_);
    if (status_.state() == v1::RunnerStatus::FAILED) return absl::OkStatus();
    status_.set_state(state);
    Announce();
  }
  return Write();
}

absl::Status StatusFile::Fail(const Failure& failure) {
  {
    absl::MutexLock lock(&mu_);
    if (status_.state() == v1::RunnerStatus::FAILED) return absl::OkStatus();
    status_.set_state(v1::RunnerStatus::FAILED);
    status_.set_reason(failure.reason);
    // Parts of it come from brokers.
    status_.set_detail(diag::Visible(failure.detail));
    if (!failure.stop.topic().empty()) *status_.mutable_stop() = failure.stop;
    Announce();
  }
  return Write();
}

absl::Status StatusFile::Refresh() {
  {
    absl::MutexLock lock(&mu_);
    if (status_.state() == v1::RunnerStatus::FAILED || status_.state() == v1::RunnerStatus::CLOSED) {
      return absl::OkStatus();
    }
  }
  return Write();
}

absl::Status StatusFile::Write() {
  absl::MutexLock writing(&writing_);
  v1::RunnerStatus status;
  CommitTimes commits;
  {
    absl::MutexLock lock(&mu_);
    FillIn();
    status = status_;
    commits = commits_;
  }
  absl::Status written = fs::WriteFileAtomically(path_, docio::Write(status), kStatusMode, fs::Existing::kReplace);
  absl::Status shown =
      fs::WriteFileAtomically(metrics_path_, MetricsText(status, commits), kMetricsMode, fs::Existing::kReplace);
  // Once; that they are written again shows in their age.
  if (!shown.ok() && !complained_) log_->Say(Level::kWarning, "metrics", shown.message());
  complained_ = !shown.ok();
  return written;
}

void StatusFile::FillIn() {
  const int64_t now_ms = clock_->MonotonicMs();
  const RateWindow::Rates rates = rates_.Look(now_ms, status_.records_in(), status_.records_out());
  if (rates.window_ms > 0) {
    auto* shown = status_.mutable_rates();
    shown->set_window_ms(rates.window_ms);
    shown->set_records_in_per_second(rates.in);
    shown->set_records_out_per_second(rates.out);
  }
  if (commits_.count() > 0) {
    auto* latency = status_.mutable_commit_latency();
    latency->set_last_us(commits_.last_us());
    latency->set_max_us(commits_.MostUs(now_ms));
    latency->set_window_ms(CommitTimes::kWindowMs);
  }
  if (const Faults faults = log_->faults(); faults.count > 0) {
    auto* last = status_.mutable_last_error();
    last->set_at_ms(faults.last_ms);
    last->set_text(faults.last);
    last->set_errors(faults.count);
  }
  status_.set_updated_at_ms(clock_->NowMs());
}

void StatusFile::Announce() const {
  const bool ends = status_.state() == v1::RunnerStatus::CLOSED || status_.state() == v1::RunnerStatus::FAILED;
  if (ends) log_->Finish();
  std::string what = absl::AsciiStrToLower(v1::RunnerStatus::State_Name(status_.state()));
  if (status_.reason() != v1::RunnerStatus::REASON_UNSPECIFIED) {
    absl::StrAppend(&what, " ", absl::AsciiStrToLower(v1::RunnerStatus::Reason_Name(status_.reason())), ": ",
                    status_.detail());
  }
  log_->SayState(status_.state() == v1::RunnerStatus::FAILED ? Level::kError : Level::kInfo, what);
}

}  // namespace st::runner
