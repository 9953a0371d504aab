// The oracle can fail: outputs and logs with one planted fault each.
#include "e2e/torture/oracle.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/state/state.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::e2e {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Two partitions, n from 0 to 19 by turns in each; the filter is 10, and 15 from offset 20 on.
std::vector<Record> Input() {
  std::vector<Record> input;
  for (int partition = 0; partition < 2; ++partition) {
    for (int i = 0; i < 40; ++i) {
      Record& record = input.emplace_back();
      record.partition = partition;
      record.offset = i;
      record.value = absl::StrCat("{\"k\":\"", partition, "-", i, "\",\"n\":", i % 20, "}");
    }
  }
  return input;
}
const std::vector<Era> kEras = {{{0, 0}, 10}, {{20, 20}, 15}};

std::string Value(int partition, int number, int n) {
  return absl::StrCat("{\"k\":\"", partition, "-", number, "\",\"number\":", n, "}");
}

// What a runner that keeps to all of it writes, in one output partition.
std::vector<Record> Output() {
  std::vector<Record> output;
  for (int i = 0; i < 40; ++i) {
    for (int partition = 0; partition < 2; ++partition) {
      if (i % 20 >= (i < 20 ? 10 : 15)) output.emplace_back().value = Value(partition, i, i % 20);
    }
  }
  return output;
}

std::string Judge(const std::vector<Record>& output) {
  return Difference(Wanted(Input(), {40, 40}, kEras), BySource(output, 2));
}

TEST(OracleTest, AcceptsWhatIsRight) {
  EXPECT_EQ(Output().size(), 30u);
  EXPECT_EQ(Judge(Output()), "");
  EXPECT_EQ(Wanted(Input(), {30, 40}, kEras)[0].size(), 10u) << "what is not committed is not out";
}

TEST(OracleTest, SeesEachPlantedFault) {
  using Fault = std::function<void(std::vector<Record>*)>;
  const std::vector<std::pair<std::string, Fault>> faults = {
      {"a record twice", [](auto* output) { output->push_back(output->back()); }},
      {"an early record twice, later", [](auto* output) { output->push_back(output->front()); }},
      {"the last record lost", [](auto* output) { output->pop_back(); }},
      {"the first record lost", [](auto* output) { output->erase(output->begin()); }},
      {"two records of a partition in the other order", [](auto* output) { std::swap((*output)[4], (*output)[6]); }},
      {"a record by the old filter", [](auto* output) { output->emplace_back().value = Value(0, 34, 14); }},
      {"a record by the new filter missing before the close", [](auto* output) { output->erase(output->begin() + 2); }},
      {"another value", [](auto* output) { (*output)[3].value = Value(1, 11, 12); }},
      {"a record of the other partition", [](auto* output) { (*output)[3].value = Value(0, 11, 11); }},
      {"nothing at all", [](auto* output) { output->clear(); }}};
  for (const auto& [what, plant] : faults) {
    std::vector<Record> output = Output();
    plant(&output);
    EXPECT_NE(Judge(output), "") << what;
  }
  // Between partitions there is no order.
  std::vector<Record> output = Output();
  std::swap(output[4], output[5]);
  EXPECT_EQ(Judge(output), "");
}

// A store that has this log and nothing else.
class GivenLog : public state::StateStore {
 public:
  explicit GivenLog(std::vector<state::HistoryEntry> log) : log_(std::move(log)) {}
  absl::StatusOr<state::Snapshot> Read(const std::string&) override { return Refuse(); }
  absl::StatusOr<std::unique_ptr<state::Lease>> Acquire(const std::string&) override { return Refuse(); }
  absl::StatusOr<uint64_t> Begin(const state::Lease&, uint64_t, const std::string&, const std::string&) override {
    return Refuse();
  }
  absl::StatusOr<uint64_t> Append(const state::Lease&, uint64_t, const state::Frame&) override { return Refuse(); }
  absl::StatusOr<uint64_t> Complete(const state::Lease&, uint64_t, const std::string&, const std::string&) override {
    return Refuse();
  }
  absl::StatusOr<std::vector<state::HistoryEntry>> History(const std::string&) override { return log_; }

 private:
  static absl::Status Refuse() { return absl::UnimplementedError("only its history is read"); }
  std::vector<state::HistoryEntry> log_;
};

class LogTest : public testing::Test {
 protected:
  // One replacement, at serial 3.
  void SetUp() override {
    intent_.set_operation_id("op");
    intent_.mutable_state()->set_serial(3);
    intent_.add_actions()->mutable_replace_runner();
    receipt_.set_operation_id("op");
    receipt_.set_serial_before(3);
    receipt_.set_serial_after(4);
  }

  void Add(const std::string& kind, const std::string& payload, uint64_t serial) {
    state::HistoryEntry& entry = log_.emplace_back();
    entry.sequence = log_.size();
    entry.kind = kind;
    entry.payload = payload;
    entry.serial = serial;
  }
  void Reach(v1::Checkpoint::Name name, int64_t offset = -1) {
    v1::Checkpoint checkpoint;
    checkpoint.set_name(name);
    if (offset >= 0) checkpoint.add_vector()->set_offset(offset);
    Add("checkpoint", checkpoint.SerializeAsString(), 3);
  }
  void Begin() {
    if (log_.empty()) Add("complete", "", 3);
    Add("begin", intent_.SerializeAsString(), 3);
  }
  void Complete(uint64_t serial = 4) { Add("complete", receipt_.SerializeAsString(), serial); }
  // From the second entry on: the first one brings the serial to where this operation begins.
  Told Read() {
    GivenLog store(log_);
    return ReadLog(&store, "shop/dev", 1);
  }

  v1::Intent intent_;
  v1::Receipt receipt_;
  std::vector<state::HistoryEntry> log_;
};

TEST_F(LogTest, AcceptsAWholeOperation) {
  Begin();
  Reach(v1::Checkpoint::STARTED);
  Reach(v1::Checkpoint::GENERATION_CLOSED, 7);
  Reach(v1::Checkpoint::ACTION_DONE);
  Complete();
  const Told told = Read();
  EXPECT_THAT(told.violations, IsEmpty());
  EXPECT_EQ(told.operations, 1);
  EXPECT_EQ(told.last_entry, 6u);
  EXPECT_THAT(told.closes, ElementsAre(ElementsAre(7)));
}

TEST_F(LogTest, SeesAnActionDoneTwice) {
  Begin();
  Reach(v1::Checkpoint::ACTION_DONE);
  Reach(v1::Checkpoint::ACTION_DONE);
  Complete();
  EXPECT_THAT(Read().violations, ElementsAre(HasSubstr("done twice")));
}

TEST_F(LogTest, SeesAnActionLeftOut) {
  Begin();
  Complete();
  EXPECT_THAT(Read().violations, ElementsAre(HasSubstr("0 of 1 actions done")));
}

TEST_F(LogTest, SeesASerialThatJumps) {
  Begin();
  Reach(v1::Checkpoint::ACTION_DONE);
  receipt_.set_serial_after(5);
  Complete(5);
  EXPECT_THAT(Read().violations, ElementsAre(HasSubstr("the serial goes from 3 to 5")));
}

TEST_F(LogTest, SeesAnOperationInAnother) {
  Begin();
  Begin();
  EXPECT_THAT(Read().violations, ElementsAre(HasSubstr("while another is open")));
}

TEST_F(LogTest, SeesACheckpointOfNoOperation) {
  Add("complete", "", 3);
  Reach(v1::Checkpoint::STARTED);
  EXPECT_THAT(Read().violations, ElementsAre(HasSubstr("of no operation")));
}

}  // namespace
}  // namespace st::e2e
