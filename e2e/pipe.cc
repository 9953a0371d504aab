#include "e2e/pipe.h"

#include <signal.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"

namespace st::e2e {
namespace {

namespace files = std::filesystem;

// Where Bazel puts a binary among the test's data.
std::string Built(const std::string& path) {
  return absl::StrCat(getenv("TEST_SRCDIR"), "/", getenv("TEST_WORKSPACE"), "/", path);
}

// The tools find the runner beside themselves, so they are laid out as an installation lays them out: once a test.
const std::string& InstalledFolder() {
  static const std::string* const folder = [] {
    auto* path = new std::string(absl::StrCat(getenv("TEST_TMPDIR"), "/bin"));
    files::create_directories(*path);
    for (const char* tool : {"st-compile", "st-observe", "st-plan", "st-apply", "st-resume", "st-import", "st-state"}) {
      files::copy_file(Built(absl::StrCat("tools/", tool, "/", tool)), absl::StrCat(*path, "/", tool));
    }
    files::copy_file(Built("runner/st-runner"), absl::StrCat(*path, "/st-runner"));
    return path;
  }();
  return *folder;
}

CommandResult Run(const std::vector<std::string>& arguments, const CommandOptions& options) {
  absl::StatusOr<CommandResult> result = RunCommand(arguments, options);
  ABSL_CHECK(result.ok()) << result.status();
  return *std::move(result);
}

std::string Slurp(const files::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream content;
  content << stream.rdbuf();
  return content.str();
}

}  // namespace

template <typename Message>
Message ReadAnswer(const std::string& text) {
  Message message;
  diag::Diagnostics diagnostics;
  const bool read = docio::Read(text, "answer", docio::Trailer::kRequired, &message, &diagnostics);
  ABSL_CHECK(read) << diag::Render(diagnostics, diag::Format::kText) << text;
  return message;
}

template v1::OperationStatus ReadAnswer<v1::OperationStatus>(const std::string& text);
template v1::ApplyReport ReadAnswer<v1::ApplyReport>(const std::string& text);
template v1::Recovery ReadAnswer<v1::Recovery>(const std::string& text);
template v1::Plan ReadAnswer<v1::Plan>(const std::string& text);

Pipe::Pipe(std::string bootstrap, std::string name) : bootstrap_(std::move(bootstrap)), name_(std::move(name)) {
  folder_ = absl::StrCat(getenv("TEST_TMPDIR"), "/operator-", name_);
  files::create_directories(folder_ + "/project");
}

Pipe::~Pipe() {
  KillRunners();
  files::remove_all(folder_);
}

std::string Pipe::Path(const std::string& relative) const { return absl::StrCat(folder_, "/", relative); }

void Pipe::WriteProject(const std::string& input_topic, const std::string& output_topic) {
  std::ofstream(Path("project/stream_project.yml"))
      << absl::StrCat("project: {name: ", name_, "}\n",
                      "runtime:\n"
                      "  kafka: {bootstrap_servers: \"${BOOTSTRAP}\"}\n"
                      "  runner: {host: process, initial_offset: earliest}\n"
                      "sources:\n"
                      "  - name: input\n"
                      "    topic: ",
                      input_topic, "\n",
                      "    columns:\n"
                      "      - {name: k, type: STRING, required: true}\n"
                      "      - {name: n, type: BIGINT, required: true}\n"
                      "models:\n"
                      "  - name: big\n"
                      "    owner: tests\n"
                      "    executor: runner\n"
                      "    running: true\n"
                      "    sql: SELECT k, n AS number FROM {{ source(\"input\") }} WHERE n >= 10\n"
                      "    topic: {name: ",
                      output_topic, ", partitions: 1, config: {retention.ms: 86400000}}\n");
}

void Pipe::Edit(const std::string& from, const std::string& to) {
  const std::string path = Path("project/stream_project.yml");
  std::string text = Slurp(path);
  const size_t at = text.find(from);
  ABSL_CHECK_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  std::ofstream(path) << text;
}

void Pipe::KeepStateIn(const std::string& settings) {
  Edit("sources:\n", absl::StrCat("deployment_state: {", settings, "}\nsources:\n"));
}

std::vector<std::string> Pipe::Command(const std::string& tool, const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = {InstalledFolder() + "/" + tool};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

CommandOptions Pipe::Options(const std::string& input, const Environment& more) const {
  CommandOptions options;
  options.input = input;
  options.environment = environment_;
  for (const auto& [name, value] : more) options.environment[name] = value;
  options.environment["BOOTSTRAP"] = bootstrap_;
  options.environment["ST_STATE_DIR"] = state_folder();
  return options;
}

CommandResult Pipe::Tool(const std::string& tool, const std::vector<std::string>& arguments, const std::string& input,
                         const Environment& more) const {
  return Run(Command(tool, arguments), Options(input, more));
}

std::unique_ptr<RunningCommand> Pipe::StartTool(const std::string& tool, const std::vector<std::string>& arguments,
                                                const std::string& input, const Environment& more) const {
  absl::StatusOr<std::unique_ptr<RunningCommand>> running =
      RunningCommand::Start(Command(tool, arguments), Options(input, more));
  ABSL_CHECK(running.ok()) << running.status();
  return *std::move(running);
}

CommandResult Pipe::ToolKilledAfter(double seconds, const std::string& tool, const std::vector<std::string>& arguments,
                                    const std::string& input) const {
  std::vector<std::string> command = {"timeout", "-s", "KILL", absl::StrCat(seconds)};
  for (std::string& part : Command(tool, arguments)) command.push_back(std::move(part));
  return Run(command, Options(input, {}));
}

std::string Pipe::Compile() const {
  CommandResult result = Tool("st-compile", {Path("project")});
  ABSL_CHECK_EQ(result.exit_code, 0) << result.error_text;
  return result.output;
}

CommandResult Pipe::Plan(const std::string& file, const std::vector<std::string>& more) const {
  CommandResult observed = Tool("st-observe", {}, Compile());
  if (observed.exit_code != 0) return observed;
  files::remove(Path(file));
  std::vector<std::string> arguments = {"--detailed-exitcode", "--out", Path(file)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return Tool("st-plan", arguments, observed.output);
}

CommandResult Pipe::Apply(const std::string& file, const Environment& more) const {
  return Tool("st-apply", {"--plan", Path(file)}, Compile(), more);
}

CommandResult Pipe::Resume(const std::string& file, const std::string& operation, const Environment& more) const {
  return Tool("st-resume", {"--plan", Path(file), "--operation", operation}, Compile(), more);
}

v1::OperationStatus Pipe::Status() const {
  CommandResult result = Tool("st-resume", {"--status"}, Compile());
  return ReadAnswer<v1::OperationStatus>(result.output);
}

void Pipe::Deploy(const std::string& file) const {
  CommandResult planned = Plan(file);
  ABSL_CHECK(planned.exit_code == 0 || planned.exit_code >= 10) << planned.error_text;
  CommandResult applied = Apply(file);
  ABSL_CHECK_EQ(applied.exit_code, 0) << applied.error_text;
}

std::vector<int> Pipe::RunnerPids() const {
  std::vector<int> pids;
  for (const auto& entry : files::directory_iterator("/proc")) {
    int pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    std::error_code error;
    const std::string executable = files::read_symlink(entry.path() / "exe", error).string();
    if (!error && executable.rfind(folder_ + "/", 0) == 0) pids.push_back(pid);
  }
  return pids;
}

void Pipe::KillRunners() const {
  for (int pid : RunnerPids()) kill(pid, SIGKILL);
}

std::vector<std::string> Pipe::Generations() const {
  std::vector<std::string> found;
  const std::string root = state_folder() + "/runners";
  if (!files::exists(root)) return found;
  for (const auto& entry : files::recursive_directory_iterator(root)) {
    if (entry.path().filename() == "generation.textproto") found.push_back(entry.path().parent_path().string());
  }
  return found;
}

std::string Probe(const std::string& bootstrap, const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> command = {Built("tools/dev/kafka-probe/kafka-probe"), bootstrap};
  command.insert(command.end(), arguments.begin(), arguments.end());
  CommandOptions options;
  options.input = input;
  CommandResult result = Run(command, options);
  ABSL_CHECK_EQ(result.exit_code, 0) << result.error_text;
  return result.output;
}

std::vector<std::string> AwaitOutput(const std::string& bootstrap, const std::string& topic, size_t wanted,
                                     int seconds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::vector<std::string> values;
  do {
    values =
        absl::StrSplit(Probe(bootstrap, {"consume", topic, "--committed", "--exit-at-end"}), '\n', absl::SkipEmpty());
    if (values.size() >= wanted) return values;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  } while (std::chrono::steady_clock::now() < deadline);
  return values;
}

}  // namespace st::e2e
