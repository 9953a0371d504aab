#include "tools/st-test/run.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/id.h"
#include "lib/fs/descriptor.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/report.pb.h"
#include "schemas/st/v1/topology.pb.h"
#include "tools/st-test/declared_tests.h"
#include "tools/st-test/try_records.h"

namespace st::test {
namespace {

void ShowDifference(const v1::TestReport::Result& result) {
  std::string text = absl::StrCat("test ", result.test(), " of model ", result.model(), ":\n");
  for (const std::string& line : result.difference()) absl::StrAppend(&text, "  ", line, "\n");
  std::fputs(text.c_str(), stderr);
}

std::string ModelsIn(const std::vector<std::string>& names) {
  constexpr size_t kShown = 10;
  if (names.empty()) return "the project has no model with SQL";
  std::string text = absl::StrCat("the project has ", names.front());
  for (size_t i = 1; i < names.size() && i < kShown; ++i) absl::StrAppend(&text, ", ", names[i]);
  if (names.size() > kShown) absl::StrAppend(&text, ", and ", names.size() - kShown, " more");
  return text;
}

// Null, after a diagnostic.
const v1::RecordPlan* FindPlan(const v1::Topology& topology, const std::string& name, diag::Diagnostics* diagnostics) {
  std::vector<std::string> names;
  for (const v1::CompiledModel& model : topology.models()) {
    if (model.has_plan() && model.name() == name) return &model.plan();
    if (model.has_plan()) names.push_back(model.name());
  }
  const std::string_view nearest = base::Nearest(name, names);
  diagnostics->Error({}, "UNKNOWN_MODEL", absl::StrCat("no model with SQL is named `", diag::Visible(name), "`"),
                     nearest.empty() ? ModelsIn(names) : absl::StrCat("did you mean `", nearest, "`?"));
  return nullptr;
}

// -1 after a diagnostic. A pipe is as good as a file.
int OpenRecords(const std::string& path, diag::Diagnostics* diagnostics) {
  const int file = fs::OpenRetrying(path.c_str(), O_RDONLY);
  int error = file < 0 ? errno : 0;
  struct stat status {};
  if (error == 0 && fstat(file, &status) != 0) error = errno;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error == 0) return file;
  if (file >= 0) close(file);
  const absl::Status failed = fs::SystemError(error, path, "read");
  diagnostics->Error({path}, absl::IsUnavailable(failed) ? diag::kReadFailed : "CANNOT_READ",
                     std::string(failed.message()), "name a file of record values, one a line");
  return -1;
}

}  // namespace

std::string CheckRequest(const RecordsRequest& request) {
  if (request.file.empty() != request.model.empty()) return "--model and --records go together";
  if (request.encoding != "lines" && request.encoding != "base64") return "--encoding is lines or base64";
  if (request.file.empty() && request.encoding != "lines") return "--encoding is for --records";
  return "";
}

absl::Status RunTests(const cli::Flags& flags, const project::Loaded& loaded, const v1::Topology& topology,
                      v1::TestReport* report, std::string* summary, diag::Diagnostics* diagnostics) {
  absl::Status status = RunDeclaredTests(*loaded.project, topology, report);
  if (!status.ok()) return status;
  int failed = 0;
  for (const v1::TestReport::Result& result : report->results()) {
    if (result.passed()) continue;
    ++failed;
    if (flags.form() == cli::DiagnosticsForm::kText) ShowDifference(result);
    for (const v1::Test& test : loaded.project->tests()) {
      if (test.name() != result.test()) continue;
      diagnostics->Error(
          loaded.positions.Of(test, "name"), "TEST_FAILED",
          absl::StrCat("the model ", result.model(), " does not give what the test ", result.test(), " expects"));
    }
  }
  *summary = absl::StrCat(report->results_size() - failed, " tests pass, ", failed, failed == 1 ? " fails" : " fail");
  if (report->results().empty()) *summary = "the project declares no tests";
  return absl::OkStatus();
}

absl::Status RunRecords(const v1::Topology& topology, const RecordsRequest& request, int out, std::string* summary,
                        diag::Diagnostics* diagnostics) {
  const v1::RecordPlan* plan = FindPlan(topology, request.model, diagnostics);
  if (plan == nullptr) return absl::OkStatus();
  const bool standard_input = request.file == "-";
  const int in = standard_input ? STDIN_FILENO : OpenRecords(request.file, diagnostics);
  if (in < 0) return absl::OkStatus();
  Counts counts;
  const Encoding encoding = request.encoding == "base64" ? Encoding::kBase64 : Encoding::kLines;
  absl::Status status = TryRecords(*plan, in, request.file, encoding, out, &counts, diagnostics);
  // Only read from: closing has nothing to lose.
  if (!standard_input) close(in);
  *summary = absl::StrCat(counts.pass, " pass, ", counts.filtered, " filtered, ", counts.tombstones, " tombstones, ",
                          counts.poison, " poison");
  return status;
}

}  // namespace st::test
