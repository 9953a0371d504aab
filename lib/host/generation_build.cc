#include "lib/host/generation_build.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
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
// the end; -1 and errno.
ssize_t CopyPiece(int from, int to, std::vector<char>* buffer) {
  ssize_t copied = copy_file_range(from, nullptr, to, nullptr, kPiece, 0);
  if (copied >= 0 || (errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS)) return copied;
  buffer->resize(kPiece);
  copied = read(from, buffer->data(), buffer->size());
  if (copied <= 0) return copied;
  const absl::Status written = fs::WriteAll(to, {buffer->data(), static_cast<size_t>(copied)});
  if (!written.ok()) {
    errno = EIO;
    return -1;
  }
  return copied;
}

// Executable, synced. What was written is read back: its digest is what counts.
absl::StatusOr<std::string> CopyBinary(const std::string& from, const std::string& to) {
  const fs::Descriptor source(fs::OpenRetrying(from.c_str(), O_RDONLY));
  if (!source.ok()) return fs::SystemError(errno, from, "open the runner");
  fs::Descriptor target(fs::OpenRetrying(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0700));
  if (!target.ok()) return fs::SystemError(errno, to, "copy the runner");
  std::vector<char> buffer;
  for (;;) {
    const ssize_t copied = CopyPiece(source.get(), target.get(), &buffer);
    if (copied < 0 && errno == EINTR) continue;
    if (copied < 0) return fs::SystemError(errno, to, "copy the runner");
    if (copied == 0) break;
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

absl::Status Fill(const GenerationFolder& folder, const GenerationSpec& spec, const std::string& runner_binary) {
  if (absl::Status made = fs::MakeFolders(folder.state(), 0700); !made.ok()) return made;
  const struct {
    std::string path;
    const std::string& bytes;
  } files[] = {{folder.plan(), spec.plan_document},
               {folder.client_properties(), spec.client_properties},
               {folder.labels(), docio::Write(LabelsOf(spec))}};
  for (const auto& file : files) {
    const absl::Status written = fs::WriteFileAtomically(file.path, file.bytes, 0600, fs::Existing::kRefuse);
    if (!written.ok()) return written;
  }
  absl::StatusOr<std::string> copied = CopyBinary(runner_binary, folder.runner());
  if (!copied.ok()) return copied.status();
  if (*copied != spec.runner_sha256) {
    return absl::FailedPreconditionError(absl::StrCat(
        runner_binary, ": it is not the runner that the plan was made for (SHA-256 ", *copied, "); plan again"));
  }
  if (absl::Status synced = fs::SyncFolder(folder.state()); !synced.ok()) return synced;
  return fs::SyncFolder(folder.path());
}

absl::Status Unknown(const std::string& path, std::string_view what, const absl::Status& why) {
  return absl::UnknownError(absl::StrCat(path, " ", what, ": ", why.message()));
}

}  // namespace

absl::Status CheckSpec(const GenerationSpec& spec) {
  if (absl::Status fit = CheckId("generation id", spec.generation_id); !fit.ok()) return fit;
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

absl::Status BuildGeneration(const ApplicationFolder& application, const GenerationSpec& spec,
                             const std::string& runner_binary) {
  for (const std::string& folder : {application.building(), application.generations()}) {
    if (absl::Status made = fs::MakeFolders(folder, 0700); !made.ok()) return made;
  }
  // What a killed tool left behind: nobody else builds while we hold the lock.
  if (absl::Status emptied = EmptyFolder(application.building()); !emptied.ok()) return emptied;
  const GenerationFolder building(fs::JoinPath(application.building(), spec.generation_id));
  if (absl::Status filled = Fill(building, spec, runner_binary); !filled.ok()) {
    (void)EmptyFolder(application.building());
    return filled;
  }
  const std::string place = fs::JoinPath(application.generations(), spec.generation_id);
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

absl::Status BuryGeneration(const ApplicationFolder& application, const GenerationFolder& folder) {
  if (absl::Status made = fs::MakeFolders(application.removed(), 0700); !made.ok()) return made;
  const std::string tomb = fs::JoinPath(application.removed(), base::NewUuid());
  if (rename(folder.path().c_str(), tomb.c_str()) != 0) return fs::SystemError(errno, folder.path(), "remove it");
  absl::Status ended = fs::SyncFolder(application.generations());
  if (ended.ok()) ended = EmptyFolder(application.removed());
  return ended.ok() ? ended : Unknown(folder.path(), "is gone, but may be back after a power loss", ended);
}

}  // namespace st::host
