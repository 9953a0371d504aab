// Stands in for st-runner in the tests of lib/host: the same flags, lock, identity, status and answer to SIGTERM; no
// Kafka. What it was given is printed to its log. The cluster id tells it to misbehave:
//   fifo:<path>   before it takes its lock it waits until somebody opens that pipe for writing
//   die-early     ends before it has written anything
//   fail          ends with status FAILED
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/base/clock.h"
#include "lib/docio/docio.h"
#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace {

using st::v1::RunnerIdentity;
using st::v1::RunnerStatus;

void PrintSurroundings(int argc, char** argv) {
  for (int i = 0; i < argc; ++i) std::printf("arg %s\n", argv[i]);
  for (char** variable = environ; *variable != nullptr; ++variable) std::printf("env %s\n", *variable);
  const std::vector<std::string> descriptors = *st::fs::ListFolder("/proc/self/fd");
  for (const std::string& name : descriptors) {
    // The listing's own descriptor is closed by now.
    absl::StatusOr<std::string> file = st::fs::RealPath("/proc/self/fd/" + name);
    if (file.ok()) std::printf("fd %s %s\n", name.c_str(), file->c_str());
  }
  const std::vector<std::string> stat = absl::StrSplit(*st::fs::ReadFile("/proc/self/stat", 4096), ' ');
  std::printf("session leader %s\nterminal %s\n", getsid(0) == getpid() ? "yes" : "no", stat[6].c_str());
  std::printf("folder %s\n", st::fs::RealPath(".")->c_str());
  const mode_t mask = umask(0);
  std::printf("umask %03o\n", mask);
  (void)umask(mask);
  for (std::string_view line : absl::StrSplit(*st::fs::ReadFile("/proc/self/status", 65536), '\n')) {
    if (absl::StartsWith(line, "SigBlk:") || absl::StartsWith(line, "SigIgn:") || absl::StartsWith(line, "SigCgt:")) {
      std::printf("%s\n", std::string(line).c_str());
    }
  }
  for (std::string_view line : absl::StrSplit(*st::fs::ReadFile("/proc/self/limits", 65536), '\n')) {
    if (absl::StartsWith(line, "Max core")) std::printf("%s\n", std::string(line).c_str());
  }
  (void)std::fflush(stdout);
}

RunnerIdentity Identity() {
  RunnerIdentity identity;
  identity.set_generation_id(std::getenv("ST_GENERATION_ID"));
  identity.set_pid(static_cast<uint32_t>(getpid()));
  identity.set_boot_id(
      std::string(absl::StripAsciiWhitespace(*st::fs::ReadFile("/proc/sys/kernel/random/boot_id", 64))));
  const std::string text = *st::fs::ReadFile("/proc/self/stat", 4096);
  const std::vector<std::string> fields = absl::StrSplit(text.substr(text.rfind(')') + 2), ' ');
  uint64_t ticks = 0;
  if (!absl::SimpleAtoi(fields[22 - 3], &ticks)) std::abort();
  identity.set_start_time_ticks(ticks);
  identity.set_executable(*st::fs::RealPath("/proc/self/exe"));
  identity.set_started_at_ms(st::base::RealClock().NowMs());
  return identity;
}

void Write(const std::string& path, const google::protobuf::Message& message) {
  const absl::Status written =
      st::fs::WriteFileAtomically(path, st::docio::Write(message), 0600, st::fs::Existing::kReplace);
  if (!written.ok()) std::abort();
}

}  // namespace

int main(int argc, char** argv) {
  PrintSurroundings(argc, argv);
  std::map<std::string, std::string> flags;
  for (int i = 1; i < argc; ++i) flags.insert(absl::StrSplit(argv[i] + 2, absl::MaxSplits('=', 1)));
  const std::string& cluster = flags["expected-cluster-id"];
  const std::string& state = flags["state-dir"];
  if (cluster == "die-early") return 3;
  if (!st::fs::ReadFile(flags["client-properties"], 1 << 20).ok()) return 2;
  if (absl::StartsWith(cluster, "fifo:")) st::fs::Descriptor(st::fs::OpenRetrying(cluster.c_str() + 5, O_RDONLY));

  sigset_t term;
  (void)sigemptyset(&term);
  (void)sigaddset(&term, SIGTERM);
  (void)sigprocmask(SIG_BLOCK, &term, nullptr);
  absl::StatusOr<st::fs::FileLock> lock = st::fs::FileLock::TryAcquire(st::fs::JoinPath(state, "lock"));
  if (!lock.ok()) return 2;
  const RunnerIdentity identity = Identity();
  Write(st::fs::JoinPath(state, "identity.textproto"), identity);
  RunnerStatus status;
  status.set_state(cluster == "fail" ? RunnerStatus::FAILED : RunnerStatus::RUNNING);
  status.set_generation_id(identity.generation_id());
  status.set_application_id(flags["application-id"]);
  status.set_pid(identity.pid());
  status.set_updated_at_ms(st::base::RealClock().NowMs());
  Write(st::fs::JoinPath(state, "status.textproto"), status);
  if (cluster == "fail") return 3;
  int got = 0;
  (void)sigwait(&term, &got);
  status.set_state(RunnerStatus::CLOSED);
  status.set_updated_at_ms(st::base::RealClock().NowMs());
  Write(st::fs::JoinPath(state, "status.textproto"), status);
  return 0;
}
