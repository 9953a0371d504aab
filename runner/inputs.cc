#include "runner/inputs.h"

#include <algorithm>
#include <utility>

#include "lib/base/digest.h"
#include "lib/cli/cli.h"
#include "lib/fs/file.h"
#include "lib/kafka/handle.h"

namespace st::runner {
namespace {

constexpr size_t kPropertiesBytes = size_t{1} << 20;

absl::StatusOr<kafka::Properties> ReadProperties(const std::string& path) {
  auto text = fs::ReadFile(path, kPropertiesBytes);
  if (!text.ok()) return text.status();
  auto properties = kafka::ParseProperties(*text);
  if (!properties.ok()) return properties.status();
  const bool has_servers = std::any_of(properties->begin(), properties->end(),
                                       [](const auto& property) { return property.first == "bootstrap.servers"; });
  if (!has_servers) return absl::InvalidArgumentError("bootstrap.servers is missing");
  if (auto checked = kafka::CheckProperties(*properties); !checked.ok()) return checked;
  return properties;
}

}  // namespace

std::optional<Inputs> ReadInputs(const Options& options, std::string* plan_sha256, diag::Diagnostics* diagnostics) {
  Inputs inputs;
  if (cli::ReadDocument(options.plan_path, &inputs.plan, diagnostics)) {
    *plan_sha256 = base::Checksum(inputs.plan);
    auto program = record::Program::Compile(inputs.plan);
    if (program.ok()) {
      inputs.program = *std::move(program);
    } else {
      diagnostics->Error({.file = options.plan_path}, "PLAN_REFUSED", std::string(program.status().message()),
                         "compile the project again with the tools of this version");
    }
  }
  auto properties = ReadProperties(options.properties_path);
  if (properties.ok()) {
    inputs.properties = *std::move(properties);
  } else {
    diagnostics->Error({.file = options.properties_path}, "PROPERTIES_REFUSED",
                       std::string(properties.status().message()));
  }
  if (diagnostics->HasErrors()) return std::nullopt;
  return inputs;
}

}  // namespace st::runner
