// On real file systems that are full or read-only. Root ignores mode bits, so they are mounted: in memory, in a mount
// namespace of this test's own, which goes with it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/fs/file.h"
#include "lib/fs/memory_disk.h"
#include "lib/state/conformance.h"
#include "lib/state/faulty_vfs.h"
#include "lib/state/sqlite.h"

namespace st::state {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

constexpr char kAddress[] = "shop/dev";
constexpr size_t kDiskBytes = size_t{512} << 10;

class SqliteDiskTest : public testing::Test {
 protected:
  fs::MemoryDisk disk_{std::filesystem::canonical(testing::TempDir()).string() + "/disk", kDiskBytes};
  std::string path_ = disk_.folder() + "/state.db";
};

TEST_F(SqliteDiskTest, AFullDiskWritesNothingAndSaysSo) {
  std::unique_ptr<StateStore> store = *OpenSqlite(path_, Access::kReadWrite);
  ASSERT_THAT(RunOperation(store.get(), kAddress, "op-1", "mine"), IsOk());
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  uint64_t revision = store->Read(kAddress)->revision;
  revision = *store->Begin(*lease, revision, "op-2", "intent");
  const std::string large(40'000, 'x');
  int refused = 0;
  // The disk runs out at another place each time: in the journal, in the pages.
  for (size_t pages = 0; pages < 40; ++pages) {
    disk_.FillBut(pages * 4096);
    const absl::StatusOr<uint64_t> appended = store->Append(*lease, revision, {Frame::Kind::kCheckpoint, large});
    if (!appended.ok()) {
      EXPECT_THAT(appended, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("disk is full")));
      ++refused;
    }
    const absl::StatusOr<Snapshot> now = store->Read(kAddress);
    ASSERT_THAT(now, IsOk()) << pages;
    EXPECT_EQ(now->revision, appended.ok() ? *appended : revision);
    EXPECT_THAT(lease->Check(), IsOk());
    revision = now->revision;
    disk_.Free();
    ASSERT_THAT(store->History(kAddress), IsOk());
    if (appended.ok()) break;
  }
  EXPECT_GE(refused, 5);
  EXPECT_EQ(store->Read(kAddress)->frames.size(), 1) << "it never fitted";
  EXPECT_THAT(store->Complete(*lease, revision, "ours", "receipt"), IsOk());
}

TEST_F(SqliteDiskTest, AFullDiskMakesNoStore) {
  disk_.FillBut(0);
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr(disk_.folder())));
  EXPECT_EQ(fs::ListFolder(disk_.folder())->size(), 1);
  disk_.Free();
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite), IsOk());
}

TEST_F(SqliteDiskTest, AReadOnlyMountIsReadAndNotWritten) {
  {
    std::unique_ptr<StateStore> store = *OpenSqlite(path_, Access::kReadWrite);
    ASSERT_THAT(RunOperation(store.get(), kAddress, "op-1", "mine"), IsOk());
  }
  disk_.SetReadOnly(true);
  absl::StatusOr<std::unique_ptr<StateStore>> reader = OpenSqlite(path_, Access::kReadOnly);
  ASSERT_THAT(reader, IsOk());
  EXPECT_EQ((*reader)->Read(kAddress)->ownership, "mine");
  EXPECT_EQ((*reader)->History(kAddress)->size(), 3);
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("cannot be written")));
  EXPECT_THAT(OpenSqlite(disk_.folder() + "/new.db", Access::kReadWrite),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("mounted read-only")));
  EXPECT_EQ((*OpenSqlite(disk_.folder() + "/new.db", Access::kReadOnly))->Read(kAddress)->store_id, "");
  disk_.SetReadOnly(false);
}

// A write of a child that dies in place of its `nth` call. False: it had fewer.
bool CutWrite(const std::string& path, int nth) {
  const pid_t child = fork();
  if (child == 0) {
    std::unique_ptr<StateStore> store = *OpenSqlite(path, Access::kReadWrite);
    std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
    ArmVfs(VfsFault::kPowerLoss, nth);
    (void)store->Begin(*lease, 3, "op-2", std::string(40'000, 'x'));
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status);
}

TEST_F(SqliteDiskTest, AHalfDoneWriteOnAReadOnlyMountIsSaid) {
  {
    std::unique_ptr<StateStore> store = *OpenSqlite(path_, Access::kReadWrite);
    ASSERT_THAT(RunOperation(store.get(), kAddress, "op-1", "mine"), IsOk());
  }
  int refused = 0;
  for (int nth = 1; CutWrite(path_, nth); ++nth) {
    ASSERT_LT(nth, 100);
    disk_.SetReadOnly(true);
    absl::StatusOr<std::unique_ptr<StateStore>> reader = OpenSqlite(path_, Access::kReadOnly);
    if (reader.ok()) {
      EXPECT_EQ((*reader)->Read(kAddress)->revision, 3) << nth;
    } else {
      EXPECT_THAT(reader, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("half done"))) << nth;
      ++refused;
    }
    disk_.SetReadOnly(false);
    // Where it can be undone, it is, by who reads next.
    EXPECT_EQ((*OpenSqlite(path_, Access::kReadOnly))->Read(kAddress)->revision, 3) << nth;
  }
  EXPECT_GE(refused, 5);
}

}  // namespace
}  // namespace st::state

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (absl::Status entered = st::fs::EnterMountNamespace(); !entered.ok()) {
    (void)fprintf(stderr, "%s\n", entered.ToString().c_str());
    return 1;
  }
  st::state::InstallFaultyVfs();
  return RUN_ALL_TESTS();
}
