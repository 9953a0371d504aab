#include "e2e/docker/ground.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <thread>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "e2e/pipe.h"
#include "lib/base/id.h"

namespace st::e2e {
namespace {

namespace files = std::filesystem;
using nlohmann::json;

// When a test is aborted or killed, its engine ends by itself; then the folder goes too. Prints who watches.
constexpr char kWatcher[] =
    "setsid sh -c 'tail --pid=\"$0\" -f /dev/null; cd /; "
    "while [ -e \"$1/engine\" ]; do sleep 0.1; done; exec rm -rf \"$1\"' \"$1\" \"$2\" > /dev/null 2>&1 & echo $!";

CommandResult Run(const std::vector<std::string>& arguments, const CommandOptions& options = {}) {
  absl::StatusOr<CommandResult> result = RunCommand(arguments, options);
  ABSL_CHECK(result.ok()) << result.status();
  return *std::move(result);
}

std::string Must(const std::vector<std::string>& arguments, const CommandOptions& options = {}) {
  CommandResult result = Run(arguments, options);
  ABSL_CHECK_EQ(result.exit_code, 0) << absl::StrJoin(arguments, " ") << ": " << result.error_text;
  return std::string(absl::StripAsciiWhitespace(result.output));
}

// Processes that were started with a path below a folder.
std::vector<std::string> ProcessesOf(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : files::directory_iterator("/proc")) {
    std::ifstream stream(entry.path() / "cmdline", std::ios::binary);
    std::stringstream line;
    line << stream.rdbuf();
    if (absl::StrContains(line.str(), folder)) found.push_back(line.str());
  }
  return found;
}

}  // namespace

Ground::Ground() : unique_(base::NewUuid().substr(0, 8)) {
  // The path of a Unix socket is short.
  folder_ = absl::StrCat("/tmp/st-journey-", unique_);
  ABSL_CHECK_EQ(mkdir(folder_.c_str(), 0711), 0) << folder_;
  ABSL_CHECK_EQ(chmod(folder_.c_str(), 0711), 0) << folder_;
  watcher_ = Must({"sh", "-c", kWatcher, "sh", absl::StrCat(getpid()), folder_});
  docker_host_ = Must({"tools/dev/docker", "start", folder_ + "/engine", "--while", absl::StrCat(getpid())});
  struct stat socket = {};
  ABSL_CHECK_EQ(stat(std::string(absl::StripPrefix(docker_host_, "unix://")).c_str(), &socket), 0) << docker_host_;
  socket_group_ = socket.st_gid;
  network_ = absl::StrCat("st-", unique_);
  Docker({"network", "create", network_});
}

Ground::~Ground() {
  Docker({"network", "rm", network_});
  EXPECT_EQ(absl::StrJoin(Left(), "\n"), "");
  Must({"tools/dev/docker", "stop", folder_ + "/engine"});
  Must({"kill", watcher_});
  for (const auto& entry : files::directory_iterator(folder_)) ADD_FAILURE() << entry.path() << " is left";
  // One that was killed may still be on its way out.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!ProcessesOf(folder_).empty() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  EXPECT_EQ(absl::StrJoin(ProcessesOf(folder_), "\n"), "");
  files::remove_all(folder_);
}

bool Ground::OwnsEngine() const { return files::exists(folder_ + "/engine/pid"); }

void Ground::RestartMachine() const { Must({"tools/dev/docker", "restart", folder_ + "/engine"}); }

CommandResult Ground::Try(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = {"/usr/bin/docker"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  CommandOptions options;
  options.environment = {{"DOCKER_HOST", docker_host_}};
  return Run(command, options);
}

std::string Ground::Docker(const std::vector<std::string>& arguments) const {
  CommandResult result = Try(arguments);
  ABSL_CHECK_EQ(result.exit_code, 0) << absl::StrJoin(arguments, " ") << ": " << result.error_text;
  return std::string(absl::StripTrailingAsciiWhitespace(result.output));
}

std::vector<std::string> Ground::DockerLines(const std::vector<std::string>& arguments) const {
  std::vector<std::string> lines = absl::StrSplit(Docker(arguments), '\n', absl::SkipEmpty());
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string Ground::State() const {
  std::string state;
  for (const std::string kind : {"container", "volume", "network", "image"}) {
    std::vector<std::string> list = {kind, "ls", "--quiet"};
    if (kind == "container") list.insert(list.end(), {"--all", "--no-trunc"});
    for (const std::string& id : DockerLines(list)) {
      json seen = json::parse(Docker({kind, "inspect", id})).at(0);
      // What the engine calls the creation of a volume is the last change of its folder; mounts come in any order.
      if (kind == "volume") seen.erase("CreatedAt");
      if (kind == "container") std::sort(seen.at("Mounts").begin(), seen.at("Mounts").end());
      absl::StrAppend(&state, kind, " ", seen.dump(1), "\n");
    }
  }
  return state;
}

std::vector<std::string> Ground::ContainersOf(const std::string& application_id) const {
  return DockerLines({"container", "ls", "--all", "--quiet", "--no-trunc", "--filter",
                      absl::StrCat("label=st.application=", application_id)});
}

std::string Ground::Inspect(const std::string& container, const std::string& format) const {
  return Docker({"container", "inspect", "--format", format, container});
}

std::vector<std::string> Ground::Left() const {
  std::vector<std::string> left = DockerLines({"container", "ls", "--all", "--format", "{{.Names}} {{.Labels}}"});
  for (const char* kind : {"volume", "network"}) {
    for (std::string& name : DockerLines({kind, "ls", "--format", "{{.Name}} {{.Labels}}"})) {
      left.push_back(std::move(name));
    }
  }
  left.erase(std::remove_if(left.begin(), left.end(),
                            [&](const std::string& name) { return !absl::StrContains(name, unique_); }),
             left.end());
  return left;
}

BrokerContainer::BrokerContainer(const Ground& ground, const std::string& name)
    : ground_(ground), name_(absl::StrCat("st-", ground.unique(), "-", name)) {
  CommandOptions options;
  options.environment = {{"DOCKER_HOST", ground_.docker_host()}};
  bootstrap_ = Must({"tools/dev/kafka-container", "start", name_, "--network", ground_.network()}, options);
}

BrokerContainer::~BrokerContainer() {
  CommandOptions options;
  options.environment = {{"DOCKER_HOST", ground_.docker_host()}};
  Must({"tools/dev/kafka-container", "stop", name_}, options);
}

void BrokerContainer::StartAgain() const {
  ground_.Docker({"start", name_});
  const std::string address =
      ground_.Inspect(name_, "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}") + ":9092";
  ABSL_CHECK_EQ(address, bootstrap_);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (Run({"tools/dev/kafka-probe/kafka-probe", bootstrap_, "topics"}).exit_code != 0) {
    ABSL_CHECK(std::chrono::steady_clock::now() < deadline) << "the broker does not answer";
  }
}

std::string BrokerContainer::State(const std::vector<std::string>& topics,
                                   const std::vector<std::string>& groups) const {
  std::string state;
  for (const std::string& topic : topics) {
    absl::StrAppend(&state, Probe(bootstrap_, {"topic", topic}));
    // Partitions come in any order.
    std::vector<std::string> records = absl::StrSplit(
        Probe(bootstrap_, {"consume", topic, "--exit-at-end", "--format", "json"}), '\n', absl::SkipEmpty());
    std::sort(records.begin(), records.end());
    absl::StrAppend(&state, absl::StrJoin(records, "\n"), "\n");
  }
  for (const std::string& group : groups) absl::StrAppend(&state, Probe(bootstrap_, {"group", group}));
  return state;
}

bool BrokerContainer::AwaitAllRead(const std::string& group, const std::string& topic) const {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const json ends = json::parse(Probe(bootstrap_, {"topic", topic})).at("partitions");
  do {
    std::map<int, int64_t> committed;
    const json facts = json::parse(Probe(bootstrap_, {"group", group}));
    for (const json& offset : facts.at("offsets")) {
      if (offset.at("topic") == topic) committed[offset.at("partition")] = offset.at("offset");
    }
    if (std::all_of(ends.begin(), ends.end(), [&](const json& partition) {
          auto found = committed.find(partition.at("partition"));
          return found != committed.end() && found->second == partition.at("end");
        })) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  } while (std::chrono::steady_clock::now() < deadline);
  return false;
}

std::ostream& operator<<(std::ostream& stream, const SeenRecord& record) {
  return stream << record.key << " " << record.value << " " << record.headers << " " << record.timestamp;
}

std::vector<SeenRecord> SeenRecords(const std::string& bootstrap, const std::string& topic) {
  std::vector<SeenRecord> records;
  const std::string lines = Probe(bootstrap, {"consume", topic, "--committed", "--exit-at-end", "--format", "json"});
  for (absl::string_view line : absl::StrSplit(lines, '\n', absl::SkipEmpty())) {
    const json read = json::parse(line);
    SeenRecord record;
    record.key = read.at("key").is_null() ? "null" : read.at("key").get<std::string>();
    const json& value = read.at("value");
    ABSL_CHECK(value.is_null() || absl::Base64Unescape(value.get<std::string>(), &record.value)) << line;
    record.headers = read.at("headers").dump();
    record.timestamp = read.at("timestamp");
    records.push_back(std::move(record));
  }
  std::sort(records.begin(), records.end());
  return records;
}

}  // namespace st::e2e
