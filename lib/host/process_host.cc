#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/id.h"
#include "lib/docio/docio.h"
#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"
#include "lib/host/detached_process.h"
#include "lib/host/generation_build.h"
#include "lib/host/generation_folder.h"
#include "lib/host/inventory.h"
#include "lib/host/proc.h"
#include "lib/host/process.h"
#include "schemas/st/v1/generation.pb.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::host {
namespace {

// Of machine-id(5), and of the id that we make where there is none.
constexpr size_t kMaxHostId = 128;

class ProcessHost : public RunnerHost {
 public:
  ProcessHost(std::string root, std::string runner_binary)
      : root_(std::move(root)), runner_binary_(std::move(runner_binary)) {}

  absl::StatusOr<v1::HostFacts> Identify() override;
  absl::StatusOr<std::vector<v1::GenerationFacts>> Inventory(const std::vector<std::string>& application_ids,
                                                             Depth depth) override;
  absl::StatusOr<std::vector<v1::VolumeFacts>> Volumes(const std::vector<std::string>& application_ids) override;
  absl::StatusOr<std::string> CreateVolume(const std::string& application_id, const std::string& operation_id) override;
  absl::Status Create(const GenerationSpec& spec) override;
  absl::Status Start(const std::string& application_id, const std::string& generation_id) override;
  absl::Status Stop(const std::string& application_id, const std::string& generation_id) override;
  absl::Status Remove(const std::string& application_id, const std::string& generation_id) override;

 private:
  absl::StatusOr<std::string> HostId() const;

  std::string root_;
  std::string runner_binary_;
};

std::vector<std::string> Sorted(std::vector<std::string> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

absl::StatusOr<std::string> ProcessHost::HostId() const {
  absl::StatusOr<std::string> machine = fs::ReadFile("/etc/machine-id", kMaxHostId);
  if (machine.ok()) {
    const std::string id(absl::StripAsciiWhitespace(*machine));
    if (!id.empty() && id != "uninitialized") return id;
  }
  const std::string path = fs::JoinPath(root_, "host-id");
  absl::StatusOr<std::string> ours = fs::ReadFile(path, kMaxHostId);
  if (!absl::IsNotFound(ours.status())) return ours;
  if (absl::Status made = fs::MakeFolders(root_, 0700); !made.ok()) return made;
  const absl::Status written = fs::WriteFileAtomically(path, base::NewUuid(), 0600, fs::Existing::kRefuse);
  if (!written.ok() && !absl::IsAlreadyExists(written)) return written;
  return fs::ReadFile(path, kMaxHostId);
}

absl::StatusOr<v1::HostFacts> ProcessHost::Identify() {
  v1::HostFacts facts;
  facts.set_kind(v1::PROCESS);
  absl::StatusOr<std::string> host_id = HostId();
  if (!host_id.ok()) return host_id.status();
  facts.set_host_id(*host_id);
  absl::StatusOr<std::string> boot_id = BootId();
  if (!boot_id.ok()) return boot_id.status();
  facts.set_boot_id(*boot_id);
  if (runner_binary_.empty()) {
    facts.set_detail("there is no st-runner beside the tools; install it there");
    return facts;
  }
  absl::StatusOr<std::string> runner = fs::FileSha256(runner_binary_);
  if (!runner.ok()) return runner.status();
  facts.set_runner_sha256(*runner);
  return facts;
}

// Each depth costs the same here.
absl::StatusOr<std::vector<v1::GenerationFacts>> ProcessHost::Inventory(const std::vector<std::string>& application_ids,
                                                                        Depth /*depth*/) {
  std::vector<v1::GenerationFacts> all;
  for (const std::string& application_id : Sorted(application_ids)) {
    absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(root_, application_id);
    if (!application.ok()) return application.status();
    absl::StatusOr<std::vector<v1::GenerationFacts>> of = LookAtAll(*application);
    if (!of.ok()) return of.status();
    std::move(of->begin(), of->end(), std::back_inserter(all));
  }
  return all;
}

absl::StatusOr<std::optional<v1::VolumeFacts>> LookAtVolume(const ApplicationFolder& application,
                                                            const std::string& application_id) {
  v1::VolumeLabels labels;
  const absl::Status read = ReadDocument(application.volume(), &labels);
  if (absl::IsNotFound(read)) return std::nullopt;
  if (!read.ok()) return read;
  if (labels.application_id() != application_id) {
    return absl::DataLossError(absl::StrCat(application.volume(), ": it is of another application, ",
                                            labels.application_id(), "; who put it there?"));
  }
  v1::VolumeFacts facts;
  facts.set_application_id(labels.application_id());
  facts.set_instance_id(labels.instance_id());
  facts.set_operation_id(labels.operation_id());
  return facts;
}

absl::StatusOr<std::vector<v1::VolumeFacts>> ProcessHost::Volumes(const std::vector<std::string>& application_ids) {
  std::vector<v1::VolumeFacts> all;
  for (const std::string& application_id : Sorted(application_ids)) {
    absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(root_, application_id);
    if (!application.ok()) return application.status();
    absl::StatusOr<std::optional<v1::VolumeFacts>> volume = LookAtVolume(*application, application_id);
    if (!volume.ok()) return volume.status();
    if (volume->has_value()) all.push_back(**std::move(volume));
  }
  return all;
}

absl::StatusOr<std::string> ProcessHost::CreateVolume(const std::string& application_id,
                                                      const std::string& operation_id) {
  absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(root_, application_id);
  if (!application.ok()) return application.status();
  absl::StatusOr<fs::FileLock> lock = LockApplication(*application);
  if (!lock.ok()) return lock.status();
  v1::VolumeLabels labels;
  labels.set_application_id(application_id);
  labels.set_instance_id(base::NewUuid());
  labels.set_operation_id(operation_id);
  labels.set_created_at_ms(base::RealClock().NowMs());
  absl::Status written =
      fs::WriteFileAtomically(application->volume(), docio::Write(labels), 0600, fs::Existing::kRefuse);
  if (written.ok()) return labels.instance_id();
  if (absl::IsAlreadyExists(written)) return written;
  // It may have got its name all the same.
  absl::StatusOr<std::vector<v1::VolumeFacts>> there = Volumes({application_id});
  if (there.ok() && there->empty()) return written;
  return absl::UnknownError(absl::StrCat("it is not known whether the volume was made: ", written.message()));
}

absl::Status ProcessHost::Create(const GenerationSpec& spec) {
  absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(root_, spec.application_id);
  if (!application.ok()) return application.status();
  if (absl::Status fit = CheckSpec(spec); !fit.ok()) return fit;
  if (runner_binary_.empty()) {
    return absl::FailedPreconditionError("there is no st-runner beside the tools; install it there");
  }
  absl::StatusOr<std::vector<v1::VolumeFacts>> volumes = Volumes({spec.application_id});
  if (!volumes.ok()) return volumes.status();
  if (volumes->empty() || volumes->front().instance_id() != spec.volume_instance) {
    return absl::FailedPreconditionError(
        absl::StrCat(application->path(), ": it has no volume ", spec.volume_instance));
  }
  absl::StatusOr<fs::FileLock> lock = LockApplication(*application);
  if (!lock.ok()) return lock.status();
  const absl::StatusOr<GenerationFolder> there = FindGeneration(*application, spec.generation_id);
  if (absl::IsUnavailable(there.status())) return there.status();
  if (!absl::IsNotFound(there.status())) {
    return absl::AlreadyExistsError(
        absl::StrCat("there is already a generation ", spec.generation_id, " in ", application->generations()));
  }
  return BuildGeneration(*application, spec, runner_binary_);
}

std::vector<std::string> Arguments(const GenerationFolder& folder, const v1::GenerationLabels& labels) {
  return {folder.runner(),
          absl::StrCat("--plan=", folder.plan()),
          absl::StrCat("--client-properties=", folder.client_properties()),
          absl::StrCat("--application-id=", labels.application_id()),
          absl::StrCat("--state-dir=", folder.state()),
          absl::StrCat("--expected-cluster-id=", labels.cluster_id()),
          absl::StrCat("--expected-input-topic-id=", labels.input_topic_id()),
          absl::StrCat("--expected-output-topic-id=", labels.output_topic_id()),
          absl::StrCat("--initialized-partitions=", labels.initialized_partitions()),
          absl::StrCat("--commit-interval-ms=", labels.commit_interval_ms())};
}

// Nothing else of ours: a variable may hold a secret.
std::vector<std::string> Environment(const v1::GenerationLabels& labels) {
  std::vector<std::string> environment = {absl::StrCat("ST_GENERATION_ID=", labels.generation_id()),
                                          absl::StrCat("ST_APPLICATION_ID=", labels.application_id())};
  for (const char* name : {"PATH", "HOME", "TZ"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
    if (value != nullptr) environment.push_back(absl::StrCat(name, "=", value));
  }
  return environment;
}

// What is started is what was made.
absl::Status CheckContent(const GenerationFolder& folder, const v1::GenerationLabels& labels) {
  absl::StatusOr<std::string> plan = PlanSha256(folder);
  if (!plan.ok()) return absl::FailedPreconditionError(plan.status().message());
  if (*plan != labels.plan_sha256()) {
    return absl::FailedPreconditionError(absl::StrCat(folder.plan(), ": it was changed after it was made"));
  }
  absl::StatusOr<std::string> binary = fs::FileSha256(folder.runner());
  if (!binary.ok()) return absl::FailedPreconditionError(binary.status().message());
  if (*binary != labels.runner_sha256()) {
    return absl::FailedPreconditionError(absl::StrCat(folder.runner(), ": it was changed after it was made"));
  }
  return absl::OkStatus();
}

// Durable before the process can become the runner.
absl::Status WriteStartMark(const GenerationFolder& folder, const std::string& generation_id, pid_t pid) {
  absl::StatusOr<std::string> boot_id = BootId();
  if (!boot_id.ok()) return boot_id.status();
  absl::StatusOr<uint64_t> ticks = StartTimeTicks(pid);
  if (!ticks.ok()) return ticks.status();
  v1::StartMark mark;
  mark.set_generation_id(generation_id);
  mark.set_pid(static_cast<uint32_t>(pid));
  mark.set_boot_id(*boot_id);
  mark.set_start_time_ticks(*ticks);
  mark.set_tool(ExecutableOf(pid));
  mark.set_at_ms(base::RealClock().NowMs());
  return fs::WriteFileAtomically(folder.start_mark(), docio::Write(mark), 0600, fs::Existing::kReplace);
}

absl::Status ProcessHost::Start(const std::string& application_id, const std::string& generation_id) {
  absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(root_, application_id);
  if (!application.ok()) return application.status();
  absl::StatusOr<GenerationFolder> folder = FindGeneration(*application, generation_id);
  if (!folder.ok()) return folder.status();
  absl::StatusOr<fs::FileLock> lock = LockApplication(*application);
  if (!lock.ok()) return lock.status();
  v1::GenerationLabels labels;
  if (absl::Status read = ReadDocument(folder->labels(), &labels); !read.ok()) return read;
  const Liveness now = LookForProcess(*folder, generation_id);
  if (now.state == v1::GenerationFacts::RUNNING) {
    return absl::FailedPreconditionError(
        absl::StrCat("generation ", generation_id, " is already running as process ", now.pid));
  }
  if (absl::Status fit = CheckContent(*folder, labels); !fit.ok()) return fit;
  absl::StatusOr<std::unique_ptr<DetachedProcess>> process = DetachedProcess::Fork(
      {folder->runner(), Arguments(*folder, labels), Environment(labels), folder->path(), folder->log()});
  if (!process.ok()) return process.status();
  if (absl::Status marked = WriteStartMark(*folder, generation_id, (*process)->pid()); !marked.ok()) return marked;
  return (*process)->Go();
}

// By number: the header of glibc 2.36 declares these as C++. -1 and errno.
int OpenProcess(pid_t pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0)); }

absl::Status ProcessHost::Stop(const std::string& application_id, const std::string& generation_id) {
  absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(root_, application_id);
  if (!application.ok()) return application.status();
  absl::StatusOr<GenerationFolder> folder = FindGeneration(*application, generation_id);
  if (!folder.ok()) return folder.status();
  const Liveness now = LookForProcess(*folder, generation_id);
  if (now.state != v1::GenerationFacts::RUNNING) return absl::OkStatus();
  const fs::Descriptor process(now.certain ? OpenProcess(now.pid) : -1);
  if (now.certain && !process.ok() && errno != ESRCH) {
    return fs::SystemError(errno, absl::StrCat("process ", now.pid), "open it");
  }
  // The descriptor names one process for good; look once more whether it is the one that was meant.
  const Liveness again = LookForProcess(*folder, generation_id);
  if (again.state != v1::GenerationFacts::RUNNING) return absl::OkStatus();
  if (!process.ok() || !again.certain || again.pid != now.pid || again.start_time_ticks != now.start_time_ticks) {
    return absl::FailedPreconditionError(absl::StrCat("generation ", generation_id, ": process ", now.pid,
                                                      " cannot be proven to be its runner; look at ", folder->path()));
  }
  if (syscall(SYS_pidfd_send_signal, process.get(), SIGTERM, nullptr, 0) != 0 && errno != ESRCH) {
    return fs::SystemError(errno, absl::StrCat("process ", now.pid), "send SIGTERM");
  }
  return absl::OkStatus();
}

absl::Status ProcessHost::Remove(const std::string& application_id, const std::string& generation_id) {
  absl::StatusOr<ApplicationFolder> application = ApplicationFolder::Of(root_, application_id);
  if (!application.ok()) return application.status();
  absl::StatusOr<GenerationFolder> folder = FindGeneration(*application, generation_id);
  if (!folder.ok()) return folder.status();
  absl::StatusOr<fs::FileLock> lock = LockApplication(*application);
  if (!lock.ok()) return lock.status();
  if (LookForProcess(*folder, generation_id).state == v1::GenerationFacts::RUNNING) {
    return absl::FailedPreconditionError(absl::StrCat("generation ", generation_id, " is running; stop it first"));
  }
  return BuryGeneration(*application, *folder);
}

}  // namespace

std::unique_ptr<RunnerHost> OpenProcessHost(std::string root, std::string runner_binary) {
  // The runner is started in another folder.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(root, error);
  return std::make_unique<ProcessHost>(error ? std::move(root) : absolute.string(), std::move(runner_binary));
}

std::string DefaultProcessRoot() { return fs::JoinPath(fs::StateFolder(), "runners"); }

absl::StatusOr<std::string> FindRunnerBinary() {
  absl::StatusOr<std::string> self = fs::RealPath("/proc/self/exe");
  if (!self.ok()) return self;
  const std::string runner = fs::JoinPath(fs::Dirname(*self), "st-runner");
  if (access(runner.c_str(), X_OK) == 0) return runner;
  return absl::NotFoundError(absl::StrCat(runner, ": the runner is not installed beside the tools"));
}

}  // namespace st::host
