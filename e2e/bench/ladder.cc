#include "e2e/bench/ladder.h"

#include <array>
#include <cstdio>
#include <iterator>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"

namespace st::e2e::bench {
namespace {

constexpr const char* kNames[] = {"consume", "decode", "encode", "produce", "transactions", "copy"};
constexpr char kCounts[] = "\ncounted ";

}  // namespace

std::string_view NameOf(Rung rung) { return kNames[static_cast<size_t>(rung)]; }

std::vector<std::string> WordsOf(const RungFlags& flags) {
  return {"--rung",
          std::string(NameOf(flags.rung)),
          std::string(NameOf(flags.workload)),
          flags.servers,
          flags.group,
          flags.input,
          flags.output,
          absl::StrCat(flags.commit_interval_ms)};
}

std::optional<RungFlags> RungFlagsOf(const std::vector<std::string>& words) {
  constexpr size_t kWords = 8;
  if (words.size() != kWords || words[0] != "--rung") return std::nullopt;
  RungFlags flags{.servers = words[3],
                  .group = words[4],
                  .input = words[5],
                  .output = words[6],
                  .commit_interval_ms = std::stoll(words[7])};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (words[1] == kNames[i]) flags.rung = static_cast<Rung>(i);
  }
  for (const Workload workload : kWorkloads) {
    if (words[2] == NameOf(workload)) flags.workload = workload;
  }
  return words[1] == NameOf(flags.rung) && words[2] == NameOf(flags.workload) ? std::optional(flags) : std::nullopt;
}

RungCounts CountsIn(const std::string& said) {
  const size_t place = said.rfind(kCounts);
  ABSL_CHECK(place != std::string::npos) << "no counts in: " << said;
  long long in = 0, out = 0, out_bytes = 0;
  ABSL_CHECK_EQ(std::sscanf(said.c_str() + place + sizeof(kCounts) - 1, "%lld %lld %lld", &in, &out, &out_bytes), 3);
  return {.in = in, .out = out, .out_bytes = out_bytes};
}

}  // namespace st::e2e::bench
