#include "e2e/broker.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "e2e/command.h"

namespace st::e2e {
namespace {

constexpr char kHarness[] = "tools/dev/kafka";

// Runs the harness; its output without the last line's end.
absl::StatusOr<std::string> Run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kHarness);
  absl::StatusOr<CommandResult> result = RunCommand(arguments);
  if (!result.ok()) return result.status();
  if (result->exit_code != 0) {
    return absl::UnavailableError(absl::StrCat(kHarness, " ", arguments[1], ": ", result->error_text));
  }
  return std::string(absl::StripSuffix(result->output, "\n"));
}

std::string FreshFolder() {
  const char* base = std::getenv("TEST_TMPDIR");
  std::string folder = absl::StrCat(base == nullptr ? "/tmp" : base, "/kafka.XXXXXX");
  return mkdtemp(folder.data()) == nullptr ? std::string() : folder;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Broker>> Broker::Start(const std::vector<std::string>& configs, int port) {
  std::unique_ptr<Broker> broker(new Broker(FreshFolder()));
  if (broker->folder_.empty()) return absl::InternalError("no folder can be made for the broker");
  std::vector<std::string> arguments = {"start", broker->folder_};
  if (port != 0) arguments.insert(arguments.end(), {"--port", absl::StrCat(port)});
  for (const std::string& config : configs) arguments.insert(arguments.end(), {"--config", config});
  absl::StatusOr<std::string> bootstrap = Run(arguments);
  if (!bootstrap.ok()) return bootstrap.status();
  broker->bootstrap_ = *std::move(bootstrap);
  return broker;
}

Broker::~Broker() { static_cast<void>(Kill()); }

absl::Status Broker::Stop() { return Run({"stop", folder_}).status(); }

absl::Status Broker::Kill() { return Run({"kill", folder_}).status(); }

absl::Status Broker::Restart() { return Run({"restart", folder_}).status(); }

}  // namespace st::e2e
