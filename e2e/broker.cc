#include "e2e/broker.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
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

absl::StatusOr<std::unique_ptr<Broker>> Broker::New() {
  std::unique_ptr<Broker> broker(new Broker(FreshFolder()));
  if (broker->folder_.empty()) return absl::InternalError("no folder can be made for the broker");
  return broker;
}

absl::Status Broker::StartWith(const std::vector<std::string>& options) {
  std::vector<std::string> arguments = {"start", folder_};
  arguments.insert(arguments.end(), options.begin(), options.end());
  absl::StatusOr<std::string> bootstrap = Run(arguments);
  if (!bootstrap.ok()) return bootstrap.status();
  bootstrap_ = *std::move(bootstrap);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Broker>> Broker::Start(const std::vector<std::string>& configs, int port) {
  absl::StatusOr<std::unique_ptr<Broker>> broker = New();
  if (!broker.ok()) return broker.status();
  std::vector<std::string> options;
  if (port != 0) options = {"--port", absl::StrCat(port)};
  for (const std::string& config : configs) options.insert(options.end(), {"--config", config});
  if (absl::Status status = (*broker)->StartWith(options); !status.ok()) return status;
  return broker;
}

absl::StatusOr<std::unique_ptr<Broker>> Broker::StartSecure(const std::map<std::string, std::string>& users) {
  absl::StatusOr<std::unique_ptr<Broker>> broker = New();
  if (!broker.ok()) return broker.status();
  const std::string folder = (*broker)->folder_ + "/secure";
  if (mkdir(folder.c_str(), 0700) != 0) return absl::ErrnoToStatus(errno, folder);
  std::ofstream file(folder + "/users");
  for (const auto& [name, password] : users) file << name << " " << password << "\n";
  file.close();
  if (!file) return absl::InternalError("the users cannot be written");
  if (absl::Status status = (*broker)->StartWith({"--secure"}); !status.ok()) return status;
  return broker;
}

Broker::~Broker() { static_cast<void>(Kill()); }

absl::Status Broker::Stop() { return Run({"stop", folder_}).status(); }

absl::Status Broker::Kill() { return Run({"kill", folder_}).status(); }

absl::Status Broker::Restart() { return Run({"restart", folder_}).status(); }

}  // namespace st::e2e
