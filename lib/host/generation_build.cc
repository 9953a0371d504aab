#include "lib/host/generation_build.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/base/id.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"
#include "schemas/st/v1/generation.pb.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::host {
namespace {

constexpr size_t kPiece = size_t{1} << 20;

// One piece: within the kernel when both file systems can (a reflink costs nothing), else by hand. Bytes copied; 0 at
// the end.
absl::StatusOr<size_t> CopyPiece(const fs::Descriptor& from, const std::string& to, const fs::Descriptor& target,
                                 std::vector<char>* buffer) {
  for (;;) {
    const ssize_t copied = copy_file_range(from.get(), nullptr, target.get(), nullptr, kPiece, 0);
    if (copied >= 0) return static_cast<size_t>(copied);
    if (errno == EINTR) continue;
    if (errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS) {
      return fs::SystemError(errno, to, "copy the runner");
    }
    break;
  }
  buffer->resize(kPiece);
  ssize_t got = 0;
  do {
    got = read(from.get(), buffer->data(), buffer->size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return fs::SystemError(errno, to, "read the runner for");
  const absl::Status written = fs::WriteAll(target.get(), {buffer->data(), static_cast<size_t>(got)});
  if (!written.ok())
    return absl::Status(written.code(), absl::StrCat(to, ": cannot copy the runner: ", written.message()));
  return static_cast<size_t>(got);
}

// Executable, synced. What was written is read back: its digest is what counts.
absl::StatusOr<std::string> CopyBinary(const std::string& from, const std::string& to) {
  const fs::Descriptor source(fs::OpenRetrying(from.c_str(), O_RDONLY));
  if (!source.ok()) return fs::SystemError(errno, from, "open the runner");
  fs::Descriptor target(fs::OpenRetrying(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0700));
  if (!target.ok()) return fs::SystemError(errno, to, "copy the runner");
  std::vector<char> buffer;
  for (;;) {
    const absl::StatusOr<size_t> copied = CopyPiece(source, to, target, &buffer);
    if (!copied.ok()) return copied.status();
    if (*copied == 0) break;
  }
  if (fchmod(target.get(), 0700) != 0) return fs::SystemError(errno, to, "set its mode");
  if (fsync(target.get()) != 0) return fs::SystemError(errno, to, "sync");
  if (const int error = target.Close(); error != 0) return fs::SystemError(error, to, "close");
  return fs::FileSha256(to);
}

v1::GenerationLabels LabelsOf(const GenerationSpec& spec) {
  v1::GenerationLabels labels;
  labels.set_generation_id(spec.generation_id);
  labels.set_application_id(spec.application_id);
  labels.set_operation_id(spec.operation_id);
  labels.set_action_index(spec.action_index);
  labels.set_plan_sha256(spec.plan_sha256);
  labels.set_runner_sha256(spec.runner_sha256);
  labels.set_volume_instance(spec.volume_instance);
  labels.set_cluster_id(spec.cluster_id);
  labels.set_input_topic_id(spec.input_topic_id);
  labels.set_output_topic_id(spec.output_topic_id);
  labels.set_initialized_partitions(spec.initialized_partitions);
  labels.set_commit_interval_ms(spec.commit_interval_ms);
  labels.set_created_at_ms(base::RealClock().NowMs());
  return labels;
}

// `place`: where the folder will stand.
absl::Status Fill(const GenerationFolder& folder, const GenerationSpec& spec, const std::string& runner_binary,
                  const std::string& place) {
  if (absl::Status made = fs::MakeFolders(folder.state(), 0700); !made.ok()) return made;
  if (absl::Status written = WriteRunnerFiles(folder, spec, place); !written.ok()) return written;
  absl::Status labelled =
      fs::WriteFileAtomically(folder.labels(), docio::Write(LabelsOf(spec)), 0600, fs::Existing::kRefuse);
  if (!labelled.ok()) return labelled;
  absl::StatusOr<std::string> copied = CopyBinary(runner_binary, folder.runner());
  if (!copied.ok()) return copied.status();
  if (*copied != spec.runner_sha256) {
    return absl::FailedPreconditionError(absl::StrCat(
        runner_binary, ": it is not the runner that the plan was made for (SHA-256 ", *copied, "); plan again"));
  }
  if (absl::Status synced = fs::SyncFolder(folder.state()); !synced.ok()) return synced;
  return fs::SyncFolder(folder.path());
}

bool IsPropertyName(std::string_view name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._") == std::string_view::npos;
}

// They stand beside what a host puts into a generation's folder.
absl::Status CheckClientFiles(const GenerationSpec& spec) {
  std::set<std::string> taken = {
      "plan.textproto", "client.properties", "generation.textproto", "start.textproto", "st-runner", "log", "state"};
  for (const ClientFile& file : spec.client_files) {
    if (absl::Status fit = CheckId("client file", file.name); !fit.ok()) return fit;
    if (!taken.insert(file.name).second) {
      return absl::InvalidArgumentError(absl::StrCat("there cannot be another file ", file.name, " beside the plan"));
    }
    if (!IsPropertyName(file.property)) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", diag::Visible(file.property, 100), "' is no name of a client property"));
    }
  }
  return absl::OkStatus();
}

absl::Status Unknown(const std::string& path, std::string_view what, const absl::Status& why) {
  return absl::UnknownError(absl::StrCat(path, " ", what, ": ", why.message()));
}

}  // namespace

absl::StatusOr<fs::FileLock> LockApplication(const ApplicationFolder& application) {
  if (absl::Status made = fs::MakeFolders(application.path(), 0700); !made.ok()) return made;
  absl::StatusOr<fs::FileLock> lock = fs::FileLock::TryAcquire(application.lock());
  if (absl::IsAborted(lock.status())) return absl::UnavailableError(lock.status().message());
  return lock;
}

absl::Status CheckSpec(const GenerationSpec& spec) {
  if (absl::Status fit = CheckId("generation id", spec.generation_id); !fit.ok()) return fit;
  if (absl::Status fit = CheckClientFiles(spec); !fit.ok()) return fit;
  v1::RecordPlan plan;
  diag::Diagnostics diagnostics;
  if (!docio::Read(spec.plan_document, "plan", docio::Trailer::kRequired, &plan, &diagnostics)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the record plan is no document: ", diagnostics.Sorted().front().text));
  }
  if (base::Checksum(plan) != spec.plan_sha256) {
    return absl::InvalidArgumentError("the record plan is not the one that its checksum names");
  }
  return absl::OkStatus();
}

absl::Status WriteRunnerFiles(const GenerationFolder& folder, const GenerationSpec& spec, std::string_view seen_at) {
  std::string properties = spec.client_properties;
  if (!properties.empty() && properties.back() != '\n') properties.push_back('\n');
  for (const ClientFile& file : spec.client_files) {
    absl::StrAppend(&properties, file.property, "=", seen_at, "/", file.name, "\n");
    absl::Status written =
        fs::WriteFileAtomically(fs::JoinPath(folder.path(), file.name), file.content, 0600, fs::Existing::kRefuse);
    if (!written.ok()) return written;
  }
  absl::Status written = fs::WriteFileAtomically(folder.plan(), spec.plan_document, 0600, fs::Existing::kRefuse);
  if (!written.ok()) return written;
  return fs::WriteFileAtomically(folder.client_properties(), properties, 0600, fs::Existing::kRefuse);
}

absl::Status BuildFolder(const ApplicationFolder& application, const std::string& generation_id,
                         const std::function<absl::Status(const GenerationFolder&)>& fill) {
  for (const std::string& folder : {application.building(), application.generations()}) {
    if (absl::Status made = fs::MakeFolders(folder, 0700); !made.ok()) return made;
  }
  // What a killed tool left behind, a secret among it: nobody else builds or removes while we hold the lock.
  for (const std::string& folder : {application.building(), application.removed()}) {
    if (absl::Status emptied = EmptyFolder(folder); !emptied.ok()) return emptied;
  }
  const GenerationFolder building(fs::JoinPath(application.building(), generation_id));
  if (absl::Status filled = fill(building); !filled.ok()) {
    (void)EmptyFolder(application.building());
    return filled;
  }
  const std::string place = application.generation(generation_id);
  // rename(2) would replace an empty folder; this one replaces nothing.
  if (renameat2(AT_FDCWD, building.path().c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) != 0) {
    const int error = errno;
    (void)EmptyFolder(application.building());
    return fs::SystemError(error, place, "put the generation there");
  }
  absl::Status synced = fs::SyncFolder(application.generations());
  if (synced.ok()) synced = fs::SyncFolder(application.building());
  return synced.ok() ? synced : Unknown(place, "is there, but may not be after a power loss", synced);
}

absl::Status BuildGeneration(const ApplicationFolder& application, const GenerationSpec& spec,
                             const std::string& runner_binary) {
  return BuildFolder(application, spec.generation_id, [&](const GenerationFolder& folder) {
    return Fill(folder, spec, runner_binary, application.generation(spec.generation_id));
  });
}

absl::Status BuryGeneration(const ApplicationFolder& application, const GenerationFolder& folder) {
  if (absl::Status made = fs::MakeFolders(application.removed(), 0700); !made.ok()) return made;
  const std::string tomb = fs::JoinPath(application.removed(), base::NewUuid());
  if (rename(folder.path().c_str(), tomb.c_str()) != 0) return fs::SystemError(errno, folder.path(), "remove it");
  absl::Status ended = fs::SyncFolder(application.generations());
  if (ended.ok()) ended = EmptyFolder(application.removed());
  return ended.ok() ? ended : Unknown(folder.path(), "is gone, but may be back after a power loss", ended);
}

}  // namespace st::host
