#include "lib/host/docker_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "lib/fs/descriptor.h"
#include "lib/fs/file.h"
#include "lib/host/container_shape.h"
#include "lib/host/generation_build.h"

namespace st::host {
namespace {

// The caller is root when the user is another.
absl::Status Give(const std::string& path, const ContainerUser& user) {
  fs::Descriptor file(fs::OpenRetrying(path.c_str(), O_RDONLY | O_NOFOLLOW));
  if (!file.ok()) return fs::SystemError(errno, path, "open");
  if (fchown(file.get(), user.uid, user.gid) != 0)
    return fs::SystemError(errno, path, "give it to the container's user");
  if (fsync(file.get()) != 0) return fs::SystemError(errno, path, "sync");
  if (const int error = file.Close(); error != 0) return fs::SystemError(error, path, "close");
  return absl::OkStatus();
}

absl::Status Fill(const GenerationFolder& folder, const GenerationSpec& spec, const ContainerUser& user) {
  if (absl::Status made = fs::MakeFolders(folder.path(), 0700); !made.ok()) return made;
  if (absl::Status written = WriteRunnerFiles(folder, spec, kContainerFolder); !written.ok()) return written;
  if (user.uid != geteuid() || user.gid != getegid()) {
    absl::StatusOr<std::vector<std::string>> names = fs::ListFolder(folder.path());
    if (!names.ok()) return names.status();
    for (const std::string& name : *names) {
      if (absl::Status given = Give(fs::JoinPath(folder.path(), name), user); !given.ok()) return given;
    }
    if (absl::Status given = Give(folder.path(), user); !given.ok()) return given;
  }
  return fs::SyncFolder(folder.path());
}

}  // namespace

absl::Status BuildMounts(const ApplicationFolder& application, const GenerationSpec& spec, const ContainerUser& user) {
  if (absl::Status buried = BuryMounts(application, spec.generation_id); !buried.ok()) return buried;
  return BuildFolder(application, spec.generation_id,
                     [&](const GenerationFolder& folder) { return Fill(folder, spec, user); });
}

absl::Status BuryMounts(const ApplicationFolder& application, const std::string& generation_id) {
  const GenerationFolder folder(application.generation(generation_id));
  struct stat status {};
  if (lstat(folder.path().c_str(), &status) != 0 && errno == ENOENT) return absl::OkStatus();
  return BuryGeneration(application, folder);
}

absl::Status BuryMountsBut(const ApplicationFolder& application, const std::set<std::string>& kept) {
  absl::StatusOr<std::vector<std::string>> names = fs::ListFolder(application.generations());
  if (absl::IsNotFound(names.status())) return absl::OkStatus();
  if (!names.ok()) return names.status();
  for (const std::string& name : *names) {
    if (kept.count(name) != 0) continue;
    if (absl::Status buried = BuryMounts(application, name); !buried.ok()) return buried;
  }
  return absl::OkStatus();
}

}  // namespace st::host
