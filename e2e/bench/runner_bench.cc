// `bazel run //e2e/bench:runner_bench [-- --records=N]`: st-runner beside a bare transactional copy loop on the
// same client library, on a broker of its own and one pre-filled topic, in one run, in the order ABBA. Each run is made
// at two lengths, and the slope between them is reported, so that neither start nor end counts.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/log/absl_check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "e2e/bench/copy_loop.h"
#include "e2e/bench/measured_run.h"
#include "e2e/runner/cluster.h"
#include "e2e/runner/plans.h"
#include "e2e/runner/runner_process.h"
#include "e2e/runner/servers.h"
#include "lib/kafka/consumer.h"
#include "lib/kafka/producer.h"

namespace st::e2e {
namespace {

constexpr char kInput[] = "bench-in";
constexpr int kRounds = 2;

enum class Contender { kCopy, kAll, kLate };
constexpr const char* kNames[] = {"copy loop", "st-runner, all pass", "st-runner, 1 of 27 passes"};

// Between the two lengths.
struct Slope {
  double records = 0;
  double seconds = 0;
  double cpu_seconds = 0;
  double peak_mb = 0;  // of the longer

  double RecordsASecond() const { return records / seconds; }
  double CpuAMillion() const { return cpu_seconds / records * 1e6; }
};

// 85 bytes each; the delay decides what LateFlights passes.
std::string Flight(int64_t n) {
  constexpr int kLateOf = 27;
  return absl::StrCat(R"({"date":"2001/01/10 18:20","delay":)", n % kLateOf == 0 ? 60 + n % 40 : n % 60,
                      R"(,"distance":)", 100 + n % 900, R"(,"origin":"SAT","destination":"HOU"})");
}

// What comes out is what went in, byte for byte, so that both contenders write the same.
void PassAll(v1::RecordPlan* plan) {
  plan->clear_predicates();
  plan->clear_projections();
  for (const char* name : {"date", "delay", "distance", "origin", "destination"}) {
    auto* projection = plan->add_projections();
    projection->set_column(name);
    projection->set_name(name);
  }
}

class Bench {
 public:
  Bench(std::string self, int64_t records) : self_(std::move(self)), records_(records), cluster_(Servers()) {
    cluster_.CreateTopic(kInput, 1);
    constexpr int64_t kChunk = 500000;
    for (int64_t n = 0; n < records_;) {
      std::vector<Record> chunk;
      for (const int64_t end = std::min(records_, n + kChunk); n < end; ++n) chunk.push_back({.value = Flight(n)});
      cluster_.Produce(kInput, chunk);
    }
    std::printf("input: %lld records of about %zu bytes, one partition\n", static_cast<long long>(records_),
                Flight(1).size());
  }

  void Run() {
    PrintSettings();
    const Contender order[] = {Contender::kCopy, Contender::kAll, Contender::kLate,
                               Contender::kLate, Contender::kAll, Contender::kCopy};
    Measure(Contender::kCopy, records_ / 2);  // warm-up, dropped
    Measure(Contender::kAll, records_ / 2);
    std::printf("%-28s %12s %18s %10s\n", "", "records/s", "CPU-s per million", "peak MB");
    for (int round = 0; round < kRounds; ++round) {
      for (Contender contender : order) slopes_[static_cast<size_t>(contender)].push_back(MeasureSlope(contender));
    }
    std::printf("together:\n");
    Slope sums[3];
    for (size_t i = 0; i < 3; ++i) Print(static_cast<Contender>(i), sums[i] = Sum(slopes_[i]));
    std::printf("\nst-runner (all pass) beside the copy loop: %.0f %% of its records/s, %.2f times its CPU\n",
                100 * sums[1].RecordsASecond() / sums[0].RecordsASecond(),
                sums[1].CpuAMillion() / sums[0].CpuAMillion());
  }

 private:
  // All slopes of one contender as one: what was read between half and whole, and what that took.
  static Slope Sum(const std::vector<Slope>& slopes) {
    Slope sum;
    for (const Slope& slope : slopes) {
      sum.records += slope.records;
      sum.seconds += slope.seconds;
      sum.cpu_seconds += slope.cpu_seconds;
      sum.peak_mb = std::max(sum.peak_mb, slope.peak_mb);
    }
    return sum;
  }

  Slope MeasureSlope(Contender contender) {
    const auto more = records_ - records_ / 2;
    const Measured half = Measure(contender, records_ / 2);
    const Measured full = Measure(contender, records_);
    const Slope slope{.records = static_cast<double>(more),
                      .seconds = full.seconds - half.seconds,
                      .cpu_seconds = full.cpu_seconds - half.cpu_seconds,
                      .peak_mb = full.peak_mb};
    Print(contender, slope);
    return slope;
  }

  static void Print(Contender contender, const Slope& slope) {
    std::printf("%-28s %12.0f %18.2f %10.1f\n", kNames[static_cast<size_t>(contender)], slope.RecordsASecond(),
                slope.CpuAMillion(), slope.peak_mb);
    std::fflush(stdout);
  }

  // The last `count` records.
  Measured Measure(Contender contender, int64_t count) {
    const std::string group = absl::StrCat("st.bench.dev.run", ++run_);
    const std::string output = absl::StrCat("bench-out-", run_);
    cluster_.CreateTopic(output, 1);
    cluster_.CommitOffsets(group, kInput, {records_ - count});
    std::vector<std::string> arguments;
    std::unique_ptr<Model> model;
    if (contender == Contender::kCopy) {
      arguments = {self_, "--copy", Servers(), group, kInput, output};
    } else {
      v1::RecordPlan plan = LateFlights(kInput, output);
      if (contender == Contender::kAll) PassAll(&plan);
      model = std::make_unique<Model>(&cluster_, Servers(), plan, group, 1);
      arguments = {"runner/st-runner"};
      for (const auto& [name, value] : model->flags) arguments.push_back(absl::StrCat("--", name, "=", value));
    }
    const Measured measured = MeasureUntil(Servers(), group, kInput, 1, records_, arguments);
    cluster_.DeleteTopic(output);
    return measured;
  }

  // Of both contenders, as the clients have them.
  void PrintSettings() {
    const kafka::Properties properties = {{"bootstrap.servers", Servers()}};
    auto producer = kafka::Producer::Open(properties, {.transactional_id = "settings", .topic = kInput});
    auto consumer = kafka::Consumer::Open(properties, "settings", kInput);
    ABSL_CHECK(producer.ok() && consumer.ok());
    std::printf("client library %s, commit interval 100 ms\n", rd_kafka_version_str());
    Print("consumer", (*consumer)->handle(),
          {"isolation.level", "check.crcs", "queued.min.messages", "queued.max.messages.kbytes",
           "fetch.queue.backoff.ms", "fetch.message.max.bytes"});
    Print("producer", (*producer)->handle(),
          {"compression.type", "linger.ms", "batch.size", "batch.num.messages", "retry.backoff.ms",
           "queue.buffering.max.messages", "transaction.timeout.ms", "enable.idempotence"});
    std::printf("producer: acks=all, by idempotence\n\n");
  }

  static void Print(const char* which, rd_kafka_t* handle, const std::vector<std::string>& names) {
    std::printf("%s:", which);
    for (const std::string& name : names) {
      char value[64];
      size_t size = sizeof(value);
      ABSL_CHECK(rd_kafka_conf_get(rd_kafka_conf(handle), name.c_str(), value, &size) == RD_KAFKA_CONF_OK) << name;
      std::printf(" %s=%s", name.c_str(), value);
    }
    std::printf("\n");
  }

  const std::string self_;
  const int64_t records_;
  Cluster cluster_;
  int run_ = 0;
  std::vector<Slope> slopes_[3];
};

}  // namespace
}  // namespace st::e2e

int main(int argc, char** argv) {
  constexpr int kCopyArguments = 6;
  if (argc == kCopyArguments && std::string(argv[1]) == "--copy") {
    return st::e2e::RunCopyLoop({.servers = argv[2], .application_id = argv[3], .input = argv[4], .output = argv[5]});
  }
  int64_t records = 6000000;
  std::string_view argument = argc == 2 ? argv[1] : "";
  if (argc > 2 || (argc == 2 && !(absl::ConsumePrefix(&argument, "--records=") &&
                                  absl::SimpleAtoi(argument, &records) && records >= 1000))) {
    std::fprintf(stderr, "usage: runner_bench [--records=N]\n");
    return 2;
  }
  st::e2e::Bench("/proc/self/exe", records).Run();
  return 0;
}
