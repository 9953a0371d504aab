#include "runner/status_file.h"

#include <cstdio>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"

namespace st::runner {

StatusFile::StatusFile(std::string path, v1::RunnerStatus known, base::Clock* clock)
    : path_(std::move(path)), clock_(clock), status_(std::move(known)) {}

void StatusFile::Update(const std::function<void(v1::RunnerStatus*)>& change) {
  absl::MutexLock lock(&mu_);
  if (status_.state() != v1::RunnerStatus::FAILED) change(&status_);
}

absl::Status StatusFile::Enter(v1::RunnerStatus::State state) {
  absl::MutexLock lock(&mu_);
  if (status_.state() == v1::RunnerStatus::FAILED) return absl::OkStatus();
  status_.set_state(state);
  Announce();
  return Write();
}

absl::Status StatusFile::Fail(const Failure& failure) {
  absl::MutexLock lock(&mu_);
  if (status_.state() == v1::RunnerStatus::FAILED) return absl::OkStatus();
  status_.set_state(v1::RunnerStatus::FAILED);
  status_.set_reason(failure.reason);
  // Parts of it come from brokers.
  status_.set_detail(diag::Visible(failure.detail));
  if (!failure.stop.topic().empty()) *status_.mutable_stop() = failure.stop;
  Announce();
  return Write();
}

absl::Status StatusFile::Refresh() {
  absl::MutexLock lock(&mu_);
  if (status_.state() == v1::RunnerStatus::FAILED || status_.state() == v1::RunnerStatus::CLOSED) {
    return absl::OkStatus();
  }
  return Write();
}

absl::Status StatusFile::Write() {
  constexpr int kMode = 0600;
  status_.set_updated_at_ms(clock_->NowMs());
  return fs::WriteFileAtomically(path_, docio::Write(status_), kMode, fs::Existing::kReplace);
}

void StatusFile::Say(std::string_view what) const {
  absl::MutexLock lock(&mu_);
  Print(what);
}

void StatusFile::Announce() const {
  std::string what = absl::AsciiStrToLower(v1::RunnerStatus::State_Name(status_.state()));
  if (status_.reason() != v1::RunnerStatus::REASON_UNSPECIFIED) {
    absl::StrAppend(&what, " ", absl::AsciiStrToLower(v1::RunnerStatus::Reason_Name(status_.reason())), ": ",
                    status_.detail());
  }
  Print(what);
}

// A reader that went away is no reason to stop.
void StatusFile::Print(std::string_view what) const {
  const std::string line =
      absl::StrCat(base::FormatRfc3339(clock_->NowMs()).text, " ", status_.application_id(), " ", what, "\n");
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

}  // namespace st::runner
