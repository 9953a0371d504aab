// st-import: brings existing topics in as external sources.
#include <memory>
#include <string>

#include "lib/base/clock.h"
#include "lib/cli/cli.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/report.pb.h"
#include "tools/st-import/client.h"
#include "tools/st-import/import.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-import",
    .sentence = "Declares existing topics as external sources, one file each. Takes nothing over, overwrites nothing.",
    .usage = "--bootstrap-servers H:P [--client-properties FILE] [--topics RE2] [--except RE2] [--into DIR]",
    .reads = "nothing on standard input; the cluster, and what DIR declares",
    .writes = "st.v1.ImportReport; with --into also DIR/sources/<name>.yml for topics not declared in DIR",
    .exit_codes =
        "0 done\n1 no topic matches, two would get one name or a file is in the way (nothing is written then), or a "
        "path\n"
        "  cannot be meant\n2 wrong use\n3 the cluster could not be reached, or a file or stream not read or written",
    .example = "st-import --bootstrap-servers localhost:9092 --topics 'orders[.].*' --into shop",
};

struct Arguments {
  std::string servers, properties_file, topics = ".*", except, into;
};

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  Arguments arguments;
  flags.Text("bootstrap-servers", &arguments.servers, "H:P", "brokers to ask first, separated by commas");
  flags.Text("client-properties", &arguments.properties_file, "FILE",
             "security settings, name=value a line; secrets as ${VAR}");
  flags.Text("topics", &arguments.topics, "RE2", "only topics whose whole name matches");
  flags.Text("except", &arguments.except, "RE2", "but not those whose whole name matches this");
  flags.Text("into", &arguments.into, "DIR", "the project folder; without it nothing is written");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (!flags.positional().empty()) return flags.UsageError("no arguments are taken", "say --into DIR");
  const st::import::Selection selection(arguments.topics, arguments.except);
  if (const std::string wrong = selection.Error(); !wrong.empty()) return flags.UsageError(wrong);
  absl::StatusOr<st::kafka::Properties> properties =
      st::import::ReadProperties(arguments.properties_file, arguments.servers);
  if (absl::IsInvalidArgument(properties.status())) return flags.UsageError(properties.status().message());
  if (!properties.ok()) return st::cli::Fail(flags, kTool, properties.status());
  absl::StatusOr<std::unique_ptr<st::kafka::ClusterAdmin>> cluster = st::kafka::OpenAdmin(*properties, "st-import");
  if (!cluster.ok()) return flags.UsageError(cluster.status().message(), "--bootstrap-servers says whom to ask");

  st::v1::ImportReport report;
  st::diag::Diagnostics diagnostics;
  absl::Status status = st::import::Find(**cluster, st::base::RealClock(), selection, &report);
  if (status.ok()) status = st::import::Write(arguments.into, &report, &diagnostics);
  if (int code = st::cli::Report(flags, diagnostics); code != st::cli::kOk) return code;
  if (status.ok()) status = st::cli::WriteStdout(report);
  if (!status.ok()) return st::cli::Fail(flags, kTool, status);
  st::cli::Say(flags, st::import::Summary(report));
  return st::cli::kOk;
}
