#include "e2e/bench/contender.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace st::e2e::bench {
namespace {

Contender RungOf(Rung rung, const std::string& name, Meaning meaning) {
  return {.name = name, .kind = Contender::Kind::kRung, .meaning = meaning, .rung = rung};
}

Contender StreamsOf(int threads, bool tuned) {
  return {.name = absl::StrCat("streams ", tuned ? "tuned" : "default", ", ", threads,
                               threads == 1 ? " thread" : " threads"),
          .kind = Contender::Kind::kStreams,
          .threads = threads,
          .tuned = tuned,
          .is_service = threads == 1};
}

}  // namespace

const std::vector<Contender>& Contenders() {
  static const auto& all = *new std::vector<Contender>{
      RungOf(Rung::kConsume, "consume", Meaning::kNothing),
      RungOf(Rung::kDecode, "+ decode", Meaning::kNothing),
      RungOf(Rung::kEncode, "+ filter and encode", Meaning::kNothing),
      RungOf(Rung::kProduce, "+ produce", Meaning::kModel),
      RungOf(Rung::kTransactions, "+ transactions", Meaning::kModel),
      {.name = "st-runner", .kind = Contender::Kind::kRunner, .is_service = true},
      RungOf(Rung::kCopy, "bare copy loop", Meaning::kCopies),
      {.name = "java loop", .kind = Contender::Kind::kJavaLoop, .is_service = true},
      StreamsOf(1, false),
      StreamsOf(1, true),
      StreamsOf(2, false),
      StreamsOf(2, true),
  };
  return all;
}

Launcher::Launcher(Cluster* cluster, std::string servers, std::string folder, bool hurried)
    : cluster_(cluster), servers_(std::move(servers)), folder_(std::move(folder)), hurried_(hurried), java_(folder_) {}

Machine Launcher::MachineOf(const Contender& contender) const {
  if (hurried_) return Machine::kHurried;
  return contender.tuned ? Machine::kTuned : Machine::kDefault;
}

std::vector<std::string> Launcher::WordsOf(const Contender& contender, const Place& place, const Model* model) const {
  std::vector<std::string> words;
  switch (contender.kind) {
    case Contender::Kind::kRung:
      words = bench::WordsOf({.rung = contender.rung,
                              .workload = place.workload,
                              .servers = servers_,
                              .group = place.group,
                              .input = place.input,
                              .output = place.output,
                              .commit_interval_ms = kCommitIntervalMs});
      words.insert(words.begin(), "/proc/self/exe");
      return words;
    case Contender::Kind::kRunner:
      words = {"runner/st-runner", absl::StrCat("--commit-interval-ms=", kCommitIntervalMs)};
      for (const auto& [name, value] : model->flags) words.push_back(absl::StrCat("--", name, "=", value));
      return words;
    case Contender::Kind::kJavaLoop:
    case Contender::Kind::kStreams:
      break;
  }
  words = JavaPlanOf(place.workload);
  words.insert(words.end(), {"servers=" + servers_, "group=" + place.group, "input=" + place.input,
                             "output=" + place.output, absl::StrCat("commit.ms=", kCommitIntervalMs)});
  if (contender.kind == Contender::Kind::kJavaLoop) {
    return java_.Command("TransactionalLoop", MachineOf(contender), words);
  }
  words.insert(words.end(),
               {absl::StrCat("threads=", contender.threads), absl::StrCat("tuned=", contender.tuned ? "yes" : "no"),
                absl::StrCat("state.dir=", folder_, "/", place.group)});
  return java_.Command("StreamsJob", MachineOf(contender), words);
}

Running Launcher::Start(const Contender& contender, const Place& place) {
  Running running;
  if (contender.kind == Contender::Kind::kRunner) {
    running.model = std::make_unique<Model>(cluster_, servers_, PlanOf(place.workload, place.input, place.output),
                                            place.group, kPartitions);
  }
  running.process = std::make_unique<Process>(WordsOf(contender, place, running.model.get()),
                                              absl::StrCat(folder_, "/", place.group, ".log"));
  return running;
}

}  // namespace st::e2e::bench
