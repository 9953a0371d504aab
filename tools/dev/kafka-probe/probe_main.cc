// See kUsage.

#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "tools/dev/kafka-probe/probe_commands.h"
#include "tools/dev/kafka-probe/probe_options.h"

namespace {

using st::probe::Options;

constexpr std::pair<std::string_view, absl::Status (*)(const Options&)> kCommands[] = {
    {"topics", st::probe::Topics},   {"topic", st::probe::Topic}, {"create", st::probe::Create},
    {"delete", st::probe::Delete},   {"group", st::probe::Group}, {"produce", st::probe::Produce},
    {"consume", st::probe::Consume},
};

int Fail(int code, std::string_view text) {
  std::fprintf(stderr, "kafka-probe: error: %.*s\n", static_cast<int>(text.size()), text.data());
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    std::fputs(st::probe::kUsage.data(), stdout);
    return 0;
  }
  const auto options = st::probe::ParseOptions(argc, argv);
  if (!options.ok()) return Fail(2, options.status().message());
  for (const auto& [name, run] : kCommands) {
    if (name != options->command) continue;
    if (const absl::Status status = run(*options); !status.ok()) return Fail(1, status.message());
    return std::fflush(stdout) == 0 ? 0 : Fail(1, "standard output cannot be written");
  }
  return Fail(2, "unknown command " + options->command);
}
