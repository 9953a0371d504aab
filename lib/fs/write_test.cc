#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <csignal>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "absl/strings/match.h"
#include "lib/fs/file.h"
#include "lib/fs/scratch.h"

namespace st::fs {
namespace {

using absl_testing::IsOk;
using absl_testing::StatusIs;
using testing::HasSubstr;

// Exit code of `body` in a process of its own, whose limits and mounts die with it.
int InChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

class WriteFileTest : public Scratch {};

TEST_F(WriteFileTest, WritesWhole) {
  for (Existing existing : {Existing::kReplace, Existing::kRefuse}) {
    const std::string path = At(existing == Existing::kReplace ? "a" : "b");
    const std::string bytes(1'000'000, 'z');
    EXPECT_THAT(WriteFileAtomically(path, bytes, 0600, existing), IsOk());
    EXPECT_EQ(Get(path), bytes);
    EXPECT_EQ(Mode(path), 0600);
  }
  EXPECT_EQ(Names(), 2) << "no temporary file is left";
}

TEST_F(WriteFileTest, ModeIsExactWhateverTheUmask) {
  const mode_t before = umask(0777);
  EXPECT_THAT(WriteFileAtomically(At("a"), "x", 0644, Existing::kReplace), IsOk());
  umask(0);
  EXPECT_THAT(WriteFileAtomically(At("b"), "x", 0600, Existing::kRefuse), IsOk());
  // A replaced file's mode does not live on.
  EXPECT_THAT(WriteFileAtomically(At("a"), "x", 0600, Existing::kReplace), IsOk());
  umask(before);
  EXPECT_EQ(Mode(At("a")), 0600);
  EXPECT_EQ(Mode(At("b")), 0600);
}

TEST_F(WriteFileTest, ReplacesTheNameNotTheFile) {
  Put(At("old"), "old");
  ASSERT_EQ(link(At("old").c_str(), At("other").c_str()), 0);
  EXPECT_THAT(WriteFileAtomically(At("old"), "new", 0600, Existing::kReplace), IsOk());
  EXPECT_EQ(Get(At("old")), "new");
  EXPECT_EQ(Get(At("other")), "old") << "a reader that has the old file open sees all of the old file";
}

TEST_F(WriteFileTest, RefusesWhatIsThere) {
  Put(At("file"), "old");
  ASSERT_EQ(symlink("nowhere", At("dangling").c_str()), 0);
  ASSERT_EQ(mkdir(At("folder").c_str(), 0700), 0);
  for (const char* name : {"file", "dangling", "folder"}) {
    EXPECT_THAT(WriteFileAtomically(At(name), "new", 0600, Existing::kRefuse),
                StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr(At(name))))
        << name;
  }
  EXPECT_EQ(Get(At("file")), "old");
  EXPECT_EQ(Names(), 3);
}

TEST_F(WriteFileTest, NeverWritesThroughALink) {
  Put(At("victim"), "old");
  ASSERT_EQ(symlink("victim", At("link").c_str()), 0);
  EXPECT_THAT(WriteFileAtomically(At("link"), "new", 0600, Existing::kReplace),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("symbolic link")));
  EXPECT_EQ(Get(At("victim")), "old");
  EXPECT_EQ(Names(), 2);
}

TEST_F(WriteFileTest, RefusesOtherKinds) {
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  ASSERT_EQ(mkdir(At("folder").c_str(), 0700), 0);
  for (const std::string& path : {At("pipe"), At("folder"), At("folder/"), At("."), At(".."), std::string()}) {
    EXPECT_THAT(WriteFileAtomically(path, "new", 0600, Existing::kReplace),
                StatusIs(absl::StatusCode::kFailedPrecondition))
        << path;
  }
  EXPECT_THAT(WriteFileAtomically(At("no/such"), "new", 0600, Existing::kReplace),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr(At("no"))));
  EXPECT_EQ(Names(), 2);
}

TEST_F(WriteFileTest, NamesOfTheLongestLength) {
  const std::string longest(NAME_MAX, 'n');
  EXPECT_THAT(WriteFileAtomically(At(longest), "x", 0600, Existing::kRefuse), IsOk());
  EXPECT_THAT(WriteFileAtomically(At(longest), "y", 0600, Existing::kReplace), IsOk());
  EXPECT_EQ(Get(At(longest)), "y");
}

TEST_F(WriteFileTest, RelativePaths) {
  EXPECT_EQ(InChild([&] {
              if (chdir(folder_.c_str()) != 0) return 10;
              return WriteFileAtomically("here", "x", 0600, Existing::kRefuse).ok() ? 0 : 1;
            }),
            0);
  EXPECT_EQ(Get(At("here")), "x");
}

TEST_F(WriteFileTest, OneOfManyWritersWins) {
  std::atomic<int> won = 0;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i) {
    writers.emplace_back([&, i] {
      const absl::Status status = WriteFileAtomically(At("plan"), std::to_string(i), 0600, Existing::kRefuse);
      EXPECT_TRUE(status.ok() || absl::IsAlreadyExists(status)) << status;
      if (status.ok()) ++won;
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(won, 1);
  EXPECT_EQ(Names(), 1);
}

// A short write, and then an error: what a full disk does.
TEST_F(WriteFileTest, TooLargeAFileLeavesTheOldOne) {
  Put(At("state"), "old");
  const int code = InChild([&] {
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{100'000, 100'000};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return 10;
    const absl::Status status = WriteFileAtomically(At("state"), std::string(200'000, 'x'), 0600, Existing::kReplace);
    if (!absl::IsUnavailable(status)) return 11;
    return absl::StrContains(status.message(), "File too large") ? 0 : 12;
  });
  EXPECT_EQ(code, 0);
  EXPECT_EQ(Get(At("state")), "old");
  EXPECT_EQ(Names(), 1);
}

// A process that may mount in a namespace of its own; the mounts end with it.
bool OwnMounts() { return unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0; }

TEST_F(WriteFileTest, FullAndReadOnlyDisks) {
  constexpr int kNoMounts = 77;
  const int code = InChild([&] {
    if (!OwnMounts()) return kNoMounts;
    if (mount("none", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) return kNoMounts;
    if (!WriteFileAtomically(At("state"), "old", 0600, Existing::kReplace).ok()) return 10;
    const absl::Status full = WriteFileAtomically(At("state"), std::string(200'000, 'x'), 0600, Existing::kReplace);
    if (!absl::IsUnavailable(full) || !absl::StrContains(full.message(), "make room")) return 11;
    if (Get(At("state")) != "old" || Names() != 1) return 12;
    if (!WriteFileAtomically(At("state"), "new", 0600, Existing::kReplace).ok()) return 13;
    if (mount("none", folder_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k") != 0) return 14;
    const absl::Status read_only = WriteFileAtomically(At("state"), "newer", 0600, Existing::kReplace);
    if (!absl::IsUnavailable(read_only) || !absl::StrContains(read_only.message(), "read-only")) return 15;
    return Get(At("state")) == "new" ? 0 : 16;
  });
  if (code == kNoMounts) GTEST_SKIP() << "needs a kernel that lets this process mount in a namespace of its own";
  EXPECT_EQ(code, 0);
}

TEST(WriteAllTest, DevicesAndPipesThatFail) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_THAT(WriteAll(full, "x"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("make room")));
  EXPECT_THAT(WriteAll(full, ""), IsOk());
  close(full);

  (void)std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  EXPECT_THAT(WriteAll(ends[1], "x"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("went away")));
  close(ends[1]);
  EXPECT_THAT(WriteAll(999, "x"), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("descriptor 999")));
}

// A pipe takes a part at a time, and signals interrupt.
TEST(WriteAllTest, GoesOnAfterShortWritesAndSignals) {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &action, nullptr), 0);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string bytes(1'000'000, 'w');
  absl::Status written = absl::UnknownError("not run");
  std::atomic<bool> done = false;
  std::thread writer([&] {
    written = WriteAll(ends[1], bytes);
    close(ends[1]);
    done = true;
  });
  std::string got;
  std::vector<char> piece(1000);
  for (ssize_t size = 0; (size = read(ends[0], piece.data(), piece.size())) > 0;) {
    got.append(piece.data(), static_cast<size_t>(size));
    if (!done) pthread_kill(writer.native_handle(), SIGUSR1);
  }
  writer.join();
  close(ends[0]);
  EXPECT_THAT(written, IsOk());
  EXPECT_EQ(got, bytes);
}

}  // namespace
}  // namespace st::fs
