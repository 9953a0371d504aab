// Files that are no state stores, or not any more; and what a second process meets.
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/fs/file.h"
#include "lib/state/conformance.h"
#include "lib/state/sqlite.h"

namespace st::state {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

constexpr char kAddress[] = "shop/dev";
constexpr size_t kMaxFile = size_t{1} << 30;

class SqliteFileTest : public testing::Test {
 protected:
  SqliteFileTest() {
    std::string name = testing::TempDir() + "/file-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    folder_ = std::filesystem::canonical(name).string();
    path_ = folder_ + "/state.db";
  }
  ~SqliteFileTest() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }

  // A store with some pages of content.
  void MakeStore() {
    std::unique_ptr<StateStore> store = *OpenSqlite(path_, Access::kReadWrite);
    ASSERT_THAT(RunOperation(store.get(), kAddress, "op-1", std::string(50'000, 'o')), IsOk());
  }
  std::string Bytes() { return *fs::ReadFile(path_, kMaxFile); }
  void SetBytes(std::string_view bytes) {
    ASSERT_THAT(fs::WriteFileAtomically(path_, bytes, 0600, fs::Existing::kReplace), IsOk());
  }
  // Of opening it and reading everything.
  absl::Status Verdict() {
    absl::StatusOr<std::unique_ptr<StateStore>> store = OpenSqlite(path_, Access::kReadOnly);
    return store.ok() ? (*store)->History(kAddress).status() : store.status();
  }
  void Sql(const std::string& sql) {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    EXPECT_EQ(sqlite3_close(handle), SQLITE_OK);
  }
  // Refused both ways, naming the file, and not changed by that.
  void ExpectRefused(absl::StatusCode code, std::string_view words) {
    const std::string before = std::filesystem::is_regular_file(path_) ? Bytes() : "";
    for (const Access access : {Access::kReadOnly, Access::kReadWrite}) {
      const absl::Status status = OpenSqlite(path_, access).status();
      EXPECT_EQ(status.code(), code) << status;
      EXPECT_THAT(status.message(), HasSubstr(words));
      EXPECT_THAT(status.message(), HasSubstr(path_));
    }
    EXPECT_EQ(std::filesystem::is_regular_file(path_) ? Bytes() : "", before);
  }

  std::string folder_;
  std::string path_;
};

TEST_F(SqliteFileTest, IsOursAloneWhateverTheUmask) {
  path_ = folder_ + "/a/b/state.db";
  const mode_t before = umask(0);
  MakeStore();
  (void)umask(before);
  const auto mode = [](const std::string& path) {
    struct stat status {};
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status.st_mode & 07777;
  };
  EXPECT_EQ(mode(path_), 0600);
  EXPECT_EQ(mode(folder_ + "/a"), 0700);
  EXPECT_EQ(mode(folder_ + "/a/b"), 0700);
  EXPECT_EQ(mode(path_ + ".locks"), 0700);
  EXPECT_EQ(mode(path_ + ".locks/shop%2Fdev"), 0600);
  // No journal, no temporary file.
  EXPECT_EQ(fs::ListFolder(folder_ + "/a/b")->size(), 2);
}

TEST_F(SqliteFileTest, SaysWhereItIsInOneWay) {
  MakeStore();
  EXPECT_EQ((*OpenSqlite(folder_ + "/./x/../state.db", Access::kReadOnly))->Read(kAddress)->location, path_);
  ASSERT_EQ(symlink(folder_.c_str(), (folder_ + "/loop").c_str()), 0);
  EXPECT_EQ((*OpenSqlite(folder_ + "/loop/state.db", Access::kReadWrite))->Read(kAddress)->location, path_);
}

TEST_F(SqliteFileTest, EmptyIsNotNew) {
  SetBytes("");
  ExpectRefused(absl::StatusCode::kDataLoss, "empty");
}

TEST_F(SqliteFileTest, AnotherKindOfFile) {
  SetBytes("project: shop\n");
  ExpectRefused(absl::StatusCode::kDataLoss, "not a state file");
  SetBytes(std::string(100'000, 'x'));
  ExpectRefused(absl::StatusCode::kDataLoss, "not a state file");
}

TEST_F(SqliteFileTest, AnotherProgramsDatabase) {
  Sql("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
  ASSERT_EQ(chmod(path_.c_str(), 0600), 0);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "another program");
}

TEST_F(SqliteFileTest, ANewerVersion) {
  MakeStore();
  Sql("PRAGMA user_version = 2");
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "newer version of these tools (store version 2");
  Sql("PRAGMA user_version = 0");
  ExpectRefused(absl::StatusCode::kDataLoss, "version of 0");
}

TEST_F(SqliteFileTest, RulesThatWereTakenOut) {
  MakeStore();
  Sql("DROP TRIGGER history_no_delete");
  ExpectRefused(absl::StatusCode::kDataLoss, "tables or triggers");
}

TEST_F(SqliteFileTest, WriteAheadLogging) {
  MakeStore();
  Sql("PRAGMA journal_mode = WAL");
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "journal mode was changed to wal");
}

TEST_F(SqliteFileTest, CutAtAnyPage) {
  MakeStore();
  const std::string whole = Bytes();
  ASSERT_GT(whole.size(), 10 * 4096);
  for (size_t size = 0; size < whole.size(); size += 4096) {
    for (const size_t more : {0, 100}) {
      SetBytes(whole.substr(0, size + more));
      EXPECT_THAT(Verdict(), StatusIs(absl::StatusCode::kDataLoss)) << size << "+" << more;
    }
  }
  SetBytes(whole);
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite), IsOk());
}

// Every page zeroed, one at a time: nothing wrong is ever read as right.
TEST_F(SqliteFileTest, AnyPageLost) {
  MakeStore();
  const std::string whole = Bytes();
  ASSERT_THAT(Verdict(), IsOk());
  int refused = 0;
  for (size_t page = 0; page < whole.size(); page += 4096) {
    std::string damaged = whole;
    damaged.replace(page, 4096, std::string(4096, '\0'));
    SetBytes(damaged);
    EXPECT_THAT(Verdict(), StatusIs(absl::StatusCode::kDataLoss)) << page / 4096;
    ++refused;
  }
  EXPECT_GT(refused, 10);
}

TEST_F(SqliteFileTest, NotARegularFile) {
  ASSERT_EQ(mkdir(path_.c_str(), 0700), 0);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "not a regular file");
  ASSERT_EQ(rmdir(path_.c_str()), 0);
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "not a regular file");
  path_ += "/";
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(SqliteFileTest, NeverThroughASymbolicLink) {
  MakeStore();
  const std::string real = path_;
  path_ = folder_ + "/link.db";
  ASSERT_EQ(symlink(real.c_str(), path_.c_str()), 0);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "symbolic link");
  // Nor is one made where a dangling link points.
  path_ = folder_ + "/dangling.db";
  ASSERT_EQ(symlink((folder_ + "/elsewhere.db").c_str(), path_.c_str()), 0);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "symbolic link");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/elsewhere.db"));
}

TEST_F(SqliteFileTest, WritableByOthers) {
  MakeStore();
  ASSERT_EQ(chmod(path_.c_str(), 0620), 0);
  ExpectRefused(absl::StatusCode::kFailedPrecondition, "chmod 600");
}

TEST_F(SqliteFileTest, ItsFolderIsAFile) {
  SetBytes("x");
  path_ += "/state.db";
  EXPECT_THAT(OpenSqlite(path_, Access::kReadWrite), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(OpenSqlite(path_, Access::kReadOnly), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(SqliteFileTest, TheDefaultPathFollowsTheEnvironment) {
  ASSERT_EQ(setenv("HOME", "/home/me", 1), 0);
  ASSERT_EQ(unsetenv("XDG_STATE_HOME"), 0);
  ASSERT_EQ(unsetenv("ST_STATE_DIR"), 0);
  EXPECT_EQ(DefaultSqlitePath(), "/home/me/.local/state/st/state.db");
  ASSERT_EQ(setenv("XDG_STATE_HOME", "relative", 1), 0);
  EXPECT_EQ(DefaultSqlitePath(), "/home/me/.local/state/st/state.db");
  ASSERT_EQ(setenv("XDG_STATE_HOME", "/xdg", 1), 0);
  EXPECT_EQ(DefaultSqlitePath(), "/xdg/st/state.db");
  ASSERT_EQ(setenv("ST_STATE_DIR", "/mine", 1), 0);
  EXPECT_EQ(DefaultSqlitePath(), "/mine/state.db");
}

// Runs `work` in a child until `until_told` is closed.
class Child {
 public:
  explicit Child(const std::function<bool()>& work) {
    int told[2];
    int ready[2];
    EXPECT_TRUE(pipe(told) == 0 && pipe(ready) == 0);
    pid_ = fork();
    if (pid_ == 0) {
      close(told[1]);
      char byte = work() ? 'y' : 'n';
      if (write(ready[1], &byte, 1) != 1) _exit(1);
      (void)!read(told[0], &byte, 1);
      _exit(0);
    }
    close(told[0]);
    close(ready[1]);
    told_ = told[1];
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    worked_ = byte == 'y';
  }
  ~Child() {
    close(told_);
    int status = 0;
    EXPECT_EQ(waitpid(pid_, &status, 0), pid_);
  }
  pid_t pid() const { return pid_; }
  bool worked() const { return worked_; }

 private:
  pid_t pid_ = 0;
  int told_ = -1;
  bool worked_ = false;
};

TEST_F(SqliteFileTest, ASecondProcessIsToldWhoHasTheLock) {
  std::unique_ptr<Lease> lease;
  std::unique_ptr<StateStore> theirs;
  Child child([&] {
    theirs = *OpenSqlite(path_, Access::kReadWrite);
    lease = *theirs->Acquire(kAddress);
    return theirs->Begin(*lease, 0, "op-1", "intent").ok();
  });
  ASSERT_TRUE(child.worked());
  std::unique_ptr<StateStore> store = *OpenSqlite(path_, Access::kReadWrite);
  EXPECT_THAT(store->Acquire(kAddress),
              StatusIs(absl::StatusCode::kAborted, HasSubstr(absl::StrCat("process ", child.pid(), " "))));
  EXPECT_THAT(store->Acquire("shop/prod"), IsOk());
  // Who only looks is not held up.
  EXPECT_EQ((*OpenSqlite(path_, Access::kReadOnly))->Read(kAddress)->operation_id, "op-1");
}

TEST_F(SqliteFileTest, AKilledHolderFreesTheLock) {
  std::unique_ptr<StateStore> theirs;
  std::unique_ptr<Lease> lease;
  {
    Child child([&] {
      theirs = *OpenSqlite(path_, Access::kReadWrite);
      lease = *theirs->Acquire(kAddress);
      return theirs->Begin(*lease, 0, "op-1", "intent").ok();
    });
    ASSERT_TRUE(child.worked());
    ASSERT_EQ(kill(child.pid(), SIGKILL), 0);
  }
  std::unique_ptr<StateStore> store = *OpenSqlite(path_, Access::kReadWrite);
  absl::StatusOr<std::unique_ptr<Lease>> mine = store->Acquire(kAddress);
  ASSERT_THAT(mine, IsOk());
  EXPECT_EQ((*mine)->epoch(), 2);
  EXPECT_THAT(store->Append(**mine, 1, {Frame::Kind::kAuthorization, "go on"}), IsOk());
}

TEST_F(SqliteFileTest, ManyProcessesMakeOneStore) {
  for (int round = 0; round < 5; ++round) {
    path_ = absl::StrCat(folder_, "/", round, "/state.db");
    std::vector<pid_t> children;
    for (int i = 0; i < 6; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        absl::StatusOr<std::unique_ptr<StateStore>> store = OpenSqlite(path_, Access::kReadWrite);
        const std::string address = absl::StrCat("shop/", i);
        _exit(store.ok() && RunOperation(store->get(), address, absl::StrCat("op-", i), "x").ok() ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
    std::unique_ptr<StateStore> store = *OpenSqlite(path_, Access::kReadOnly);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(store->Read(absl::StrCat("shop/", i))->serial, 1) << i;
  }
}

}  // namespace
}  // namespace st::state
