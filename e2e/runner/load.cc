#include "e2e/runner/load.h"

#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "e2e/runner/plans.h"
#include "lib/base/clock.h"
#include "lib/record/record.h"

namespace st::e2e {

Record LoadRecord(int64_t n, int partitions) {
  constexpr int kTombstones = 101;
  constexpr int kFiltered = 4;
  Record record{.partition = static_cast<int32_t>(n % partitions), .key = absl::StrCat("k", n % 1000)};
  if (n % kTombstones != 0) record.value = KeptValue(n, n % kFiltered != 0, absl::StrCat("text of ", n));
  return record;
}

Load::Load(const std::string& servers, const std::string& topic, int partitions, int records_a_second)
    : thread_([=, this] { Write(servers, topic, partitions, records_a_second); }) {}

Load::~Load() { Stop(); }

int64_t Load::Stop() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
  return written_;
}

void Load::Write(const std::string& servers, const std::string& topic, int partitions, int records_a_second) {
  Cluster cluster(servers);
  const int64_t begun = base::RealClock().MonotonicMs();
  while (!stop_) {
    const int64_t due = (base::RealClock().MonotonicMs() - begun) * records_a_second / 1000;
    std::vector<Record> records;
    for (; written_ + static_cast<int64_t>(records.size()) < due;) {
      records.push_back(LoadRecord(written_ + static_cast<int64_t>(records.size()), partitions));
    }
    cluster.Produce(topic, records);
    written_ += static_cast<int64_t>(records.size());
    base::RealClock().SleepMs(50);
  }
}

std::string CheckOutput(const v1::RecordPlan& plan, int64_t count, int in_partitions,
                        const std::vector<Record>& output) {
  std::map<std::string, int64_t> expected;  // output to its id
  for (int64_t n = 0; n < count; ++n) {
    const Record record = LoadRecord(n, in_partitions);
    if (!record.value.has_value()) continue;
    std::string text, column;
    record::Fault fault;
    if (record::RunReference(plan, *record.value, &text, &fault, &column) == record::Outcome::kPass) expected[text] = n;
  }
  std::map<std::pair<int32_t, int64_t>, int64_t> last;  // by output and input partition
  for (const Record& record : output) {
    auto found = expected.find(record.value.value_or(""));
    if (found == expected.end()) {
      return absl::StrCat("twice, or not expected: ", record.value.value_or("(null)"));
    }
    const int64_t n = found->second;
    auto [before, is_first] = last.try_emplace({record.partition, n % in_partitions}, n);
    if (!is_first && before->second >= n) return absl::StrCat("record ", n, " came after ", before->second);
    before->second = n;
    if (record.key != LoadRecord(n, in_partitions).key) return absl::StrCat("record ", n, " has another key");
    expected.erase(found);
  }
  if (expected.empty()) return {};
  return absl::StrCat(expected.size(), " records are missing, one of them: ", expected.begin()->first);
}

}  // namespace st::e2e
