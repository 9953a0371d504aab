#include "lib/host/process_bench.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "lib/host/proc.h"
#include "lib/host/process.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::host {
namespace {

constexpr size_t kMaxFile = size_t{1} << 30;

std::string PlanPath(const v1::GenerationFacts& generation) { return generation.location() + "/plan.textproto"; }

}  // namespace

v1::RecordPlan PlanInto(const std::string& output) {
  v1::RecordPlan plan;
  plan.set_version(1);
  plan.set_input_topic("flights");
  plan.set_output_topic(output);
  return plan;
}

std::string Content(const std::string& path) {
  absl::StatusOr<std::string> bytes = fs::ReadFile(path, kMaxFile);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

void Overwrite(const std::string& path, std::string_view bytes) {
  const absl::Status written = fs::WriteFileAtomically(path, bytes, 0700, fs::Existing::kReplace);
  EXPECT_TRUE(written.ok()) << written;
}

ProcessBench::ProcessBench() {
  std::string name = testing::TempDir() + "/host-XXXXXX";
  EXPECT_NE(mkdtemp(name.data()), nullptr);
  root_ = std::filesystem::canonical(name).string() + "/runners";
}

ProcessBench::~ProcessBench() {
  std::error_code error;
  const std::unique_ptr<RunnerHost> host = Open();
  for (const auto& application : std::filesystem::directory_iterator(root_, error)) {
    if (!application.is_directory()) continue;
    absl::StatusOr<std::vector<v1::GenerationFacts>> all =
        host->Inventory({application.path().filename().string()}, Depth::kDeep);
    if (!all.ok()) continue;
    for (const v1::GenerationFacts& generation : *all) {
      // Only what runs this bench's own copy of the fake.
      const pid_t pid = static_cast<pid_t>(generation.pid());
      if (pid > 0 && Executes(pid, generation.location() + "/st-runner").value_or(false)) (void)kill(pid, SIGKILL);
    }
  }
  std::filesystem::remove_all(fs::Dirname(root_), error);
}

std::string ProcessBench::FakeRunner() { return std::filesystem::absolute("lib/host/fake_runner").string(); }

std::unique_ptr<RunnerHost> ProcessBench::Open() { return OpenProcessHost(root_, FakeRunner()); }

void ProcessBench::Fill(GenerationSpec* spec) {
  const v1::RecordPlan plan = PlanInto("late");
  spec->plan_document = docio::Write(plan);
  spec->plan_sha256 = base::Checksum(plan);
  spec->client_properties = "bootstrap.servers=127.0.0.1:1\nsasl.password=canary-secret\n";
  spec->runner_sha256 = base::Sha256Hex(Content(FakeRunner()));
}

absl::Status ProcessBench::Kill(const v1::GenerationFacts& generation) {
  const pid_t pid = static_cast<pid_t>(generation.pid());
  if (pid <= 0 || kill(pid, SIGKILL) != 0) return absl::InternalError("no process to kill");
  while (StartTimeTicks(pid).ok()) base::RealClock().SleepMs(1);
  return absl::OkStatus();
}

absl::Status ProcessBench::ReplacePlan(const v1::GenerationFacts& generation) {
  Overwrite(PlanPath(generation), docio::Write(PlanInto("another")));
  return absl::OkStatus();
}

absl::Status EditPlanAt(const std::string& path) {
  std::string text = Content(path);
  const size_t place = text.find("flights");
  if (place == std::string::npos) return absl::InternalError("no such word in the plan");
  text[place] = 'F';
  Overwrite(path, text);
  return absl::OkStatus();
}

absl::Status ProcessBench::EditPlan(const v1::GenerationFacts& generation) { return EditPlanAt(PlanPath(generation)); }

absl::StatusOr<std::map<std::string, std::string>> FilesOfProperties(const std::string& folder,
                                                                     const std::string& seen_at) {
  std::map<std::string, std::string> files;
  for (std::string_view line : absl::StrSplit(Content(folder + "/client.properties"), '\n')) {
    const std::pair<std::string_view, std::string_view> property = absl::StrSplit(line, absl::MaxSplits('=', 1));
    std::string_view path = property.second;
    if (!absl::ConsumePrefix(&path, seen_at + "/")) continue;
    const std::string file = absl::StrCat(folder, "/", path);
    struct stat status {};
    if (stat(file.c_str(), &status) != 0 || (status.st_mode & 07777) != 0600) {
      return absl::InternalError(file + " is not for its owner's eyes only");
    }
    files[std::string(property.first)] = Content(file);
  }
  return files;
}

absl::StatusOr<std::map<std::string, std::string>> ProcessBench::ClientFiles(const v1::GenerationFacts& generation) {
  return FilesOfProperties(generation.location(), generation.location());
}

absl::Status ProcessBench::EditBinary(const v1::GenerationFacts& generation) {
  const std::string path = generation.location() + "/st-runner";
  std::string bytes = Content(path);
  bytes.back() ^= 1;
  Overwrite(path, bytes);
  return absl::OkStatus();
}

absl::Status ProcessBench::Rename(const v1::GenerationFacts& generation) {
  const std::string& from = generation.location();
  const std::string to = fs::JoinPath(fs::Dirname(from), "renamed");
  return std::rename(from.c_str(), to.c_str()) == 0 ? absl::OkStatus() : absl::InternalError("cannot rename it");
}

}  // namespace st::host
