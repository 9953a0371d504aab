#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "lib/fs/file.h"
#include "lib/fs/scratch.h"

namespace st::fs {
namespace {

using absl_testing::IsOk;
using absl_testing::StatusIs;
using testing::AllOf;
using testing::HasSubstr;

class LockTest : public Scratch {};

TEST_F(LockTest, KeepsOthersOutUntilItEnds) {
  const std::string path = At("lock");
  {
    absl::StatusOr<FileLock> lock = FileLock::TryAcquire(path);
    ASSERT_THAT(lock, IsOk());
    EXPECT_TRUE(lock->StillHeld());
    EXPECT_EQ(Mode(path), 0600);
    EXPECT_THAT(
        FileLock::TryAcquire(path),
        StatusIs(absl::StatusCode::kAborted,
                 AllOf(HasSubstr(path), HasSubstr(absl::StrCat("process ", getpid(), " of ")), HasSubstr(" since 2"))));
  }
  EXPECT_THAT(FileLock::TryAcquire(path), IsOk());
}

TEST_F(LockTest, ShowsWhoHasItWithoutTakingIt) {
  const std::string path = At("lock");
  EXPECT_THAT(LockHolder(path), absl_testing::IsOkAndHolds(""));
  {
    absl::StatusOr<FileLock> lock = FileLock::TryAcquire(path);
    ASSERT_THAT(lock, IsOk());
    absl::StatusOr<FileLock> other = FileLock::TryAcquire(At("other"));
    EXPECT_THAT(LockHolder(path), absl_testing::IsOkAndHolds(AllOf(
                                      HasSubstr(absl::StrCat("process ", getpid(), " of ")), HasSubstr(" since 2"))));
    EXPECT_TRUE(lock->StillHeld());
  }
  EXPECT_THAT(LockHolder(path), absl_testing::IsOkAndHolds("")) << "its last holder's name still stands in the file";
}

TEST_F(LockTest, Moves) {
  absl::StatusOr<FileLock> first = FileLock::TryAcquire(At("a"));
  absl::StatusOr<FileLock> second = FileLock::TryAcquire(At("b"));
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  FileLock moved = *std::move(first);
  EXPECT_TRUE(moved.StillHeld());
  {
    FileLock other = *std::move(second);
    moved = std::move(other);
  }
  EXPECT_TRUE(moved.StillHeld());
  EXPECT_THAT(FileLock::TryAcquire(At("a")), IsOk()) << "the one that was assigned over is free";
  EXPECT_THAT(FileLock::TryAcquire(At("b")), StatusIs(absl::StatusCode::kAborted));
}

TEST_F(LockTest, SeesThatItsFileWasTakenAway) {
  absl::StatusOr<FileLock> lock = FileLock::TryAcquire(At("lock"));
  ASSERT_THAT(lock, IsOk());
  ASSERT_EQ(unlink(At("lock").c_str()), 0);
  EXPECT_FALSE(lock->StillHeld()) << "removed";
  Put(At("lock"), "");
  EXPECT_FALSE(lock->StillHeld()) << "replaced";
  ASSERT_EQ(unlink(At("lock").c_str()), 0);
  ASSERT_EQ(symlink("elsewhere", At("lock").c_str()), 0);
  EXPECT_FALSE(lock->StillHeld()) << "a link";
}

TEST_F(LockTest, RefusesWhatIsNoFile) {
  Put(At("victim"), "old");
  ASSERT_EQ(symlink("victim", At("link").c_str()), 0);
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  EXPECT_THAT(FileLock::TryAcquire(At("link")), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(FileLock::TryAcquire(At("pipe")), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(FileLock::TryAcquire(folder_), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(FileLock::TryAcquire(At("no/such")), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(Get(At("victim")), "old");
}

TEST_F(LockTest, EndsWithAKilledProcess) {
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const absl::StatusOr<FileLock> lock = FileLock::TryAcquire(At("lock"));
    (void)!write(ready[1], lock.ok() ? "y" : "n", 1);
    for (;;) pause();
  }
  char answer = '?';
  ASSERT_EQ(read(ready[0], &answer, 1), 1);
  ASSERT_EQ(answer, 'y');
  EXPECT_THAT(FileLock::TryAcquire(At("lock")),
              StatusIs(absl::StatusCode::kAborted, HasSubstr(absl::StrCat("process ", child, " of "))));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_THAT(FileLock::TryAcquire(At("lock")), IsOk());
}

TEST_F(LockTest, IsNotInherited) {
  int to_child[2];
  int from_child[2];
  ASSERT_EQ(pipe(to_child), 0);
  ASSERT_EQ(pipe(from_child), 0);
  pid_t child = -1;
  {
    const absl::StatusOr<FileLock> lock = FileLock::TryAcquire(At("lock"));
    ASSERT_THAT(lock, IsOk());
    child = fork();
    if (child == 0) {
      dup2(to_child[0], STDIN_FILENO);
      dup2(from_child[1], STDOUT_FILENO);
      execlp("cat", "cat", "-u", nullptr);
      _exit(127);
    }
    // Its echo says that the other program runs.
    char echo = '?';
    ASSERT_EQ(write(to_child[1], "x", 1), 1);
    ASSERT_EQ(read(from_child[0], &echo, 1), 1);
    ASSERT_EQ(echo, 'x');
  }
  EXPECT_THAT(FileLock::TryAcquire(At("lock")), IsOk());
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
}

TEST_F(LockTest, OddTextInTheFileIsNotRepeated) {
  Put(At("lock"), "\x1b[2Jevil\n");
  const absl::StatusOr<FileLock> lock = FileLock::TryAcquire(At("lock"));
  ASSERT_THAT(lock, IsOk());
  Put(At("lock"), "\x1b[2Jevil\n");
  EXPECT_THAT(FileLock::TryAcquire(At("lock")),
              StatusIs(absl::StatusCode::kAborted, HasSubstr("locked by another process;")));
}

}  // namespace
}  // namespace st::fs
