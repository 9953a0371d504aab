// Makes a generation's folder whole or not at all, and takes it away. For this library's own files. The caller holds
// the application's lock.
#ifndef ST_LIB_HOST_GENERATION_BUILD_H_
#define ST_LIB_HOST_GENERATION_BUILD_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/fs/file.h"
#include "lib/host/generation_folder.h"
#include "lib/host/host.h"

namespace st::host {

// One tool at a time makes, starts or removes in an application's folder. Unavailable when another does.
absl::StatusOr<fs::FileLock> LockApplication(const ApplicationFolder& application);

// InvalidArgument when ids or names of files cannot be used or the plan document is not the plan that `plan_sha256`
// names.
absl::Status CheckSpec(const GenerationSpec& spec);

// What a runner reads, on either host: the plan, the client files, and the client properties with a line for each of
// those. `seen_at`: the folder as the runner will see it.
absl::Status WriteRunnerFiles(const GenerationFolder& folder, const GenerationSpec& spec, std::string_view seen_at);

// Filled beside the generations, then renamed into place. `fill` makes the folder that it is given, and syncs what it
// puts there. AlreadyExists when something is there; nothing is left when it fails. What killed builds and removals
// left goes first.
absl::Status BuildFolder(const ApplicationFolder& application, const std::string& generation_id,
                         const std::function<absl::Status(const GenerationFolder&)>& fill);

// The process host's folder, so built. FailedPrecondition when `runner_binary` is not the one of the spec.
absl::Status BuildGeneration(const ApplicationFolder& application, const GenerationSpec& spec,
                             const std::string& runner_binary);

// Out of sight first, by one rename; then the tree is removed, with what earlier removals left.
absl::Status BuryGeneration(const ApplicationFolder& application, const GenerationFolder& folder);

}  // namespace st::host

#endif  // ST_LIB_HOST_GENERATION_BUILD_H_
