#include "e2e/docker/operator.h"

#include <sys/stat.h>

#include <filesystem>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace st::e2e {
namespace {

namespace files = std::filesystem;

// Nobody's on this machine, and not the image's.
constexpr char kMemberId[] = "41417";
constexpr char kImageUser[] = "10001:10001";

}  // namespace

Operator::Operator(const Ground& ground, const std::string& bootstrap, const std::string& inside, Who who)
    : ground_(ground), who_(who) {
  const std::string name = who == Who::kRoot ? "root" : "member";
  project_ = absl::StrCat("shop_", ground.unique(), "_", name);
  folder_ = absl::StrCat(ground.folder(), "/", name);
  ABSL_CHECK_EQ(mkdir(folder_.c_str(), 0700), 0) << folder_;
  if (who == Who::kMember) {
    absl::StatusOr<CommandResult> owned = RunCommand({"chown", absl::StrCat(kMemberId, ":", kMemberId), folder_});
    ABSL_CHECK(owned.ok() && owned->exit_code == 0) << folder_;
  }
  Install();
  environment_ = {{"BOOTSTRAP", bootstrap},
                  {"KAFKA_BOOTSTRAP_SERVERS", bootstrap},
                  {"KAFKA_BOOTSTRAP_SERVERS_INTERNAL", inside},
                  {"ST_IMAGE", image_},
                  {"ST_NETWORK", ground.network()},
                  {"DOCKER_HOST", ground.docker_host()},
                  {"ST_STATE_DIR", Path("state")},
                  {"HOME", folder_},
                  {"PATH", Path("prefix/bin") + ":/usr/bin:/bin"}};
}

Operator::~Operator() {
  RemoveRunners();
  files::remove_all(folder_);
}

std::string Operator::user() const { return who_ == Who::kRoot ? kImageUser : absl::StrCat(kMemberId, ":", kMemberId); }

std::string Operator::application_id(const std::string& model) const {
  return absl::StrCat("st.", project_, ".docker.", model);
}

void Operator::Install() {
  // Root opens what this user may not; `install` takes the owner from here.
  const std::vector<std::string> owner = {"--owner", who_ == Who::kRoot ? "0" : kMemberId, "--group",
                                          who_ == Who::kRoot ? "0" : kMemberId};
  const auto install = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"install"});
    arguments.insert(arguments.begin() + 1, owner.begin(), owner.end());
    absl::StatusOr<CommandResult> done = RunCommand(arguments);
    ABSL_CHECK(done.ok() && done->exit_code == 0) << absl::StrJoin(arguments, " ") << done->error_text;
  };
  for (const char* folder : {"prefix", "prefix/bin", "prefix/share", "prefix/share/st"}) {
    install({"-d", "-m", "700", Path(folder)});
  }
  for (const char* tool :
       {"st-compile", "st-test", "st-observe", "st-plan", "st-apply", "st-resume", "st-import", "st-state"}) {
    install({"-m", "700", absl::StrCat("tools/", tool, "/", tool), Path("prefix/bin/")});
  }
  for (const char* part : {"tar", "id"}) {
    install({"-m", "600", absl::StrCat("runner/image/st-runner-image.", part), Path("prefix/share/st/")});
  }
  image_ = std::string(absl::StripAsciiWhitespace(Run({"cat", Path("prefix/share/st/st-runner-image.id")}).output));
  ABSL_CHECK(!image_.empty());
}

void Operator::TakeExample(const std::string& example) {
  const std::string from = absl::StrCat("testdata/projects/", example);
  for (const auto& entry : files::recursive_directory_iterator(from)) {
    if (entry.is_directory() || entry.path().filename() == "BUILD") continue;
    absl::StatusOr<CommandResult> text = RunCommand({"cat", entry.path().string()});
    ABSL_CHECK(text.ok() && text->exit_code == 0) << entry.path();
    Write(entry.path().lexically_relative(from).string(), text->output);
  }
  Edit("stream_project.yml", absl::StrCat("name: ", example, "\n"), absl::StrCat("name: ", project_, "\n"));
}

void Operator::Write(const std::string& relative, const std::string& text) {
  const std::string path = Path("shop/" + relative);
  CommandResult made = Run({"sh", "-c", "mkdir -p \"${1%/*}\" && cat > \"$1\"", "sh", path}, text);
  ABSL_CHECK_EQ(made.exit_code, 0) << made.error_text;
}

std::string Operator::Read(const std::string& relative) const {
  CommandResult text = Run({"cat", Path("shop/" + relative)});
  ABSL_CHECK_EQ(text.exit_code, 0) << text.error_text;
  return text.output;
}

void Operator::Edit(const std::string& relative, const std::string& from, const std::string& to) {
  std::string text = Read(relative);
  const size_t at = text.find(from);
  ABSL_CHECK_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  Write(relative, text);
}

CommandResult Operator::Run(const std::vector<std::string>& command, const std::string& input) const {
  std::vector<std::string> all;
  if (who_ == Who::kMember) {
    all = {"setpriv", absl::StrCat("--reuid=", kMemberId), absl::StrCat("--regid=", kMemberId),
           absl::StrCat("--groups=", ground_.socket_group())};
  }
  all.insert(all.end(), {"sh", "-c", "umask 0077 && cd \"$0\" && exec \"$@\"", folder_});
  all.insert(all.end(), command.begin(), command.end());
  CommandOptions options;
  options.input = input;
  options.environment = environment_;
  absl::StatusOr<CommandResult> result = RunCommand(all, options);
  ABSL_CHECK(result.ok()) << result.status();
  return *std::move(result);
}

CommandResult Operator::TryCompile() const { return Run({"st-compile", "shop", "--env", "docker"}); }

std::string Operator::Compile() const {
  CommandResult result = TryCompile();
  ABSL_CHECK_EQ(result.exit_code, 0) << result.error_text;
  return result.output;
}

CommandResult Operator::Plan(const std::string& file) const {
  CommandResult observed = Run({"st-observe"}, Compile());
  if (observed.exit_code != 0) return observed;
  Run({"rm", "-f", file});
  return Run({"st-plan", "--detailed-exitcode", "--out", file}, observed.output);
}

CommandResult Operator::Apply(const std::string& file) const { return Run({"st-apply", "--plan", file}, Compile()); }

CommandResult Operator::Status() const { return Run({"st-resume", "--status"}, Compile()); }

CommandResult Operator::Resume(const std::string& file, const std::string& operation) const {
  return Run({"st-resume", "--plan", file, "--operation", operation}, Compile());
}

void Operator::RemoveRunners() const {
  const std::string ours = absl::StrCat("st.", project_, ".");
  for (const std::string& line :
       ground_.DockerLines({"container", "ls", "--all", "--format", "{{.ID}} {{.Label \"st.application\"}}"})) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(line, ' ');
    if (absl::StartsWith(parts.second, ours)) ground_.Docker({"container", "rm", "--force", parts.first});
  }
  for (const std::string& volume : ground_.DockerLines({"volume", "ls", "--quiet"})) {
    if (absl::StartsWith(volume, "st." + ours)) ground_.Docker({"volume", "rm", volume});
  }
}

Given::Given(Operator& user, const std::string& variable, const std::string& value)
    : before_(user.environment()), environment_(user.environment()) {
  environment_[variable] = value;
}

Given::~Given() { environment_ = std::move(before_); }

}  // namespace st::e2e
