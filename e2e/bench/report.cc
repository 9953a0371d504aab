#include "e2e/bench/report.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace st::e2e::bench {
namespace {

constexpr double kMega = 1e6;

double MegabytesA(Workload workload, double records) {
  return records * static_cast<double>(ValueOf(workload, 0).size()) / kMega;
}

struct Figure {
  const char* name;  // with its unit
  double Slope::*member;
};
constexpr Figure kFigures[] = {{"records_a_second", &Slope::records_a_second},
                               {"client_cpu_s_a_million", &Slope::client_cpu_a_million},
                               {"broker_cpu_s_a_million", &Slope::broker_cpu_a_million}};

void Keep(Journal* journal, Workload workload, const std::string& contender, const std::string& name,
          const Spread& spread) {
  const std::pair<const char*, double> values[] = {
      {"median", spread.median}, {"least", spread.least}, {"most", spread.most}};
  for (const auto& [which, value] : values) {
    journal->Add({.kind = "slope",
                  .input = std::string(NameOf(workload)),
                  .contender = contender,
                  .name = absl::StrCat(name, " ", which),
                  .value = NumberOf(value)});
  }
}

// The streams variant with the most records a second; the number of contenders when there is none.
size_t BestStreams(const std::vector<Contender>& contenders, const std::vector<Standing>& standings) {
  size_t best = contenders.size();
  for (size_t i = 0; i < contenders.size(); ++i) {
    if (contenders[i].kind != Contender::Kind::kStreams) continue;
    const double speed = standings[i].Of(&Slope::records_a_second).median;
    if (best == contenders.size() || speed > standings[best].Of(&Slope::records_a_second).median) best = i;
  }
  return best;
}

void ReportRatios(Workload workload, const std::vector<Contender>& contenders, const std::vector<Standing>& standings,
                  Journal* journal) {
  const auto runner = std::find_if(contenders.begin(), contenders.end(), [](const Contender& contender) {
    return contender.kind == Contender::Kind::kRunner;
  });
  if (runner == contenders.end()) return;
  const Standing& ours = standings[static_cast<size_t>(runner - contenders.begin())];
  const size_t best = BestStreams(contenders, standings);
  std::printf("\n%-28s %-26s %s\n", "st-runner by", "records/s", "client CPU a record");
  for (size_t i = 0; i < contenders.size(); ++i) {
    if (&standings[i] == &ours) continue;
    const Spread speed = RatioOf(ours, standings[i], &Slope::records_a_second);
    const Spread cpu = RatioOf(ours, standings[i], &Slope::client_cpu_a_million);
    std::printf("%-28s %-26s %s%s\n", contenders[i].name.c_str(), TextOf(speed, 2).c_str(), TextOf(cpu, 2).c_str(),
                i == best ? "   (the best of Streams)" : "");
    Keep(journal, workload, contenders[i].name, "st-runner's records_a_second by it", speed);
    Keep(journal, workload, contenders[i].name, "st-runner's client_cpu by it", cpu);
  }
}

}  // namespace

void ReportThroughput(Workload workload, const std::vector<Contender>& contenders,
                      const std::vector<Standing>& standings, Journal* journal) {
  std::printf("\n%s records: %zu bytes, half of them pass; median (least to most) of %zu blocks\n",
              std::string(NameOf(workload)).c_str(), ValueOf(workload, 0).size(), standings[0].slopes.size());
  std::printf("%-28s %-34s %6s   %-22s %-22s %s\n", "", "records/s", "MB/s", "client CPU-s a million",
              "broker CPU-s a million", "peak MB");
  for (const Standing& standing : standings) {
    const Spread speed = standing.Of(&Slope::records_a_second);
    const Spread peak = SpreadOf(standing.peaks_mb);
    std::printf("%-28s %-34s %6.1f   %-22s %-22s %.1f\n", standing.name.c_str(), TextOf(speed, 0).c_str(),
                MegabytesA(workload, speed.median), TextOf(standing.Of(&Slope::client_cpu_a_million), 2).c_str(),
                TextOf(standing.Of(&Slope::broker_cpu_a_million), 2).c_str(), peak.most);
    for (const Figure& figure : kFigures)
      Keep(journal, workload, standing.name, figure.name, standing.Of(figure.member));
    Keep(journal, workload, standing.name, "peak_mb", peak);
  }
  ReportRatios(workload, contenders, standings, journal);
  std::printf("\n");
  std::fflush(stdout);
}

std::vector<Panel> PanelsOf(Workload workload, const std::vector<Contender>& contenders,
                            const std::vector<Standing>& standings) {
  const std::string input = absl::StrCat(NameOf(workload), " records (", ValueOf(workload, 0).size(), " bytes): ");
  std::vector<Panel> panels = {{.title = input + "million records/s, more is better"},
                               {.title = input + "client CPU-seconds a million records, less is better"}};
  for (size_t i = 0; i < contenders.size(); ++i) {
    Spread speed = standings[i].Of(&Slope::records_a_second);
    speed = {.median = speed.median / kMega, .least = speed.least / kMega, .most = speed.most / kMega};
    const Spread cpu = standings[i].Of(&Slope::client_cpu_a_million);
    const bool is_ours = contenders[i].kind == Contender::Kind::kRunner;
    panels[0].bars.push_back(
        {.label = contenders[i].name, .value = speed, .text = TextOf(speed, 2), .is_ours = is_ours});
    panels[1].bars.push_back({.label = contenders[i].name, .value = cpu, .text = TextOf(cpu, 2), .is_ours = is_ours});
  }
  return panels;
}

void ReportServices(const std::vector<Service>& services, Journal* journal) {
  std::printf("\n%-28s %-28s %10s %16s\n", "as a service", "first commit after, ms", "idle MB", "idle % of a core");
  for (const Service& service : services) {
    std::printf("%-28s %-28s %10.1f %16.2f\n", service.name.c_str(), TextOf(service.first_commit_ms, 0).c_str(),
                service.idle_mb, service.idle_cpu_percent);
    const std::pair<const char*, double> values[] = {{"first_commit_ms median", service.first_commit_ms.median},
                                                     {"first_commit_ms least", service.first_commit_ms.least},
                                                     {"first_commit_ms most", service.first_commit_ms.most},
                                                     {"idle_mb", service.idle_mb},
                                                     {"idle_cpu_percent", service.idle_cpu_percent}};
    for (const auto& [name, value] : values) {
      journal->Add({.kind = "start", .contender = service.name, .name = name, .value = NumberOf(value)});
    }
  }
  std::printf("\n%-28s %10s %10s %10s %16s %12s\n", "from append to visible", "records/s", "p50 ms", "p99 ms",
              "CPU % of a core", "resident MB");
  for (const Service& service : services) {
    for (const Latency& latency : service.latencies) {
      std::printf("%-28s %10lld %10.0f %10.0f %16.1f %12.1f\n", service.name.c_str(),
                  static_cast<long long>(latency.rate), latency.p50_ms, latency.p99_ms, latency.cpu_percent,
                  latency.resident_mb);
      const std::pair<const char*, double> values[] = {{"p50_ms", latency.p50_ms},
                                                       {"p99_ms", latency.p99_ms},
                                                       {"cpu_percent", latency.cpu_percent},
                                                       {"resident_mb", latency.resident_mb}};
      for (const auto& [name, value] : values) {
        journal->Add({.kind = "latency",
                      .contender = service.name,
                      .records = latency.records,
                      .name = absl::StrCat(name, " at ", latency.rate, " records/s"),
                      .value = NumberOf(value)});
      }
    }
  }
  std::fflush(stdout);
}

}  // namespace st::e2e::bench
