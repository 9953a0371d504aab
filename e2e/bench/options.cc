#include "e2e/bench/options.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace st::e2e::bench {
namespace {

constexpr int64_t kLeastRecords = 1000;
// Numbers of eight digits, and a third of them for the wide input.
constexpr int64_t kMostRecords = 80000000;

// Both --name=value and --name value.
std::vector<std::string> Separated(const std::vector<std::string>& words) {
  std::vector<std::string> separated;
  for (const std::string& word : words) {
    const size_t place = absl::StartsWith(word, "--") ? word.find('=') : std::string::npos;
    separated.push_back(word.substr(0, place));
    if (place != std::string::npos) separated.push_back(word.substr(place + 1));
  }
  return separated;
}

// `bazel run` starts programs somewhere else.
std::string FromWhereTheUserIs(const std::string& path) {
  const char* folder = std::getenv("BUILD_WORKING_DIRECTORY");
  return folder == nullptr || absl::StartsWith(path, "/") ? path : absl::StrCat(folder, "/", path);
}

absl::Status SetValue(const std::string& name, const std::string& value, Options* options) {
  if (name == "--records") {
    if (absl::SimpleAtoi(value, &options->records) && options->records >= kLeastRecords &&
        options->records <= kMostRecords) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat("--records is from ", kLeastRecords, " to ", kMostRecords));
  }
  if (name == "--blocks") {
    if (absl::SimpleAtoi(value, &options->blocks) && options->blocks >= 1) return absl::OkStatus();
    return absl::InvalidArgumentError("--blocks is at least 1");
  }
  if (name == "--only") {
    options->only = absl::StrSplit(value, ',');
  } else if (name == "--csv") {
    options->csv_path = FromWhereTheUserIs(value);
  } else if (name == "--svg") {
    options->svg_path = FromWhereTheUserIs(value);
  } else {
    return absl::InvalidArgumentError(absl::StrCat("there is no flag ", name));
  }
  return absl::OkStatus();
}

// A set of other values; what stands behind it on the command line wins.
bool SetPreset(const std::string& name, Options* options) {
  if (name == "--quick") {
    options->records = 1500000;
    options->blocks = 2;
    options->latency_s = 4;
    options->latency_warm_up_s = 3;
    options->idle_s = 4;
    options->starts = 3;
    return true;
  }
  if (name == "--counts") {
    options->counts = true;
    options->records = 3000;
    options->blocks = 1;
    options->latency_s = 1;
    options->latency_warm_up_s = 0;
    options->idle_s = 1;
    options->starts = 1;
    return true;
  }
  return false;
}

}  // namespace

bool Options::Wants(const std::string& contender) const {
  if (only.empty()) return true;
  for (const std::string& name : only) {
    if (absl::StartsWith(contender, name)) return true;
  }
  return false;
}

absl::StatusOr<Options> ParseOptions(const std::vector<std::string>& words) {
  Options options;
  const std::vector<std::string> separated = Separated(words);
  for (size_t i = 0; i < separated.size(); ++i) {
    if (SetPreset(separated[i], &options)) continue;
    if (i + 1 == separated.size()) {
      return absl::InvalidArgumentError(absl::StrCat("no flag, or one without a value: ", separated[i]));
    }
    if (absl::Status status = SetValue(separated[i], separated[i + 1], &options); !status.ok()) return status;
    ++i;
  }
  return options;
}

}  // namespace st::e2e::bench
