#include "lib/host/inventory.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/fs/file.h"
#include "lib/host/proc.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::host {
namespace {

// The process that was given this pid at that time of that boot, and not another one with its number.
enum class Match { kNo, kYes, kOther, kMayNotLook };

Match MatchRunner(const GenerationFolder& folder, const std::string& generation_id, pid_t pid,
                  const std::string& boot_id, uint64_t start_time_ticks) {
  absl::StatusOr<std::string> boot = BootId();
  absl::StatusOr<uint64_t> ticks = StartTimeTicks(pid);
  if (boot.ok() && *boot != boot_id) return Match::kNo;
  if (absl::IsNotFound(ticks.status())) return Match::kNo;
  if (!boot.ok() || !ticks.ok()) return Match::kMayNotLook;
  if (*ticks != start_time_ticks) return Match::kNo;
  const std::optional<bool> executes = Executes(pid, folder.runner());
  const std::optional<std::string> label = VariableOf(pid, "ST_GENERATION_ID");
  if (!executes.has_value() || !label.has_value()) return Match::kMayNotLook;
  return *executes && *label == generation_id ? Match::kYes : Match::kOther;
}

void Remark(std::string text, Liveness* liveness) { liveness->remarks.push_back(std::move(text)); }

void SetRunning(pid_t pid, bool certain, uint64_t ticks, Liveness* liveness) {
  liveness->state = v1::GenerationFacts::RUNNING;
  liveness->pid = pid;
  liveness->certain = certain;
  liveness->start_time_ticks = ticks;
}

// What the runner wrote about itself. True: it was there.
bool LookByIdentity(const GenerationFolder& folder, const std::string& generation_id, Liveness* liveness) {
  v1::RunnerIdentity identity;
  const absl::Status read = ReadDocument(folder.identity(), &identity);
  if (absl::IsNotFound(read)) return false;
  if (!read.ok()) {
    Remark(absl::StrCat("who ran it cannot be read: ", read.message()), liveness);
    return true;
  }
  const pid_t pid = static_cast<pid_t>(identity.pid());
  switch (MatchRunner(folder, generation_id, pid, identity.boot_id(), identity.start_time_ticks())) {
    case Match::kYes:
      SetRunning(pid, true, identity.start_time_ticks(), liveness);
      break;
    case Match::kMayNotLook:
      SetRunning(pid, false, 0, liveness);
      Remark(absl::StrCat("process ", pid, " may be its runner, but we may not look at it"), liveness);
      break;
    case Match::kOther:
      Remark(absl::StrCat("its identity names process ", pid, ", which is not its runner but ", ExecutableOf(pid)),
             liveness);
      break;
    case Match::kNo:
      break;
  }
  return true;
}

// What a start wrote down before the runner did.
void LookByStartMark(const GenerationFolder& folder, const std::string& generation_id, Liveness* liveness) {
  v1::StartMark mark;
  const absl::Status read = ReadDocument(folder.start_mark(), &mark);
  if (absl::IsNotFound(read)) return;
  if (!read.ok()) return Remark(absl::StrCat("its last start cannot be read: ", read.message()), liveness);
  const pid_t pid = static_cast<pid_t>(mark.pid());
  const Match match = MatchRunner(folder, generation_id, pid, mark.boot_id(), mark.start_time_ticks());
  // Until it executes the runner it is still the tool that forked it.
  const bool starting = match == Match::kOther && !mark.tool().empty() && ExecutableOf(pid) == mark.tool();
  if (match == Match::kYes || starting) {
    SetRunning(pid, true, mark.start_time_ticks(), liveness);
  } else if (match == Match::kMayNotLook) {
    SetRunning(pid, false, 0, liveness);
    Remark(absl::StrCat("process ", pid, " may be its runner, but we may not look at it"), liveness);
  } else if (liveness->state == v1::GenerationFacts::CREATED) {
    Remark("a start was begun, but its process ended before it had a lock on the state folder", liveness);
  }
}

bool Exists(const std::string& path) {
  struct stat status {};
  return lstat(path.c_str(), &status) == 0;
}

void FillLabels(const v1::GenerationLabels& labels, v1::GenerationFacts* facts) {
  facts->set_generation_id(labels.generation_id());
  facts->set_application_id(labels.application_id());
  facts->set_operation_id(labels.operation_id());
  facts->set_action_index(labels.action_index());
  facts->set_volume_instance(labels.volume_instance());
  facts->set_input_topic_id(labels.input_topic_id());
  facts->set_output_topic_id(labels.output_topic_id());
  facts->set_cluster_id(labels.cluster_id());
  facts->set_initialized_partitions(labels.initialized_partitions());
}

void FillContent(const GenerationFolder& folder, v1::GenerationFacts* facts, std::vector<std::string>* remarks) {
  absl::StatusOr<std::string> plan = PlanSha256(folder);
  if (plan.ok()) {
    facts->set_plan_sha256(*plan);
  } else {
    remarks->push_back(absl::StrCat("its plan cannot be used: ", plan.status().message()));
  }
  absl::StatusOr<std::string> binary = fs::FileSha256(folder.runner());
  if (binary.ok()) {
    facts->set_binary_sha256(*binary);
  } else {
    remarks->push_back(absl::StrCat("its binary cannot be used: ", binary.status().message()));
  }
  v1::RunnerStatus status;
  const absl::Status read = ReadDocument(folder.status(), &status);
  if (read.ok()) {
    *facts->mutable_status() = std::move(status);
  } else if (!absl::IsNotFound(read)) {
    remarks->push_back(absl::StrCat("its status cannot be read: ", read.message()));
  }
}

}  // namespace

Liveness LookForProcess(const GenerationFolder& folder, const std::string& generation_id) {
  Liveness liveness;
  // The runner writes its identity before it opens a socket: without one it has touched nothing.
  const bool was_there = LookByIdentity(folder, generation_id, &liveness) || Exists(folder.status());
  if (liveness.state == v1::GenerationFacts::RUNNING) return liveness;
  liveness.state = was_there ? v1::GenerationFacts::EXITED : v1::GenerationFacts::CREATED;
  LookByStartMark(folder, generation_id, &liveness);
  if (liveness.state == v1::GenerationFacts::RUNNING) return liveness;
  if (const std::optional<pid_t> holder = LockHolder(folder.runner_lock()); holder.has_value()) {
    SetRunning(*holder, false, 0, &liveness);
    Remark(absl::StrCat("process ", *holder, " holds its state folder and cannot be proven to be its runner"),
           &liveness);
  }
  return liveness;
}

v1::GenerationFacts LookAtGeneration(const GenerationFolder& folder, const std::string& application_id) {
  v1::GenerationFacts facts;
  facts.set_location(folder.path());
  v1::GenerationLabels labels;
  if (absl::Status read = ReadDocument(folder.labels(), &labels); !read.ok()) {
    facts.set_application_id(application_id);
    facts.set_detail(absl::StrCat(folder.path(), " is no generation of ours, or is damaged: ", read.message()));
    return facts;
  }
  FillLabels(labels, &facts);
  Liveness liveness = LookForProcess(folder, labels.generation_id());
  facts.set_state(liveness.state);
  facts.set_pid(static_cast<uint32_t>(liveness.pid));
  if (labels.application_id() != application_id) {
    liveness.remarks.insert(liveness.remarks.begin(), "its folder stands in another application's");
  }
  FillContent(folder, &facts, &liveness.remarks);
  facts.set_detail(absl::StrJoin(liveness.remarks, "; "));
  return facts;
}

absl::StatusOr<std::vector<v1::GenerationFacts>> LookAtAll(const ApplicationFolder& application) {
  const std::string application_id = application.path().substr(application.path().rfind('/') + 1);
  absl::StatusOr<std::vector<std::string>> names = fs::ListFolder(application.generations());
  if (absl::IsNotFound(names.status())) return std::vector<v1::GenerationFacts>();
  if (!names.ok()) return names.status();
  std::vector<v1::GenerationFacts> all;
  for (const std::string& name : *names) {
    const GenerationFolder folder(fs::JoinPath(application.generations(), name));
    v1::GenerationFacts facts = LookAtGeneration(folder, application_id);
    // Taken away while we looked.
    if (!Exists(folder.path())) continue;
    all.push_back(std::move(facts));
  }
  std::stable_sort(all.begin(), all.end(), [](const v1::GenerationFacts& a, const v1::GenerationFacts& b) {
    return a.generation_id() < b.generation_id();
  });
  return all;
}

absl::StatusOr<GenerationFolder> FindGeneration(const ApplicationFolder& application,
                                                const std::string& generation_id) {
  if (absl::Status fit = CheckId("generation id", generation_id); !fit.ok()) return fit;
  absl::StatusOr<std::vector<std::string>> names = fs::ListFolder(application.generations());
  if (!names.ok() && !absl::IsNotFound(names.status())) return names.status();
  std::vector<std::string> found;
  if (names.ok()) {
    for (const std::string& name : *names) {
      const GenerationFolder folder(fs::JoinPath(application.generations(), name));
      v1::GenerationLabels labels;
      const absl::Status read = ReadDocument(folder.labels(), &labels);
      if (!read.ok() && name == generation_id) return absl::DataLossError(read.message());
      if (read.ok() && labels.generation_id() == generation_id) found.push_back(folder.path());
    }
  }
  if (found.empty()) {
    return absl::NotFoundError(
        absl::StrCat("there is no generation ", generation_id, " in ", application.generations()));
  }
  if (found.size() > 1) {
    return absl::FailedPreconditionError(
        absl::StrCat("generation ", generation_id, " stands in more than one folder: ", absl::StrJoin(found, ", ")));
  }
  return GenerationFolder(found.front());
}

}  // namespace st::host
