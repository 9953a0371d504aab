// On real file systems that are full or read-only. Root ignores mode bits, so they are mounted: in memory, in a mount
// namespace of this test's own, which goes with it.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/fs/file.h"
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
  void SetUp() override {
    disk_ = std::filesystem::canonical(testing::TempDir()).string() + "/disk";
    ASSERT_THAT(fs::MakeFolders(disk_, 0700), IsOk());
    ASSERT_EQ(mount("st-test", disk_.c_str(), "tmpfs", 0, absl::StrCat("size=", kDiskBytes, ",mode=700").c_str()), 0)
        << "cannot mount a file system in memory: " << std::strerror(errno);
    path_ = disk_ + "/state.db";
  }
  void TearDown() override { EXPECT_EQ(umount(disk_.c_str()), 0) << std::strerror(errno); }

  // Until nothing fits, then frees `bytes`.
  void FillBut(size_t bytes) {
    const std::string filler = disk_ + "/filler";
    const int file = open(filler.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ASSERT_GE(file, 0);
    const std::string page(4096, 'f');
    size_t size = 0;
    while (write(file, page.data(), page.size()) == static_cast<ssize_t>(page.size())) size += page.size();
    ASSERT_EQ(errno, ENOSPC);
    ASSERT_EQ(ftruncate(file, static_cast<off_t>(size - bytes)), 0);
    ASSERT_EQ(close(file), 0);
  }
  void Free() { ASSERT_EQ(unlink((disk_ + "/filler").c_str()), 0); }
  void Remount(unsigned long flags) {
    ASSERT_EQ(mount(nullptr, disk_.c_str(), nullptr, MS_REMOUNT | flags, nullptr), 0) << std::strerror(errno);
  }

  std::string disk_;
  std::string path_;
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
    FillBut(pages * 4096);
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
    Free();
    ASSERT_THAT(store->History(kAddress), IsOk());
    if (appended.ok()) break;
  }
  EXPECT_GE(refused, 5);
  EXPECT_EQ(store->Read(kAddress)->frames.size(), 1) << "it never fitted";
  EXPECT_THAT(store->Complete(*lease, revision, "ours", "receipt"), IsOk());
}

TEST_F(SqliteDiskTest, AFullDiskMakesNoStore) {
  FillBut(0);
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite), StatusIs(absl::StatusCode::kUnavailable, HasSubstr(disk_)));
  EXPECT_EQ(fs::ListFolder(disk_)->size(), 1);
  Free();
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite), IsOk());
}

TEST_F(SqliteDiskTest, AReadOnlyMountIsReadAndNotWritten) {
  {
    std::unique_ptr<StateStore> store = *OpenSqlite(path_, Access::kReadWrite);
    ASSERT_THAT(RunOperation(store.get(), kAddress, "op-1", "mine"), IsOk());
  }
  Remount(MS_RDONLY);
  absl::StatusOr<std::unique_ptr<StateStore>> reader = OpenSqlite(path_, Access::kReadOnly);
  ASSERT_THAT(reader, IsOk());
  EXPECT_EQ((*reader)->Read(kAddress)->ownership, "mine");
  EXPECT_EQ((*reader)->History(kAddress)->size(), 3);
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("cannot be written")));
  EXPECT_THAT(OpenSqlite(disk_ + "/new.db", Access::kReadWrite),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("mounted read-only")));
  EXPECT_EQ((*OpenSqlite(disk_ + "/new.db", Access::kReadOnly))->Read(kAddress)->store_id, "");
  Remount(0);
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
    Remount(MS_RDONLY);
    absl::StatusOr<std::unique_ptr<StateStore>> reader = OpenSqlite(path_, Access::kReadOnly);
    if (reader.ok()) {
      EXPECT_EQ((*reader)->Read(kAddress)->revision, 3) << nth;
    } else {
      EXPECT_THAT(reader, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("half done"))) << nth;
      ++refused;
    }
    Remount(0);
    // Where it can be undone, it is, by who reads next.
    EXPECT_EQ((*OpenSqlite(path_, Access::kReadOnly))->Read(kAddress)->revision, 3) << nth;
  }
  EXPECT_GE(refused, 5);
}

bool WriteText(const char* path, const std::string& text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return close(file) == 0 && written;
}

// As root, or as the root of a user namespace.
bool EnterMountNamespace() {
  const uid_t uid = geteuid();
  const gid_t gid = getegid();
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !WriteText("/proc/self/setgroups", "deny") ||
        !WriteText("/proc/self/uid_map", absl::StrCat("0 ", uid, " 1")) ||
        !WriteText("/proc/self/gid_map", absl::StrCat("0 ", gid, " 1"))) {
      return false;
    }
  }
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

}  // namespace
}  // namespace st::state

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (!st::state::EnterMountNamespace()) {
    (void)fprintf(stderr, "needs the right to mount: root, or user namespaces: %s\n", std::strerror(errno));
    return 1;
  }
  st::state::InstallFaultyVfs();
  return RUN_ALL_TESTS();
}
