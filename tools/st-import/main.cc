// st-import: brings existing topics in as external sources.
#include <re2/re2.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/cli/cli.h"
#include "lib/fs/file.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/report.pb.h"
#include "tools/st-import/import.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-import",
    .sentence = "Declares existing topics as external sources, one file each. Takes nothing over, overwrites nothing.",
    .usage = "--bootstrap-servers H:P [--client-properties FILE] [--topics RE2] [--into DIR]",
    .reads = "nothing on standard input; the cluster, and what DIR declares",
    .writes = "st.v1.ImportReport; with --into also DIR/sources/<name>.yml for topics not declared in DIR",
    .exit_codes =
        "0 done\n1 no topic matches, two topics would get one name, or DIR cannot be read\n2 wrong use\n"
        "3 the cluster could not be reached, or a file not written",
    .example = "st-import --bootstrap-servers localhost:9092 --topics 'orders[.].*' --into shop",
};

struct Arguments {
  std::string servers, properties_file, topics = ".*", into;
};

constexpr size_t kMaxPropertiesBytes = size_t{1} << 20;

absl::StatusOr<st::kafka::Properties> ReadProperties(const Arguments& arguments) {
  st::kafka::Properties properties;
  if (!arguments.properties_file.empty()) {
    absl::StatusOr<std::string> text = st::fs::ReadFile(arguments.properties_file, kMaxPropertiesBytes);
    if (!text.ok()) return text.status();
    absl::StatusOr<st::kafka::Properties> parsed = st::kafka::ParseWithReferences(*text, st::kafka::ProcessLookup());
    if (!parsed.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(arguments.properties_file, ": ", parsed.status().message()));
    }
    properties = *std::move(parsed);
  }
  if (!arguments.servers.empty()) properties.emplace_back("bootstrap.servers", arguments.servers);
  if (absl::Status status = st::kafka::CheckAllowed(properties); !status.ok()) return status;
  return properties;
}

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  Arguments arguments;
  flags.Text("bootstrap-servers", &arguments.servers, "H:P", "brokers to ask first, separated by commas");
  flags.Text("client-properties", &arguments.properties_file, "FILE",
             "security settings, name=value a line; secrets as ${VAR}");
  flags.Text("topics", &arguments.topics, "RE2", "only topics whose whole name matches");
  flags.Text("into", &arguments.into, "DIR", "the project folder; without it nothing is written");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (!flags.positional().empty()) return flags.UsageError("no arguments are taken", "say --into DIR");
  re2::RE2 pattern(arguments.topics, re2::RE2::Quiet);
  if (!pattern.ok()) return flags.UsageError(absl::StrCat("--topics is no regular expression: ", pattern.error()));
  absl::StatusOr<st::kafka::Properties> properties = ReadProperties(arguments);
  if (!properties.ok()) return flags.UsageError(properties.status().message());
  absl::StatusOr<std::unique_ptr<st::kafka::ClusterAdmin>> cluster = st::kafka::OpenAdmin(*properties, "st-import");
  if (!cluster.ok()) return flags.UsageError(cluster.status().message(), "--bootstrap-servers says whom to ask");

  st::v1::ImportReport report;
  st::diag::Diagnostics diagnostics;
  absl::Status status = st::import::Find(**cluster, st::base::RealClock(), pattern, &report);
  if (status.ok() && !arguments.into.empty()) status = st::import::Write(arguments.into, &report, &diagnostics);
  if (int code = st::cli::Report(flags, diagnostics); code != st::cli::kOk) return code;
  if (status.ok()) status = st::cli::WriteStdout(report);
  if (!status.ok()) return st::cli::Fail(flags, kTool, status);
  st::cli::Say(flags, st::import::Summary(report));
  return st::cli::kOk;
}
