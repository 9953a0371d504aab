// Client properties as a runner gets them: the text of its client.properties, and beside it the texts that need a file,
// because a line cannot hold them or because the runner does not see the file that they are in. Pure, but for `read`.
#ifndef ST_LIB_KAFKA_RUNNER_FILES_H_
#define ST_LIB_KAFKA_RUNNER_FILES_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "lib/kafka/properties.h"

namespace st::kafka {

struct RunnerFiles {
  struct File {
    std::string property;  // that names the file, such as "ssl.ca.location"
    std::string name;      // "ca.pem", "certificate.pem" or "key.pem"
    std::string content;   // may be secret
  };
  // Without the properties of `files`: who writes them adds a line `property=path` for each.
  std::string client_properties;
  std::vector<File> files;
};

// For a runner that sees the tools' files: only inline PEM texts (`ssl.*.pem`) become files. InvalidArgument as
// CheckAllowed.
absl::StatusOr<RunnerFiles> SplitForRunner(const Properties& properties);

// For a runner in a container: what the `ssl.*.location` properties name becomes files too. `read` gives the content of
// a file; its failure is returned with the property's name, and InvalidArgument for a content without a PEM block of
// the right kind.
absl::StatusOr<RunnerFiles> SplitForContainer(
    const Properties& properties, absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_RUNNER_FILES_H_
