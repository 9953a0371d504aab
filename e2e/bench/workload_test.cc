#include "e2e/bench/workload.h"

#include <gtest/gtest.h>

#include <set>

#include "lib/record/record.h"

namespace st::e2e::bench {
namespace {

constexpr int64_t kCount = 20000;

class WorkloadTest : public testing::TestWithParam<Workload> {};

TEST_P(WorkloadTest, HasTheSizeAndColumnsThatItSays) {
  const bool narrow = GetParam() == Workload::kNarrow;
  EXPECT_EQ(PlanOf(GetParam(), "in", "out").columns_size(), narrow ? 3 : 10);
  std::set<std::string> values;
  for (int64_t n = 0; n < kCount; ++n) {
    const std::string value = ValueOf(GetParam(), n);
    ASSERT_EQ(value.size(), narrow ? 44u : 240u) << value;
    values.insert(value);
  }
  EXPECT_EQ(values.size(), static_cast<size_t>(kCount));
}

TEST_P(WorkloadTest, IsWhatTheReferenceDecoderMakesOfIt) {
  const v1::RecordPlan plan = PlanOf(GetParam(), "in", "out");
  for (int64_t n = 0; n < kCount; ++n) {
    const std::string value = ValueOf(GetParam(), n);
    std::string out, column;
    record::Fault fault;
    const record::Outcome outcome = record::RunReference(plan, value, &out, &fault, &column);
    ASSERT_EQ(outcome, Passes(n) ? record::Outcome::kPass : record::Outcome::kFiltered) << value;
    if (!Passes(n)) continue;
    ASSERT_EQ(out, OutputOf(GetParam(), n));
    ASSERT_EQ(out.size(), value.size());
    ASSERT_NE(out, value) << "nobody may pass the bytes on as they are";
  }
}

TEST_P(WorkloadTest, CanBeCheckedWithoutOutput) {
  auto program = record::Program::Compile(CheckOnlyPlanOf(GetParam()));
  ASSERT_TRUE(program.ok()) << program.status();
  record::Executor executor(*program);
  std::string out;
  record::Fault fault;
  for (int64_t n = 0; n < 100; ++n) {
    EXPECT_EQ(executor.Run(ValueOf(GetParam(), n), &out, &fault), record::Outcome::kFiltered);
  }
  EXPECT_EQ(executor.Run(ValueOf(GetParam(), 0) + "x", &out, &fault), record::Outcome::kPoison);
}

INSTANTIATE_TEST_SUITE_P(All, WorkloadTest, testing::ValuesIn(kWorkloads),
                         [](const auto& param) { return std::string(NameOf(param.param)); });

TEST(Passes, HalfOfAll) {
  int64_t passed = 0;
  for (int64_t n = 0; n < kCount; ++n) passed += Passes(n) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(passed), kCount / 2, 300);
}

TEST(Keys, AreSpread) {
  std::set<std::string> keys;
  for (int64_t n = 0; n < kCount; ++n) keys.insert(KeyOf(n));
  EXPECT_GT(keys.size(), 4500u);
  EXPECT_LE(keys.size(), 5000u);
}

}  // namespace
}  // namespace st::e2e::bench
