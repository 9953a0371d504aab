#include "runner/status_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"

namespace st::runner {
namespace {

using testing::HasSubstr;
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
  StatusFileTest() : folder_(Folder()), path_(folder_ + "/status.textproto"), file_(path_, Known(), &clock_, &log_) {}
  ~StatusFileTest() override { (void)std::fclose(out_); }

  static std::string Folder() {
    std::string folder = testing::TempDir() + "/status.XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    return folder;
  }

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
  std::string Metrics() { return fs::ReadFile(folder_ + "/metrics.prom", 1 << 20).value_or(""); }
  // Of the log.
  std::string Said() {
    (void)std::fflush(out_);
    std::rewind(out_);
    char buffer[4096];
    return std::string(buffer, std::fread(buffer, 1, sizeof(buffer), out_));
  }

  FixedClock clock_;
  std::FILE* const out_ = std::tmpfile();
  Log log_{"st.a.b.c", &clock_, out_};
  const std::string folder_;
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
  StatusFile nowhere(folder_ + "/none/status.textproto", Known(), &clock_, &log_);
  EXPECT_FALSE(nowhere.Enter(Status::STARTING).ok());
}

TEST_F(StatusFileTest, TransitionsAreLinesOfTheLog) {
  ASSERT_TRUE(file_.Enter(Status::STARTING).ok());
  ASSERT_TRUE(file_.Fail({.reason = Status::WATCHDOG, .detail = "it hangs"}).ok());
  ASSERT_TRUE(file_.Enter(Status::CLOSED).ok());
  EXPECT_EQ(Said(),
            "1970-01-01T00:00:01Z info st.a.b.c starting\n"
            "1970-01-01T00:00:01Z error st.a.b.c failed watchdog: it hangs\n");
  EXPECT_EQ(Read().last_error().text(), "failed watchdog: it hangs");
  EXPECT_EQ(Read().last_error().errors(), 1);
}

TEST_F(StatusFileTest, WhatIsNotKnownIsNotSaid) {
  ASSERT_TRUE(file_.Enter(Status::STARTING).ok());
  EXPECT_FALSE(Read().has_rates());
  EXPECT_FALSE(Read().has_commit_latency());
  EXPECT_FALSE(Read().has_last_error());
}

TEST_F(StatusFileTest, RatesAndCommitsAreFilledInAsItIsWritten) {
  ASSERT_TRUE(file_.Enter(Status::RUNNING).ok());
  clock_.SleepMs(10'000);
  file_.Update([](Status* status) {
    status->set_records_in(70'000);
    status->set_records_out(30'000);
  });
  CommitTimes commits;
  commits.Add(clock_.MonotonicMs(), 17'000);
  commits.Add(clock_.MonotonicMs(), 5'000);
  file_.SetCommits(commits);
  ASSERT_TRUE(file_.Refresh().ok());
  EXPECT_GE(Read().rates().window_ms(), 10'000);
  EXPECT_NEAR(static_cast<double>(Read().rates().records_in_per_second()), 7000, 5);
  EXPECT_NEAR(static_cast<double>(Read().rates().records_out_per_second()), 3000, 5);
  EXPECT_EQ(Read().commit_latency().last_us(), 5'000);
  EXPECT_EQ(Read().commit_latency().max_us(), 17'000);
  // The minute passes, and nothing was committed in it.
  clock_.SleepMs(120'000);
  ASSERT_TRUE(file_.Refresh().ok());
  EXPECT_EQ(Read().commit_latency().last_us(), 5'000);
  EXPECT_EQ(Read().commit_latency().max_us(), -1);
  EXPECT_LT(Read().rates().records_in_per_second(), 1000);
}

TEST_F(StatusFileTest, MetricsStandBesideIt) {
  const mode_t mask = umask(077);
  file_.Update([](Status* status) { status->set_records_in(5); });
  ASSERT_TRUE(file_.Enter(Status::RUNNING).ok());
  umask(mask);
  EXPECT_THAT(Metrics(), HasSubstr("\nst_runner_records_in_total{application_id=\"st.a.b.c\"} 5\n"));
  struct stat status {};
  ASSERT_EQ(stat((folder_ + "/metrics.prom").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0644u);
  ASSERT_EQ(stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0600u);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder_)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, testing::UnorderedElementsAre("metrics.prom", "status.textproto"));
  ASSERT_TRUE(file_.Fail({.reason = Status::FENCED, .detail = "x"}).ok());
  EXPECT_THAT(Metrics(), HasSubstr(",reason=\"fenced\"} 1\n"));
}

TEST_F(StatusFileTest, MetricsThatCannotBeWrittenAreSaidOnceAndStopNothing) {
  ASSERT_EQ(mkdir((folder_ + "/metrics.prom").c_str(), 0700), 0);
  ASSERT_TRUE(file_.Enter(Status::RUNNING).ok());
  ASSERT_TRUE(file_.Refresh().ok());
  ASSERT_TRUE(file_.Refresh().ok());
  EXPECT_EQ(Read().state(), Status::RUNNING);
  EXPECT_EQ(log_.faults().count, 1);
  EXPECT_THAT(Read().last_error().text(), HasSubstr("metrics.prom: "));
  ASSERT_EQ(rmdir((folder_ + "/metrics.prom").c_str()), 0);
  ASSERT_TRUE(file_.Refresh().ok());
  EXPECT_THAT(Metrics(), HasSubstr("st_runner_errors_total{application_id=\"st.a.b.c\"} 1\n"));
}

// A write that hangs holds back nobody who has something to say: here the log's reader takes nothing.
TEST_F(StatusFileTest, UpdatesDoNotWaitForWrites) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  ASSERT_EQ(fcntl(fds[1], F_SETFL, O_NONBLOCK), 0);
  const std::string page(4096, 'x');
  while (write(fds[1], page.data(), page.size()) > 0) continue;
  ASSERT_EQ(fcntl(fds[1], F_SETFL, 0), 0);
  std::FILE* full = fdopen(fds[1], "w");
  Log log("st.a.b.c", &clock_, full);
  StatusFile file(path_, Known(), &clock_, &log);
  ASSERT_EQ(mkdir((folder_ + "/metrics.prom").c_str(), 0700), 0);
  std::thread writer([&] { EXPECT_TRUE(file.Refresh().ok()); });
  while (!std::filesystem::exists(path_)) std::this_thread::yield();
  file.Update([](Status* status) { status->set_records_in(5); });
  file.SetCommits({});
  std::string drained(size_t{1} << 20, ' ');
  ASSERT_GT(read(fds[0], drained.data(), drained.size()), 0);
  writer.join();
  (void)std::fclose(full);
  (void)close(fds[0]);
}

// What a runner of an older version wrote, and what one of a newer version might.
TEST(StatusVersions, AnOlderOneIsReadAndANewerOneRefused) {
  Status status;
  diag::Diagnostics diagnostics;
  ASSERT_TRUE(docio::Read("state: RUNNING\npartitions {\n  committed: 7\n  high_watermark: 7\n}\n", "status",
                          docio::Trailer::kOptional, &status, &diagnostics));
  EXPECT_FALSE(status.partitions(0).has_lag_records());
  EXPECT_FALSE(status.has_rates());
  status.mutable_partitions(0)->set_lag_records(0);
  EXPECT_THAT(docio::Write(status), HasSubstr("lag_records: 0\n"));
  EXPECT_FALSE(
      docio::Read("state: RUNNING\nfrom_the_future: 1\n", "status", docio::Trailer::kOptional, &status, &diagnostics));
  EXPECT_THAT(diagnostics.Sorted().front().text, HasSubstr("from_the_future"));
}

}  // namespace
}  // namespace st::runner
