// `bazel run //e2e/bench`: st-runner on a real broker, beside the rungs that it is made of, the ceiling and its peers.
// What is measured and how: docs/benchmarks.md.
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/bench/bed.h"
#include "e2e/bench/chart.h"
#include "e2e/bench/contender.h"
#include "e2e/bench/journal.h"
#include "e2e/bench/ladder.h"
#include "e2e/bench/options.h"
#include "e2e/bench/report.h"
#include "e2e/bench/service.h"
#include "e2e/bench/settings.h"
#include "e2e/bench/throughput.h"
#include "lib/fs/file.h"

namespace st::e2e::bench {
namespace {

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options), bed_(options.counts) {}

  absl::Status Run() {
    PrintSettings(&bed_, options_, &journal_);
    std::vector<Panel> panels;
    for (const Workload workload : kWorkloads) {
      if (absl::Status done = RunThroughput(workload, &panels); !done.ok()) return done;
    }
    if (absl::Status done = RunServices(); !done.ok()) return done;
    std::printf("\n%d runs, the output of each as the model says\n", checked_);
    if (absl::Status written = Write(options_.csv_path, journal_.Csv()); !written.ok()) return written;
    return panels.empty() ? absl::OkStatus()
                          : Write(options_.svg_path, DrawChart("st-runner beside its parts and peers", panels));
  }

 private:
  // Wide records are many times as large.
  static constexpr int kWideShare = 3;

  std::vector<Contender> ContendersOf(Workload workload) const {
    std::vector<Contender> wanted;
    int streams = 0;
    for (const Contender& contender : Contenders()) {
      if (!options_.Wants(contender.name)) continue;
      // Java takes long to start: where nothing is timed, each variant of Streams runs on one input only.
      const bool is_streams = contender.kind == Contender::Kind::kStreams;
      if (options_.counts && is_streams && streams++ % 2 != static_cast<int>(workload)) continue;
      wanted.push_back(contender);
    }
    return wanted;
  }

  absl::Status RunThroughput(Workload workload, std::vector<Panel>* panels) {
    const std::vector<Contender> contenders = ContendersOf(workload);
    const int64_t records = workload == Workload::kWide ? options_.records / kWideShare : options_.records;
    Throughput throughput(&bed_, &journal_, workload, records);
    std::printf("%s: %lld and %lld records\n", std::string(NameOf(workload)).c_str(),
                static_cast<long long>(records / 2), static_cast<long long>(records));
    std::fflush(stdout);
    absl::Status done = options_.counts ? Count(contenders, &throughput) : Time(contenders, &throughput, panels);
    checked_ += throughput.checked();
    if (done.ok() && workload == Workload::kNarrow) narrow_.emplace(throughput.topic());
    return done;
  }

  static absl::Status Count(const std::vector<Contender>& contenders, Throughput* throughput) {
    for (const Contender& contender : contenders) {
      auto measured = throughput->Run(contender, true);
      if (!measured.ok()) return measured.status();
      std::printf("%s, %s: right\n", std::string(NameOf(throughput->workload())).c_str(), contender.name.c_str());
    }
    return absl::OkStatus();
  }

  absl::Status Time(const std::vector<Contender>& contenders, Throughput* throughput, std::vector<Panel>* panels) {
    if (contenders.empty()) return absl::OkStatus();
    auto standings = throughput->RunBlocks(contenders, options_.blocks);
    if (!standings.ok()) return standings.status();
    ReportThroughput(throughput->workload(), contenders, *standings, &journal_);
    for (Panel& panel : PanelsOf(throughput->workload(), contenders, *standings)) panels->push_back(std::move(panel));
    return absl::OkStatus();
  }

  absl::Status RunServices() {
    std::vector<Service> services;
    for (const Contender& contender : Contenders()) {
      if (!contender.is_service || !options_.Wants(contender.name)) continue;
      if (options_.counts && contender.kind != Contender::Kind::kRunner) continue;
      services.push_back(MeasureStart(&bed_, contender, *narrow_, options_));
      for (const int64_t rate : kRates) {
        auto latency = MeasureLatency(&bed_, contender, rate, options_);
        if (!latency.ok()) return latency.status();
        services.back().latencies.push_back(*latency);
        ++checked_;
      }
    }
    if (options_.counts) {
      for (const Service& service : services) std::printf("%s, as a service: right\n", service.name.c_str());
      return absl::OkStatus();
    }
    ReportServices(services, &journal_);
    return absl::OkStatus();
  }

  static absl::Status Write(const std::string& path, const std::string& text) {
    if (path.empty()) return absl::OkStatus();
    absl::Status written = fs::WriteFileAtomically(path, text, 0644, fs::Existing::kReplace);
    if (written.ok()) std::printf("wrote %s\n", path.c_str());
    return written;
  }

  const Options options_;
  Bed bed_;
  Journal journal_;
  std::optional<FilledTopic> narrow_;
  int checked_ = 0;
};

}  // namespace
}  // namespace st::e2e::bench

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (auto rung = st::e2e::bench::RungFlagsOf(words)) return st::e2e::bench::RunRung(*rung);
  if (words.size() == 1 && words[0] == "--help") {
    std::printf("%s", st::e2e::bench::kUsage);
    return 0;
  }
  auto options = st::e2e::bench::ParseOptions(words);
  if (!options.ok()) {
    std::fprintf(stderr, "bench: %s\n%s", std::string(options.status().message()).c_str(), st::e2e::bench::kUsage);
    return 2;
  }
  const absl::Status done = st::e2e::bench::Bench(*options).Run();
  if (done.ok()) return 0;
  std::fprintf(stderr, "bench: error: %s\n", std::string(done.message()).c_str());
  return 1;
}
