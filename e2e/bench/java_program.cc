#include "e2e/bench/java_program.h"

#include <algorithm>
#include <filesystem>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "e2e/command.h"

namespace st::e2e::bench {
namespace {

constexpr char kSources[] = "e2e/bench/java";
// What the sources and the libraries that they call need; a broker's jars are many more.
constexpr const char* kJars[] = {"jackson-annotations-", "jackson-core-", "jackson-databind-", "kafka-clients-",
                                 "kafka-streams-",       "rocksdbjni-",   "slf4j-api-",        "slf4j-simple-"};

CommandResult Run(const std::vector<std::string>& words) {
  auto result = RunCommand(words);
  ABSL_CHECK(result.ok()) << result.status();
  ABSL_CHECK_EQ(result->exit_code, 0) << words[0] << ": " << result->error_text;
  return *std::move(result);
}

std::string KafkaHome() {
  const std::string home = Run({"tools/dev/kafka", "home"}).output;
  return std::string(absl::StripSuffix(home, "\n"));
}

std::vector<std::string> FilesOf(const std::string& folder, const std::string& suffix) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (absl::EndsWith(entry.path().string(), suffix)) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

JavaProgram::JavaProgram(const std::string& folder) : class_path_(folder) {
  for (const std::string& path : FilesOf(KafkaHome() + "/jars", ".jar")) {
    const std::string name = std::filesystem::path(path).filename().string();
    for (const char* wanted : kJars) {
      if (!absl::StartsWith(name, wanted)) continue;
      jars_.push_back(name);
      absl::StrAppend(&class_path_, ":", path);
    }
  }
  ABSL_CHECK_EQ(jars_.size(), std::size(kJars)) << "one jar of each in " << KafkaHome() << "/jars";
  std::vector<std::string> words = {"javac", "-proc:none", "-d", folder, "-cp", class_path_};
  for (const std::string& source : FilesOf(kSources, ".java")) words.push_back(source);
  Run(words);
}

std::vector<std::string> JavaProgram::OptionsOf(Machine machine) {
  switch (machine) {
    case Machine::kDefault:
      return {};
    case Machine::kTuned:
      return {"-Xms1g", "-Xmx1g", "-XX:+UseParallelGC"};
    case Machine::kHurried:
      return {"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"};
  }
  return {};
}

std::vector<std::string> JavaProgram::Command(const std::string& main_class, Machine machine,
                                              const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = OptionsOf(machine);
  words.insert(words.begin(), "java");
  words.insert(words.end(), {"-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", class_path_, main_class});
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::string KafkaVersion() {
  const std::string home = KafkaHome();
  return home.substr(home.rfind('-') + 1);
}

std::string JavaVersion() {
  const std::string said = Run({"java", "-version"}).error_text;
  return said.substr(0, said.find('\n'));
}

}  // namespace st::e2e::bench
