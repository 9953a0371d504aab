// Episodes of which the fault is around the runner: its disk, its clock, its password, its network, its broker.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/torture/runner_episode.h"
#include "e2e/torture/shifted_clock.h"
#include "lib/fs/memory_disk.h"

namespace st::e2e {
namespace {

constexpr int kSomeRecords = 3000;
constexpr int kMostMs = 1000;

// In place of what is there.
void SetProperties(const Model& model, const std::string& lines) {
  std::ofstream file(model.flags.at("client-properties"), std::ios::trunc);
  file << lines;
  ABSL_CHECK(file.flush().good());
}

}  // namespace

void RunnerEpisode::FillDisk() {
  constexpr size_t kBytes = size_t{1} << 20;
  Begin(brokers_.steady(), kSomeRecords);
  fs::MemoryDisk disk(subject_->model().folder() + "/disk", kBytes);
  subject_->model().flags["state-dir"] = disk.folder() + "/state";
  if (!StartUnderLoad()) return;
  SleepUpTo(kMostMs);
  disk.FillBut(0);
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!absl::StrContains(runner_->Log(), "status.textproto") && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(20));
  }
  if (!absl::StrContains(runner_->Log(), "status.textproto")) return Violation("it does not say that its disk is full");
  const int choice = Draw(3);
  Log(choice == 0 ? "then there is room" : choice == 1 ? "killed" : "closed");
  if (choice == 1) runner_->Signal(SIGKILL);
  if (choice == 2) runner_->Signal(SIGTERM);
  if (choice != 0) {
    // Where a transition cannot be written, it ends.
    const int expected = choice == 1 ? -SIGKILL : 3;
    const std::optional<int> ended = AwaitEnd(runner_.get(), 20'000);
    if (ended.has_value() && *ended != expected) Violation(absl::StrCat("it ended with ", *ended));
    runner_.reset();
  }
  disk.Free();
  Finish();
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(disk.folder() + "/state")) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  if (Good() && files != 4) Violation(absl::StrCat(files, " files are in its state folder"));
  runner_.reset();
}

void RunnerEpisode::SetClock() {
  constexpr int64_t kShiftsMs[] = {-20'000, -60'000, -3'600'000, -86'400'000, 3'600'000};
  constexpr int64_t kNearMs = 5000;
  Begin(brokers_.steady(), kSomeRecords);
  ShiftedClock clock(subject_->model().folder());
  subject_->model().environment = clock.Environment();
  if (!StartUnderLoad()) return;
  for (int round = Draw(3); round >= 0; --round) {
    SleepUpTo(kMostMs);
    const int64_t shift = kShiftsMs[Draw(std::size(kShiftsMs))];
    Log(absl::StrCat("the clock is at ", shift, " ms"));
    clock.Set(shift);
    const auto knows = [&](const Status& s) {
      return std::abs(s.updated_at_ms() - absl::ToUnixMillis(absl::Now()) - shift) < kNearMs;
    };
    if (!Await(runner_.get(), "its status has another time", knows)) return;
  }
  SleepUpTo(kMostMs);
  Finish();
}

void RunnerEpisode::ChangePassword() {
  const auto login = [&](const std::string& password) {
    return absl::StrCat("bootstrap.servers=", brokers_.steady_by_login(),
                        "\nsecurity.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-256\nsasl.username=", name_,
                        "\nsasl.password=", password, "\n");
  };
  Begin(brokers_.steady(), kSomeRecords);
  subject_->cluster().SetPassword(name_, "first");
  SetProperties(subject_->model(), login("first"));
  if (!StartUnderLoad()) return;
  // A login or two are made anew meanwhile.
  SleepUpTo(4 * kMostMs);
  subject_->cluster().SetPassword(name_, "second");
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (!absl::StrContains(runner_->Log(), "invalid credentials") && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(20));
  }
  if (!absl::StrContains(runner_->Log(), "invalid credentials")) return Violation("its login does not run out");
  // Idle, it waits; in the middle of something, it ends.
  SleepUpTo(8 * kMostMs);
  runner_->Signal(SIGTERM);
  const std::optional<int> ended = AwaitEnd(runner_.get(), 20'000);
  if (!ended.has_value()) return;
  if (*ended != 0) {
    ExpectEnd(runner_.get(),
              {Status::NOT_AUTHORIZED, Status::BROKER_UNREACHABLE, Status::TRANSACTION_UNKNOWN, Status::CLOSE_TIMEOUT});
  }
  if (!Good()) return;
  SetProperties(subject_->model(), login("second"));
  runner_.reset();
  Finish();
}

bool RunnerEpisode::StartOn(const Wire& wire) {
  Begin(brokers_.steady(), kSomeRecords);
  subject_->model().launcher = wire.Launcher();
  SetProperties(subject_->model(), absl::StrCat("bootstrap.servers=", brokers_.steady_by_wire(), "\n"));
  return StartUnderLoad();
}

void RunnerEpisode::CutNetwork() {
  constexpr int kWays = 3;
  const absl::MutexLock lock(&brokers_.wire_mu());
  const Wire& wire = brokers_.wire();
  if (!StartOn(wire)) return;
  SleepUpTo(kMostMs);
  const int way = Draw(kWays);
  Log(absl::StrCat("cut, way ", way));
  wire.Cut(static_cast<Wire::Way>(way));
  // Some beyond the session in the group, few beyond all patience.
  constexpr int kSecond = 1000;
  const int choice = Draw(6);
  SleepUpTo(choice == 0 ? 60 * kSecond : choice < 3 ? 10 * kSecond : 3 * kSecond);
  wire.Mend();
  Finish({Status::BROKER_UNREACHABLE, Status::TRANSACTION_UNKNOWN});
  runner_.reset();
}

void RunnerEpisode::SlowNetwork() {
  constexpr int kWays = 3;
  const absl::MutexLock lock(&brokers_.wire_mu());
  const Wire& wire = brokers_.wire();
  if (!StartOn(wire)) return;
  const int way = Draw(kWays);
  Log(absl::StrCat("slow, way ", way));
  wire.Slow(static_cast<Wire::Way>(way));
  SleepUpTo(6 * kMostMs);
  wire.Mend();
  Finish();
  runner_.reset();
}

void RunnerEpisode::KillBroker() {
  const absl::MutexLock lock(&brokers_.mortal_mu());
  Broker& broker = brokers_.mortal();
  Begin(broker.bootstrap(), kSomeRecords);
  if (!StartUnderLoad()) return;
  SleepUpTo(kMostMs);
  ABSL_CHECK_OK(broker.Kill());
  SleepUpTo(kMostMs);
  ABSL_CHECK_OK(broker.Restart());
  Finish({Status::TRANSACTION_UNKNOWN, Status::BROKER_UNREACHABLE, Status::FENCED});
  runner_.reset();
  subject_.reset();
}

}  // namespace st::e2e
