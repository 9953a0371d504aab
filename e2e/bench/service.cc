#include "e2e/bench/service.h"

#include <atomic>
#include <limits>
#include <numeric>
#include <thread>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "e2e/bench/plain_client.h"
#include "lib/base/clock.h"

namespace st::e2e::bench {
namespace {

constexpr int64_t kMostMs = 60000;
constexpr int64_t kStartRecords = 1000;
constexpr int64_t kSettleMs = 2000;

int64_t NowMs() { return base::RealClock().MonotonicMs(); }

// Looks again and again until the offsets stand there.
void Await(OffsetWatch* offsets, int64_t sum, Process* process) {
  const int64_t until = NowMs() + kMostMs;
  while (offsets->Sum() < sum) {
    process->CheckRuns();
    ABSL_CHECK_LT(NowMs(), until) << "no commit: " << process->Said();
    base::RealClock().SleepMs(1);
  }
}

// The share of one core that a process takes for a while.
double CpuPercentFor(int seconds, pid_t pid) {
  const double before = CpuSecondsOf(pid);
  const int64_t begun = NowMs();
  base::RealClock().SleepMs(int64_t{1000} * seconds);
  return 100 * (CpuSecondsOf(pid) - before) / (static_cast<double>(NowMs() - begun) / 1000);
}

// What is visible of an output topic, as it becomes visible; a thread of its own.
class Observer {
 public:
  Observer(const std::string& servers, const std::string& topic)
      : reader_(servers, topic, std::vector<int64_t>(kPartitions, 0)), thread_([this] { Watch(); }) {}
  ~Observer() {
    if (thread_.joinable()) thread_.join();
  }
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;

  // Only records that were appended from now on are timed.
  void BeginTiming() { from_ms_ = base::RealClock().NowMs(); }
  // Waits for so many in all; true when exactly these came.
  bool Await(int64_t records) {
    expected_ = records;
    thread_.join();
    return seen_ == records;
  }
  int64_t seen() const { return seen_; }
  const std::vector<double>& latencies_ms() const { return latencies_ms_; }

 private:
  void Watch() {
    int64_t last_change_ms = NowMs();
    // A little longer than it must, for those that should not come.
    constexpr int64_t kQuietMs = 300;
    while (NowMs() - last_change_ms < (seen_ >= expected_ ? kQuietMs : kMostMs)) {
      constexpr int kPollMs = 100;
      reader_.Poll(kPollMs, [&](const rd_kafka_message_t& message) {
        const int64_t appended_ms = TimestampOf(message);
        if (appended_ms >= from_ms_) {
          latencies_ms_.push_back(static_cast<double>(base::RealClock().NowMs() - appended_ms));
        }
        ++seen_;
        last_change_ms = NowMs();
      });
    }
  }

  TopicReader reader_;
  std::atomic<int64_t> from_ms_{std::numeric_limits<int64_t>::max()};
  std::atomic<int64_t> expected_{std::numeric_limits<int64_t>::max()};
  int64_t seen_ = 0;
  std::vector<double> latencies_ms_;
  std::thread thread_;
};

// Writes the narrow workload at a steady rate.
class PacedWriter {
 public:
  PacedWriter(const std::string& servers, std::string topic, int64_t rate)
      : topic_(std::move(topic)),
        rate_(rate),
        client_(NewClient(RD_KAFKA_PRODUCER, {{"bootstrap.servers", servers},
                                              {"enable.idempotence", "true"},
                                              {"linger.ms", "1"},
                                              {"delivery.report.only.error", "true"},
                                              {"partitioner", "murmur2"}})) {}

  void Write(int seconds) {
    const int64_t first = written_;
    const int64_t begun = NowMs();
    for (int64_t passed = 0; passed < int64_t{1000} * seconds; passed = NowMs() - begun) {
      for (const int64_t due = first + passed * rate_ / 1000; written_ < due; ++written_) WriteOne(written_);
      rd_kafka_poll(client_.get(), 0);
      base::RealClock().SleepMs(1);
    }
    ABSL_CHECK(rd_kafka_flush(client_.get(), kMostMs) == RD_KAFKA_RESP_ERR_NO_ERROR) << "flushing";
  }
  // Of what was written.
  int64_t passing() const { return passing_; }

 private:
  void WriteOne(int64_t n) {
    std::string key = KeyOf(n), value = ValueOf(Workload::kNarrow, n);
    const auto code =
        rd_kafka_producev(client_.get(), RD_KAFKA_V_TOPIC(topic_.c_str()), RD_KAFKA_V_PARTITION(RD_KAFKA_PARTITION_UA),
                          RD_KAFKA_V_VALUE(value.data(), value.size()), RD_KAFKA_V_KEY(key.data(), key.size()),
                          RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    ABSL_CHECK(code == RD_KAFKA_RESP_ERR_NO_ERROR) << rd_kafka_err2str(code);
    if (Passes(n)) ++passing_;
  }

  const std::string topic_;
  const int64_t rate_;
  Client client_;
  int64_t written_ = 0;
  int64_t passing_ = 0;
};

void AwaitStable(Bed* bed, const std::string& group, Process* process) {
  constexpr int64_t kLookMs = 20;
  const int64_t until = NowMs() + kMostMs;
  while (bed->cluster().GroupState(group) != "Stable") {
    process->CheckRuns();
    ABSL_CHECK_LT(NowMs(), until) << "it has no partitions: " << process->Said();
    base::RealClock().SleepMs(kLookMs);
  }
}

}  // namespace

Service MeasureStart(Bed* bed, const Contender& contender, const FilledTopic& input, const Options& options) {
  Service service{.name = contender.name};
  const Tail tail = input.LastRecords(kStartRecords);
  const int64_t start_sum = std::accumulate(tail.starts.begin(), tail.starts.end(), int64_t{0});
  std::vector<double> first_ms;
  for (int i = 0; i < options.starts; ++i) {
    const Place place = bed->NewPlace(input.workload(), input.name(), tail.starts);
    OffsetWatch offsets(bed->servers(), place.group, place.input, kPartitions);
    offsets.Sum();  // connects
    const int64_t begun = NowMs();
    Running running = bed->launcher().Start(contender, place);
    Await(&offsets, start_sum + 1, running.process.get());
    first_ms.push_back(static_cast<double>(NowMs() - begun));
    if (i + 1 == options.starts) {
      Await(&offsets, tail.end_sum, running.process.get());
      if (!options.counts) base::RealClock().SleepMs(kSettleMs);
      service.idle_cpu_percent = CpuPercentFor(options.idle_s, running.process->pid());
      service.idle_mb = ResidentMbOf(running.process->pid());
    }
    running.process->Stop();
    bed->Drop(place);
  }
  service.first_commit_ms = SpreadOf(first_ms);
  return service;
}

absl::StatusOr<Latency> MeasureLatency(Bed* bed, const Contender& contender, int64_t rate, const Options& options) {
  Configs configs = TopicConfigs();
  // The time of the append; it passes through every contender to the output.
  configs["message.timestamp.type"] = "LogAppendTime";
  const std::string input = absl::StrCat("bench-paced-", contender.name.substr(0, contender.name.find(' ')), "-",
                                         base::RealClock().MonotonicMs());
  bed->cluster().CreateTopic(input, kPartitions, configs);
  const Place place = bed->NewPlace(Workload::kNarrow, input, std::vector<int64_t>(kPartitions, 0));
  Running running = bed->launcher().Start(contender, place);
  AwaitStable(bed, place.group, running.process.get());
  Observer observer(bed->servers(), place.output);
  PacedWriter writer(bed->servers(), input, rate);
  writer.Write(options.latency_warm_up_s);
  const pid_t pid = running.process->pid();
  const double cpu_before = CpuSecondsOf(pid);
  const int64_t begun = NowMs();
  observer.BeginTiming();
  writer.Write(options.latency_s);
  const double cpu = CpuSecondsOf(pid) - cpu_before;
  const double seconds = static_cast<double>(NowMs() - begun) / 1000;
  if (!observer.Await(writer.passing())) {
    return absl::DataLossError(absl::StrCat(contender.name, " at ", rate, " records/s: ", observer.seen(),
                                            " records came out where ", writer.passing(), " are expected"));
  }
  const Latency latency{.rate = rate,
                        .records = static_cast<int64_t>(observer.latencies_ms().size()),
                        .p50_ms = QuantileOf(observer.latencies_ms(), 0.5),
                        .p99_ms = QuantileOf(observer.latencies_ms(), 0.99),
                        .cpu_percent = 100 * cpu / seconds,
                        .resident_mb = ResidentMbOf(pid)};
  running.process->Stop();
  bed->Drop(place);
  bed->cluster().DeleteTopic(input);
  return latency;
}

}  // namespace st::e2e::bench
