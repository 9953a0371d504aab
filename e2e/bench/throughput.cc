#include "e2e/bench/throughput.h"

#include <chrono>
#include <cstdio>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "e2e/bench/plain_client.h"
#include "lib/base/clock.h"

namespace st::e2e::bench {
namespace {

constexpr int64_t kLookMs = 10;
constexpr double kMostSeconds = 300;

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string_view TextOf(const void* bytes, size_t size) { return {static_cast<const char*>(bytes), size}; }

absl::Status Wrong(const Contender& contender, const Tail& tail, const std::string& what) {
  return absl::DataLossError(absl::StrCat(contender.name, ", over ", tail.records, " records: ", what));
}

}  // namespace

Throughput::Throughput(Bed* bed, Journal* journal, Workload workload, int64_t records)
    : bed_(bed),
      journal_(journal),
      topic_(&bed->cluster(), bed->servers(), workload, records),
      half_{.tail = topic_.LastRecords(records / 2), .expected = topic_.WhatComesOf(topic_.LastRecords(records / 2))},
      whole_{.tail = topic_.LastRecords(records), .expected = topic_.WhatComesOf(topic_.LastRecords(records))} {}

Measured Throughput::Watch(const Contender& contender, const Place& place, const Length& length, std::string* said) {
  OffsetWatch offsets(bed_->servers(), place.group, place.input, kPartitions);
  offsets.Sum();  // connects
  const double broker_before = CpuSecondsOf(bed_->broker_pid());
  const double begun = Now();
  Running running = bed_->launcher().Start(contender, place);
  while (offsets.Sum() < length.tail.end_sum) {
    running.process->CheckRuns();
    ABSL_CHECK_LT(Now() - begun, kMostSeconds) << contender.name << " takes too long: " << running.process->Said();
    base::RealClock().SleepMs(kLookMs);
  }
  const Measured measured{.records = length.tail.records,
                          .seconds = Now() - begun,
                          .client_cpu = CpuSecondsOf(running.process->pid()),
                          .broker_cpu = CpuSecondsOf(bed_->broker_pid()) - broker_before,
                          .peak_mb = PeakMbOf(running.process->pid())};
  running.process->Stop();
  *said = running.process->Said();
  return measured;
}

absl::Status Throughput::CheckOutput(const Contender& contender, const Place& place, const Length& length,
                                     const std::string& said) {
  const Digest& expected = length.expected.Of(contender.meaning);
  if (contender.kind == Contender::Kind::kRung) {
    const RungCounts counts = CountsIn(said);
    const bool filters = contender.rung >= Rung::kEncode;
    const int64_t out = filters ? expected.records() : 0;
    const int64_t out_bytes = filters ? expected.value_bytes() : 0;
    if (counts.in != length.tail.records || counts.out != out || counts.out_bytes != out_bytes) {
      return Wrong(contender, length.tail,
                   absl::StrCat("it counted ", counts.in, " in, ", counts.out, " out of ", counts.out_bytes,
                                " bytes where ", out, " of ", out_bytes, " are expected"));
    }
  }
  Digest found;
  TopicReader(bed_->servers(), place.output, std::vector<int64_t>(kPartitions, 0))
      .ReadToEnd([&](const rd_kafka_message_t& message) {
        found.Add(message.partition, TimestampOf(message), TextOf(message.key, message.key_len),
                  TextOf(message.payload, message.len));
      });
  const Digest nothing;
  const std::string difference = found.Difference(contender.meaning == Meaning::kNothing ? nothing : expected);
  return difference.empty() ? absl::OkStatus() : Wrong(contender, length.tail, difference);
}

absl::StatusOr<Measured> Throughput::Run(const Contender& contender, bool whole) {
  const Length& length = whole ? whole_ : half_;
  const Place place = bed_->NewPlace(topic_.workload(), topic_.name(), length.tail.starts);
  std::string said;
  const Measured measured = Watch(contender, place, length, &said);
  if (absl::Status right = CheckOutput(contender, place, length, said); !right.ok()) return right;
  ++checked_;
  bed_->Drop(place);
  return measured;
}

void Throughput::Note(const Contender& contender, int block, const Measured& measured) {
  const std::pair<const char*, double> values[] = {{"seconds", measured.seconds},
                                                   {"client_cpu_s", measured.client_cpu},
                                                   {"broker_cpu_s", measured.broker_cpu},
                                                   {"peak_mb", measured.peak_mb}};
  for (const auto& [name, value] : values) {
    journal_->Add({.kind = "run",
                   .input = std::string(NameOf(topic_.workload())),
                   .contender = contender.name,
                   .block = block,
                   .records = measured.records,
                   .name = name,
                   .value = NumberOf(value)});
  }
}

absl::StatusOr<std::vector<Standing>> Throughput::RunBlocks(const std::vector<Contender>& contenders, int blocks) {
  const size_t count = contenders.size();
  std::vector<Standing> standings(count);
  for (size_t i = 0; i < count; ++i) standings[i].name = contenders[i].name;
  // Block 0 warms up the broker and the page cache: one length, and it is not kept.
  for (int block = 0; block <= blocks; ++block) {
    const bool whole_first = block % 2 == 0;
    std::vector<Measured> halves(count), wholes(count);
    for (size_t k = 0; k < (block == 0 ? count : 2 * count); ++k) {
      const size_t i = k < count ? k : 2 * count - 1 - k;
      const bool whole = block > 0 && (k < count) == whole_first;
      auto measured = Run(contenders[i], whole);
      if (!measured.ok()) return measured.status();
      if (block > 0) Note(contenders[i], block, *measured);
      (whole ? wholes : halves)[i] = *measured;
    }
    std::printf("%s: %s\n", std::string(NameOf(topic_.workload())).c_str(),
                block == 0 ? "warmed up" : absl::StrCat("block ", block, " of ", blocks).c_str());
    std::fflush(stdout);
    for (size_t i = 0; block > 0 && i < count; ++i) {
      standings[i].slopes.push_back(SlopeBetween(halves[i], wholes[i]));
      standings[i].peaks_mb.push_back(wholes[i].peak_mb);
    }
  }
  return standings;
}

}  // namespace st::e2e::bench
