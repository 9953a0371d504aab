// st-compile: declarations in, a topology out. Offline.
#include <unistd.h>

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/cli/cli.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "lib/project/project.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/topology.pb.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-compile",
    .sentence = "Compiles a project's declarations to a topology: references, SQL, contracts. Touches nothing outside.",
    .usage = "DIR|FILE|- [--env NAME]",
    .reads = "a project folder, one .yml, .yaml or .textproto file, or with `-` an st.v1.Project on standard input",
    .writes = "st.v1.Topology",
    .exit_codes =
        "0 done\n1 the declarations have errors; nothing is written\n2 wrong use\n"
        "3 a file or stream could not be read or written",
    .example = "st-compile shop --env dev | st-observe | st-plan",
};

// What people see of a topology in one line.
std::string Summary(const st::v1::Topology& topology) {
  return absl::StrCat(topology.project(), "/", topology.environment(), ": sources ", topology.sources_size(),
                      ", models ", topology.models_size(), ", exposures ", topology.exposures_size());
}

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  std::string environment;
  flags.Text("env", &environment, "NAME", "one of environments/; needed when there are several");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (flags.positional().size() != 1) {
    return flags.UsageError("one project is compiled at a time", "name its folder, such as `st-compile .`");
  }
  const std::string& path = flags.positional()[0];
  std::string text;
  if (path == "-") {
    if (isatty(STDIN_FILENO) == 1)
      return flags.UsageError("standard input is a terminal", "name a folder, or use a pipe");
    absl::StatusOr<std::string> read = st::fs::ReadAll(STDIN_FILENO, st::docio::kMaxDocumentBytes);
    if (!read.ok()) return st::cli::Fail(flags, kTool, read.status());
    text = *std::move(read);
  }

  st::diag::Diagnostics diagnostics;
  st::v1::Topology topology;
  const std::optional<st::project::Loaded> loaded =
      st::project::Load(path, text, environment, st::project::ProcessEnvironment(), &diagnostics);
  // Even when there are errors: people want them all at once.
  if (loaded.has_value()) st::topology::Compile(*loaded, &topology, &diagnostics);
  if (const int code = st::cli::Report(flags, diagnostics); code != st::cli::kOk) return code;
  if (const absl::Status status = st::cli::WriteStdout(topology); !status.ok()) {
    return st::cli::Fail(flags, kTool, status);
  }
  st::cli::Say(flags, Summary(topology));
  return st::cli::kOk;
}
