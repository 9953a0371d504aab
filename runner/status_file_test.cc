#include "runner/status_file.h"

#include <gtest/gtest.h>

#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"

namespace st::runner {
namespace {

using Status = v1::RunnerStatus;

class FixedClock : public base::Clock {
 public:
  int64_t NowMs() override { return ++now_ms_; }
  int64_t MonotonicMs() override { return now_ms_; }
  void SleepMs(int64_t ms) override { now_ms_ += ms; }

 private:
  int64_t now_ms_ = 1000;
};

class StatusFileTest : public testing::Test {
 protected:
  StatusFileTest() : path_(testing::TempDir() + "/status.textproto"), file_(path_, Known(), &clock_) {}

  static Status Known() {
    Status known;
    known.set_application_id("st.a.b.c");
    return known;
  }
  Status Read() {
    Status status;
    diag::Diagnostics diagnostics;
    auto text = fs::ReadFile(path_, 1 << 20);
    EXPECT_TRUE(text.ok() && docio::Read(*text, path_, docio::Trailer::kRequired, &status, &diagnostics));
    return status;
  }

  FixedClock clock_;
  const std::string path_;
  StatusFile file_;
};

TEST_F(StatusFileTest, FollowsTheStates) {
  for (auto state : {Status::STARTING, Status::RUNNING, Status::CLOSING, Status::CLOSED}) {
    const int64_t before = clock_.NowMs();
    ASSERT_TRUE(file_.Enter(state).ok());
    EXPECT_EQ(Read().state(), state);
    EXPECT_EQ(Read().application_id(), "st.a.b.c");
    EXPECT_GT(Read().updated_at_ms(), before);
  }
}

TEST_F(StatusFileTest, AFailureStays) {
  Failure failure{.reason = Status::POISON_RECORD, .detail = "first"};
  failure.stop.set_topic("t");
  failure.stop.set_offset(7);
  ASSERT_TRUE(file_.Fail(failure).ok());
  ASSERT_TRUE(file_.Enter(Status::CLOSED).ok());
  ASSERT_TRUE(file_.Fail({.reason = Status::WATCHDOG, .detail = "second"}).ok());
  file_.Update([](Status* status) { status->clear_detail(); });
  ASSERT_TRUE(file_.Refresh().ok());
  EXPECT_EQ(Read().state(), Status::FAILED);
  EXPECT_EQ(Read().reason(), Status::POISON_RECORD);
  EXPECT_EQ(Read().detail(), "first");
  EXPECT_EQ(Read().stop().offset(), 7);
}

TEST_F(StatusFileTest, RefreshesWhileItRuns) {
  ASSERT_TRUE(file_.Enter(Status::RUNNING).ok());
  const int64_t first = Read().updated_at_ms();
  file_.Update([](Status* status) { status->set_records_in(5); });
  ASSERT_TRUE(file_.Refresh().ok());
  EXPECT_GT(Read().updated_at_ms(), first);
  EXPECT_EQ(Read().records_in(), 5);
  ASSERT_TRUE(file_.Enter(Status::CLOSED).ok());
  const int64_t closed = Read().updated_at_ms();
  ASSERT_TRUE(file_.Refresh().ok());
  EXPECT_EQ(Read().updated_at_ms(), closed);
}

TEST_F(StatusFileTest, WhatIsInvisibleInADetailIsEscaped) {
  ASSERT_TRUE(file_.Fail({.reason = Status::INTERNAL, .detail = "a\x1b[31m"}).ok());
  EXPECT_EQ(Read().detail().find('\x1b'), std::string::npos);
}

TEST_F(StatusFileTest, AFullOrMissingFolderIsAnError) {
  StatusFile nowhere(testing::TempDir() + "/none/status.textproto", Known(), &clock_);
  EXPECT_FALSE(nowhere.Enter(Status::STARTING).ok());
}

}  // namespace
}  // namespace st::runner
