#include "e2e/runner/runner_process.h"

#include <fcntl.h>
#include <stdlib.h>  // mkdtemp
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"

namespace st::e2e {
namespace {

constexpr size_t kStatusBytes = size_t{1} << 22;
constexpr int64_t kAwaitMs = 60000;
constexpr int64_t kLookMs = 20;

void WriteText(const std::string& path, const std::string& text) {
  ABSL_CHECK(fs::WriteFileAtomically(path, text, 0600, fs::Existing::kReplace).ok());
}

}  // namespace

Model::Model(Cluster* cluster, const std::string& servers, const v1::RecordPlan& plan,
             const std::string& application_id, int partitions)
    : application_id_(application_id) {
  const char* temporary = std::getenv("TEST_TMPDIR");
  folder_ = absl::StrCat(temporary == nullptr ? "/tmp" : temporary, "/model.XXXXXX");
  ABSL_CHECK(mkdtemp(folder_.data()) != nullptr);
  WriteText(absl::StrCat(folder_, "/plan.textproto"), docio::Write(plan));
  WriteText(absl::StrCat(folder_, "/client.properties"), absl::StrCat("bootstrap.servers=", servers, "\n"));
  flags = {{"plan", absl::StrCat(folder_, "/plan.textproto")},
           {"client-properties", absl::StrCat(folder_, "/client.properties")},
           {"application-id", application_id},
           {"state-dir", absl::StrCat(folder_, "/state")},
           {"expected-cluster-id", cluster->ClusterId()},
           {"expected-input-topic-id", cluster->TopicId(plan.input_topic())},
           {"expected-output-topic-id", cluster->TopicId(plan.output_topic())},
           {"initialized-partitions", absl::StrCat(partitions)}};
}

Model::~Model() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

RunnerProcess::RunnerProcess(const Model& model)
    : status_path_(model.flags.at("state-dir") + "/status.textproto"), log_path_(model.folder() + "/log") {
  std::vector<std::string> words = model.launcher;
  words.emplace_back("runner/st-runner");
  for (const auto& [name, value] : model.flags) words.push_back(absl::StrCat("--", name, "=", value));
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_ = fork();
  ABSL_CHECK_GE(pid_, 0);
  if (pid_ == 0) {
    const int out = open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    setenv("ST_GENERATION_ID", "g-test", 1);
    for (const auto& [name, value] : model.environment) setenv(name.c_str(), value.c_str(), 1);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
}

RunnerProcess::~RunnerProcess() {
  if (Poll().has_value()) return;
  Signal(SIGCONT);
  Signal(SIGKILL);
  Wait();
}

std::string RunnerProcess::Log() const {
  auto text = fs::ReadFile(log_path_, kStatusBytes);
  return text.ok() ? absl::StrCat("\n", *text) : std::string();
}

void RunnerProcess::Signal(int signal) const {
  if (!ended_.has_value()) kill(pid_, signal);
}

std::optional<int> RunnerProcess::Poll() {
  if (ended_.has_value()) return ended_;
  int status = 0;
  if (waitpid(pid_, &status, WNOHANG) == pid_) {
    ended_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  return ended_;
}

int RunnerProcess::Wait(int seconds) {
  const int64_t until = base::RealClock().MonotonicMs() + int64_t{1000} * seconds;
  while (!Poll().has_value()) {
    ABSL_CHECK_LT(base::RealClock().MonotonicMs(), until)
        << "the runner did not end: " << Status().ShortDebugString() << Log();
    base::RealClock().SleepMs(kLookMs);
  }
  return *ended_;
}

int RunnerProcess::Stop() {
  Signal(SIGTERM);
  return Wait();
}

std::optional<v1::RunnerStatus> ReadStatus(const std::string& path) {
  auto text = fs::ReadFile(path, kStatusBytes);
  if (!text.ok()) return std::nullopt;
  v1::RunnerStatus status;
  diag::Diagnostics diagnostics;
  ABSL_CHECK(docio::Read(*text, path, docio::Trailer::kRequired, &status, &diagnostics)) << *text;
  return status;
}

v1::RunnerStatus RunnerProcess::Status() const {
  v1::RunnerStatus status = ReadStatus(status_path_).value_or(v1::RunnerStatus());
  return status.pid() == static_cast<uint32_t>(pid_) ? status : v1::RunnerStatus();
}

v1::RunnerStatus RunnerProcess::Await(const std::function<bool(const v1::RunnerStatus&)>& wanted) {
  const int64_t until = base::RealClock().MonotonicMs() + kAwaitMs;
  while (true) {
    const bool ended = Poll().has_value();
    v1::RunnerStatus status = Status();
    if (wanted(status)) return status;
    ABSL_CHECK(!ended) << "the runner ended with " << *ended_ << ": " << status.ShortDebugString() << Log();
    ABSL_CHECK_LT(base::RealClock().MonotonicMs(), until) << "in vain: " << status.ShortDebugString() << Log();
    base::RealClock().SleepMs(kLookMs);
  }
}

v1::RunnerStatus RunnerProcess::AwaitRunning() {
  return Await([](const v1::RunnerStatus& status) { return status.state() == v1::RunnerStatus::RUNNING; });
}

}  // namespace st::e2e
