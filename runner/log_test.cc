#include "runner/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "lib/kafka/handle.h"

namespace st::runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class HandClock : public base::Clock {
 public:
  int64_t NowMs() override { return kStartMs + now_ms_; }
  int64_t MonotonicMs() override { return now_ms_; }
  void SleepMs(int64_t ms) override { now_ms_ += ms; }

  static constexpr int64_t kStartMs = 1'780'000'000'000;  // 2026-05-28T20:26:40Z

 private:
  int64_t now_ms_ = 0;
};

class LogTest : public testing::Test {
 protected:
  LogTest() : out_(open_memstream(&bytes_, &size_)), log_("st.a.b.c", &clock_, out_) {}
  ~LogTest() override {
    (void)std::fclose(out_);
    std::free(bytes_);
  }

  // Since the last time; each is whole.
  std::vector<std::string> Lines() {
    (void)std::fflush(out_);
    std::vector<std::string> lines = absl::StrSplit(std::string(bytes_ + seen_, size_ - seen_), '\n');
    seen_ = size_;
    EXPECT_EQ(lines.back(), "");
    lines.pop_back();
    return lines;
  }

  char* bytes_ = nullptr;
  size_t size_ = 0;
  size_t seen_ = 0;
  std::FILE* out_;
  HandClock clock_;
  Log log_;
};

// How many lines a line says were left out.
int64_t LeftOut(const std::string& line) {
  const std::vector<std::string> words = absl::StrSplit(line, ' ');
  int64_t count = 0;
  EXPECT_TRUE(words.size() > 3 && absl::SimpleAtoi(words[3], &count)) << line;
  EXPECT_THAT(line, HasSubstr("were left out"));
  return count;
}

TEST_F(LogTest, ALineHasTimeLevelAndApplication) {
  log_.SayState(Level::kInfo, "starting");
  clock_.SleepMs(1000);
  log_.Say(Level::kWarning, "abort", "a transaction was aborted");
  log_.SayState(Level::kError, "failed internal: no");
  EXPECT_THAT(Lines(), ElementsAre("2026-05-28T20:26:40Z info st.a.b.c starting",
                                   "2026-05-28T20:26:41Z warning st.a.b.c a transaction was aborted",
                                   "2026-05-28T20:26:41Z error st.a.b.c failed internal: no"));
}

TEST_F(LogTest, WhatCannotBeSeenMakesNoSecondLine) {
  log_.Say(Level::kWarning, "k", "a\nb\x1b[31m\xff");
  const std::vector<std::string> lines = Lines();
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0], "2026-05-28T20:26:40Z warning st.a.b.c a\\u{A}b\\u{1B}[31m\\xFF");
  log_.Say(Level::kWarning, "k", std::string(100'000, 'x'));
  EXPECT_LT(Lines().at(0).size(), 5000u);
}

// A fault that comes 1,000 times a second, for ten minutes.
TEST_F(LogTest, AFloodIsAFewLinesAndACount) {
  constexpr int64_t kMinutes = 10;
  constexpr int64_t kSeconds = kMinutes * 60;
  constexpr int64_t kAtOnce = 1000;
  int64_t said = 0;
  for (int64_t second = 0; second < kSeconds; ++second) {
    for (int i = 0; i < kAtOnce; ++i) log_.Say(Level::kWarning, "abort", absl::StrCat("number ", said++));
    clock_.SleepMs(1000);
    log_.Tick();
  }
  log_.Finish();
  int64_t shown = 0;
  int64_t left_out = 0;
  int64_t counts = 0;
  for (const std::string& line : Lines()) {
    if (!absl::StrContains(line, "left out")) {
      ++shown;
      continue;
    }
    ++counts;
    left_out += LeftOut(line);
    EXPECT_THAT(line, HasSubstr("\"abort\""));
  }
  EXPECT_EQ(shown + left_out, kSeconds * kAtOnce);
  EXPECT_EQ(shown, Log::kBurst + kSeconds * 1000 / Log::kPeriodMs - 1);
  EXPECT_NEAR(static_cast<double>(counts), kMinutes, 1);
  EXPECT_EQ(log_.faults().count, said);
  EXPECT_EQ(log_.faults().last, absl::StrCat("number ", said - 1));
}

TEST_F(LogTest, OneKindDoesNotSilenceAnother) {
  for (int i = 0; i < 1000; ++i) log_.Say(Level::kWarning, "abort", "again");
  EXPECT_THAT(Lines(), SizeIs(Log::kBurst));
  log_.Say(Level::kInfo, "assignment", "reads partition 0");
  log_.SayState(Level::kInfo, "closing");
  EXPECT_THAT(Lines(), SizeIs(2));
}

TEST_F(LogTest, KindsWithoutEndShareOneCount) {
  for (int i = 0; i < 100'000; ++i) log_.Say(Level::kWarning, absl::StrCat("kind ", i), "x");
  EXPECT_LT(Lines().size(), 200u);
  log_.Finish();
  EXPECT_GT(LeftOut(Lines().at(0)), 99'000);
}

TEST_F(LogTest, WhatWasLeftOutIsSaidWithoutAnotherLine) {
  for (int i = 0; i < Log::kBurst + 5; ++i) log_.Say(Level::kWarning, "abort", "again");
  EXPECT_THAT(Lines(), SizeIs(Log::kBurst));
  log_.Tick();
  EXPECT_THAT(Lines(), IsEmpty());
  clock_.SleepMs(Log::kLeftOutMs);
  log_.Tick();
  const std::vector<std::string> lines = Lines();
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(LeftOut(lines[0]), 5);
  log_.Finish();
  EXPECT_THAT(Lines(), IsEmpty());
}

TEST_F(LogTest, CalmMakesRoomAgain) {
  for (int i = 0; i < 2 * Log::kBurst; ++i) log_.Say(Level::kWarning, "abort", "again");
  clock_.SleepMs(Log::kBurst * Log::kPeriodMs);
  log_.Tick();
  (void)Lines();
  for (int i = 0; i < 2 * Log::kBurst; ++i) log_.Say(Level::kWarning, "abort", "again");
  EXPECT_THAT(Lines(), SizeIs(Log::kBurst));
}

TEST_F(LogTest, TransitionsAreNoFaults) {
  log_.SayState(Level::kInfo, "running");
  log_.Say(Level::kInfo, "assignment", "reads partition 0");
  EXPECT_EQ(log_.faults().count, 0);
  log_.SayState(Level::kError, "failed");
  EXPECT_EQ(log_.faults().count, 1);
  EXPECT_EQ(log_.faults().last, "failed");
  EXPECT_EQ(log_.faults().last_ms, HandClock::kStartMs);
}

TEST_F(LogTest, ManyThreadsLoseNothing) {
  constexpr int kThreads = 4;
  constexpr int kEach = 1000;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) log_.Say(Level::kWarning, "abort", "again");
    });
  }
  for (std::thread& thread : threads) thread.join();
  log_.Finish();
  const std::vector<std::string> lines = Lines();
  ASSERT_THAT(lines, SizeIs(Log::kBurst + 1));
  EXPECT_EQ(LeftOut(lines.back()), kThreads * kEach - Log::kBurst);
}

// The client library's own words, from one of its own threads.
TEST_F(LogTest, TheClientLibraryComesThroughTheSameDoor) {
  absl::Notification said;
  std::once_flag once;
  kafka::SetLogReader([&](std::string_view facility, std::string_view text) {
    log_.Say(Level::kWarning, facility, absl::StrCat("kafka client: ", facility, ": ", text));
    std::call_once(once, [&] { said.Notify(); });
  });
  {
    kafka::Events events;
    kafka::Settings settings;
    // Nobody listens there.
    auto handle = settings.Set("bootstrap.servers", "127.0.0.1:1").Open(RD_KAFKA_PRODUCER, &events);
    ASSERT_TRUE(handle.ok());
    said.WaitForNotification();
  }
  kafka::SetLogReader({});
  const std::vector<std::string> lines = Lines();
  ASSERT_FALSE(lines.empty());
  EXPECT_THAT(lines[0], testing::StartsWith("2026-05-28T20:26:40Z warning st.a.b.c kafka client: FAIL: "));
  EXPECT_THAT(lines[0], HasSubstr("Connection refused"));
}

}  // namespace
}  // namespace st::runner
