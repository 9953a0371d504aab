// What a plan says of records and offsets before time takes them away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/plan/scene.h"

namespace st::plan {
namespace {

using ::testing::HasSubstr;

constexpr char kLate[] = "st://p/e/model/late";
constexpr int64_t kDayMs = 86'400'000;

// Empty when there is no such warning.
std::string Warning(Scene& scene, const std::string& code) {
  const v1::Plan plan = scene.Plan();
  for (const v1::PlanWarning& warning : plan.warnings()) {
    if (warning.code() == code && warning.resource() == kLate) return warning.text();
  }
  return "";
}

constexpr char kOld[] = "RECORDS_OLDER_THAN_RETENTION";
constexpr char kSoon[] = "OFFSETS_EXPIRE_SOON";

// Of both partitions of the input, which hold offsets 0 to 100.
void AddAges(Scene* scene, int64_t young_0, int64_t young_1) {
  v1::RecordAges& ages = *scene->observed.mutable_observation()->add_record_ages();
  ages.set_model(kLate);
  ages.set_retention_ms(7 * kDayMs);
  for (int64_t young : {young_0, young_1}) {
    v1::PartitionOffset& first = *ages.add_young();
    first.set_partition(ages.young_size() - 1);
    first.set_offset(young);
  }
}

TEST(AgesTest, ANewRunnerIsWarnedOfAllThatIsOlder) {
  Scene scene;
  AddAges(&scene, 30, 1);
  EXPECT_THAT(Warning(scene, kOld), HasSubstr("up to 31 records of topic raw.v1"));
  EXPECT_THAT(Warning(scene, kOld), HasSubstr("older than topic late.v1 keeps them (168h)"));
  // What was deleted before is not read.
  scene.Facts("raw.v1").mutable_partitions(0)->set_begin_offset(20);
  EXPECT_THAT(Warning(scene, kOld), HasSubstr("up to 11 records"));
  scene.observed.mutable_topology()->mutable_runner()->set_initial_offset(v1::LATEST);
  EXPECT_EQ(Warning(scene, kOld), "");
}

TEST(AgesTest, WithoutOldRecordsThereIsNoWarning) {
  Scene scene;
  EXPECT_EQ(Warning(scene, kOld), "");
  AddAges(&scene, 0, 0);
  EXPECT_EQ(Warning(scene, kOld), "");
}

TEST(AgesTest, AnOwnedRunnerIsWarnedOfWhatIsAfterItsOffsets) {
  Scene scene;
  scene.Deploy();
  AddAges(&scene, 60, 50);
  EXPECT_EQ(Warning(scene, kOld), "") << "nothing is going to happen";
  scene.End("late", v1::RunnerStatus::CLOSED);
  EXPECT_THAT(Warning(scene, kOld), HasSubstr("up to 10 records"));
  scene.Model("late").set_running(false);
  EXPECT_EQ(Warning(scene, kOld), "");
}

TEST(AgesTest, AReplacedRunnerIsWarned) {
  Scene scene;
  scene.Deploy();
  AddAges(&scene, 60, 50);
  scene.Owned(kLate).mutable_runner()->set_plan_sha256("another");
  scene.Generation("late").set_plan_sha256("another");
  EXPECT_THAT(Warning(scene, kOld), HasSubstr("up to 10 records"));
}

TEST(AgesTest, OffsetsOfARunnerThatStandsAreSaidToExpireInTheirLastQuarter) {
  Scene scene;
  scene.Deploy();
  scene.End("late", v1::RunnerStatus::CLOSED);
  scene.observed.mutable_observation()->mutable_cluster()->mutable_defaults()->set_offsets_retention_ms(8 * kDayMs);
  v1::RunnerStatus& status = *scene.Generation("late").mutable_status();
  status.set_updated_at_ms(kNow - 6 * kDayMs);
  EXPECT_EQ(Warning(scene, kSoon), "");
  status.set_updated_at_ms(kNow - 7 * kDayMs);
  EXPECT_THAT(Warning(scene, kSoon), HasSubstr("has not run since 2023-11-07 22:13:20 UTC"));
  EXPECT_THAT(Warning(scene, kSoon), HasSubstr("192h after its last member left: about 24h are left"));
  status.set_updated_at_ms(kNow - 9 * kDayMs);
  EXPECT_THAT(Warning(scene, kSoon), HasSubstr("they may go at any moment"));
}

TEST(AgesTest, OffsetsThatAreGoneOrInUseOrOfAnUnknownClusterExpireNoMore) {
  Scene scene;
  scene.Deploy();
  scene.observed.mutable_observation()->mutable_cluster()->mutable_defaults()->set_offsets_retention_ms(kDayMs);
  scene.Generation("late").mutable_status()->set_updated_at_ms(kNow - 2 * kDayMs);
  EXPECT_EQ(Warning(scene, kSoon), "") << "it runs";
  scene.End("late", v1::RunnerStatus::CLOSED);
  scene.Generation("late").mutable_status()->set_updated_at_ms(kNow - 2 * kDayMs);
  EXPECT_NE(Warning(scene, kSoon), "");
  for (v1::GroupOffset& offset : *scene.Group("st.p.e.late").mutable_topics(0)->mutable_offsets())
    offset.set_offset(-1);
  EXPECT_EQ(Warning(scene, kSoon), "");
  for (v1::GroupOffset& offset : *scene.Group("st.p.e.late").mutable_topics(0)->mutable_offsets())
    offset.set_offset(50);
  scene.observed.mutable_observation()->mutable_cluster()->clear_defaults();
  EXPECT_EQ(Warning(scene, kSoon), "");
}

}  // namespace
}  // namespace st::plan
