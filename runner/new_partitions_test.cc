#include "runner/new_partitions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "lib/docio/docio.h"
#include "lib/fs/file.h"

namespace st::runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Status = v1::RunnerStatus;

Expected Two() { return {.input_topic = "in", .initialized_partitions = 2}; }

std::vector<kafka::Position> Offsets(const std::vector<int64_t>& offsets) {
  std::vector<kafka::Position> positions;
  for (int64_t offset : offsets) {
    positions.push_back({.partition = static_cast<int32_t>(positions.size()), .offset = offset});
  }
  return positions;
}

TEST(NewPartitions, AnOffsetOrNone) {
  struct Case {
    const char* what;
    std::vector<int64_t> committed;
    int32_t named;
    std::vector<int32_t> fresh;
    const char* refused;  // null: it is not
  };
  const Case cases[] = {
      {"as they were", {0, 9}, 2, {}, nullptr},
      {"one more", {0, 9, -1}, 2, {2}, nullptr},
      {"two more, one taken over already", {0, 9, 4, -1}, 3, {3}, nullptr},
      {"all of several", {0, 9, -1, -1}, 0, {2, 3}, nullptr},
      {"read before, and its offset is gone", {0, 9, -1}, 3, {}, "partition 2 of in, which was read before"},
      {"an initialised one is gone", {0, -1}, 0, {}, "partition 1 of in, and"},
      {"every offset is gone", {-1, -1, -1}, 0, {}, "partition 0, 1 of in, and"},
  };
  for (const Case& one : cases) {
    std::vector<int32_t> fresh;
    auto failure = FindFresh(Two(), one.named, Offsets(one.committed), &fresh);
    ASSERT_EQ(failure.has_value(), one.refused != nullptr) << one.what;
    if (one.refused == nullptr) {
      EXPECT_EQ(fresh, one.fresh) << one.what;
      continue;
    }
    EXPECT_EQ(failure->reason, Status::OFFSET_MISSING) << one.what;
    EXPECT_THAT(failure->detail, HasSubstr(one.refused)) << one.what;
  }
}

TEST(NewPartitions, OneThatHasLostRecordsIsNoNewOne) {
  EXPECT_FALSE(CheckBegins(Two(), {{.partition = 2, .offset = 0}}).has_value());
  auto failure = CheckBegins(Two(), {{.partition = 2, .offset = 0}, {.partition = 3, .offset = 7}});
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->reason, Status::OFFSET_MISSING);
  EXPECT_THAT(failure->detail, HasSubstr("partition 3 of in, whose first records are gone"));
}

TEST(NewPartitions, TheStatusOfAnEarlierProcess) {
  const std::string path = fs::JoinPath(testing::TempDir(), "status.textproto");
  EXPECT_EQ(ReadNamedBefore(path, "i-id").below, 0);
  Status status;
  status.set_input_topic_id("i-id");
  status.add_partitions()->set_partition(0);
  status.add_partitions()->set_partition(4);
  status.mutable_partitions(1)->set_committed(9);
  auto write = [&](const std::string& text) {
    return fs::WriteFileAtomically(path, text, 0600, fs::Existing::kReplace).ok();
  };
  ASSERT_TRUE(write(docio::Write(status)));
  const NamedBefore before = ReadNamedBefore(path, "i-id");
  EXPECT_EQ(before.below, 5);
  ASSERT_EQ(before.partitions.size(), 2);
  EXPECT_EQ(before.partitions[1].committed(), 9);
  EXPECT_EQ(ReadNamedBefore(path, "another").below, 0);
  EXPECT_TRUE(ReadNamedBefore(path, "another").partitions.empty());
  // Of a newer version: what it says cannot be trusted to be understood.
  ASSERT_TRUE(write("input_topic_id: \"i-id\" from_the_future: 1"));
  EXPECT_EQ(ReadNamedBefore(path, "i-id").below, std::numeric_limits<int32_t>::max());
  ASSERT_TRUE(write("not a status"));
  EXPECT_EQ(ReadNamedBefore(path, "i-id").below, std::numeric_limits<int32_t>::max());
}

TEST(NewPartitions, WhatWasNamedStaysNamed) {
  NamedPartitions before;
  for (int i = 0; i < 3; ++i) {
    Status::Partition& partition = *before.Add();
    partition.set_partition(i);
    partition.set_committed(10 + i);
    partition.set_position(20 + i);
    partition.set_last_stable_offset(30);
    partition.set_high_watermark(30);
  }
  NamedPartitions now;
  now.Add()->set_partition(1);
  now.Add()->set_partition(3);
  now[0].set_committed(15);
  now[0].set_high_watermark(40);
  KeepNamed(before, &now);
  ASSERT_EQ(now.size(), 4);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(now[i].partition(), i);
  // It is not read now: its positions are those of then, and nobody looks at its marks.
  EXPECT_EQ(now[0].committed(), 10);
  EXPECT_EQ(now[0].position(), 10);
  EXPECT_EQ(now[0].last_stable_offset(), -1);
  EXPECT_EQ(now[0].high_watermark(), -1);
  EXPECT_EQ(now[0].lag_records(), -1);
  // It is, and stands as it does.
  EXPECT_EQ(now[1].committed(), 15);
  EXPECT_EQ(now[1].high_watermark(), 40);
  EXPECT_EQ(now[2].committed(), 12);
}

}  // namespace
}  // namespace st::runner
