// st-test: runs declared tests, or tries a model on captured records, without Kafka.
#include <unistd.h>

#include <string>

#include "lib/cli/cli.h"
#include "lib/project/project.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/report.pb.h"
#include "schemas/st/v1/topology.pb.h"
#include "tools/st-test/run.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-test",
    .sentence = "Runs a project's tests, or tries a model on captured records, through the code that the runner uses.",
    .usage = "DIR [--env ENV] [--model NAME --records FILE [--encoding lines|base64]]",
    .reads = "the project in DIR; with --records a file of values, one a line (`~` tombstone, empty line: empty value)",
    .writes =
        "st.v1.TestReport; with --records a JSON object a line: line, outcome (pass, filtered, tombstone, poison),\n"
        "and value, or fault (a kind of docs/records.md) and column. A line is at most 64 MiB",
    .exit_codes =
        "0 all tests pass; with --records: every line was answered, whatever the answers\n"
        "1 a test fails, the project does not compile, FILE is missing or a folder, or a line is no record\n"
        "2 wrong use\n3 a file or stream could not be read or written",
    .example = "st-test shop --model large_orders --records captured.jsonl | grep '\"poison\"'",
};

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  std::string environment;
  st::test::RecordsRequest records;
  flags.Text("env", &environment, "ENV", "the environment, when the project has several");
  flags.Text("model", &records.model, "NAME", "the model to try");
  flags.Text("records", &records.file, "FILE", "values to try it on; - for standard input");
  flags.Text("encoding", &records.encoding, "lines|base64", "how FILE holds a value; lines: as it stands");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (flags.positional().size() != 1) return flags.UsageError("one project folder is needed", "st-test DIR");
  if (const std::string wrong = st::test::CheckRequest(records); !wrong.empty()) return flags.UsageError(wrong);

  st::diag::Diagnostics diagnostics;
  st::v1::Topology topology;
  const auto loaded =
      st::project::Load(flags.positional()[0], {}, environment, st::project::ProcessEnvironment(), &diagnostics);
  if (!loaded || !st::topology::Compile(*loaded, &topology, &diagnostics)) {
    return st::cli::Report(flags, diagnostics);
  }
  std::string summary;
  absl::Status status;
  if (records.file.empty()) {
    st::v1::TestReport report;
    status = st::test::RunTests(flags, *loaded, topology, &report, &summary, &diagnostics);
    if (status.ok()) status = st::cli::WriteStdout(report);
  } else {
    status = st::test::RunRecords(topology, records, STDOUT_FILENO, &summary, &diagnostics);
  }
  const int code = st::cli::Report(flags, diagnostics);
  if (!status.ok()) return st::cli::Fail(flags, kTool, status);
  st::cli::Say(flags, summary);
  return code;
}
