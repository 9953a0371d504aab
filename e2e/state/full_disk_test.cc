// The disk of the state store fills up while st-apply journals a replacement, and later has room again: nothing is
// half-written, the tool ends with exit 3, and the operation is carried on.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/state/store_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/fs/memory_disk.h"

namespace st::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr size_t kDiskBytes = size_t{4} << 20;

class FullDiskTest : public StoreFixture {
 protected:
  void SetUp() override {
    DeclareWithStore();
    if (postgres()) {
      ASSERT_NO_FATAL_FAILURE(PutSchemaOnDisk());
    } else {
      disk_ = std::make_unique<fs::MemoryDisk>(pipe_->Path("disk"), kDiskBytes);
      KeepStateInFile(disk_->folder() + "/state.db");
    }
    DeployAndFeed();
    // With hardly room for one entry in a page, the next one or two always need a new page.
    if (postgres()) {
      ASSERT_TRUE(server_->Sql(absl::StrCat("ALTER TABLE ", id_, ".history SET (fillfactor = 10)")).ok());
    }
  }

  void TearDown() override {
    if (!postgres()) return;
    EXPECT_EQ(server_->Sql("ALTER ROLE tester RESET default_tablespace").status(), absl::OkStatus());
    EXPECT_EQ(server_->Sql(absl::StrCat("DROP SCHEMA ", id_, " CASCADE")).status(), absl::OkStatus());
    EXPECT_EQ(server_->Sql("DROP TABLESPACE small").status(), absl::OkStatus());
  }

  // The tables alone: a server whose log has no room ends, and recovers when it is started again.
  void PutSchemaOnDisk() {
    disk_ = std::make_unique<fs::MemoryDisk>(server_->folder() + "/small", kDiskBytes);
    struct stat owner {};
    ASSERT_EQ(stat((server_->folder() + "/data").c_str(), &owner), 0);
    ASSERT_EQ(chown(disk_->folder().c_str(), owner.st_uid, owner.st_gid), 0);
    ASSERT_EQ(server_->Sql(absl::StrCat("CREATE TABLESPACE small LOCATION '", disk_->folder(), "'")).status(),
              absl::OkStatus());
    ASSERT_EQ(server_->Sql("ALTER ROLE tester SET default_tablespace = small").status(), absl::OkStatus());
  }

  // Filled up while st-apply stands at `at`; what it says then.
  CommandResult ApplyOnAFullDisk(const std::string& at) {
    std::unique_ptr<RunningCommand> apply =
        pipe_->StartTool("st-apply", {"--plan", pipe_->Path("p")}, pipe_->Compile(), {{"ST_CRASH_AT", at + ":stop"}});
    auto stopped = apply->AwaitStop();
    EXPECT_TRUE(stopped.ok() && *stopped) << "the boundary was not met: " << at;
    disk_->FillBut(0);
    apply->Signal(SIGCONT);
    auto result = apply->Wait();
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : CommandResult();
  }

  std::unique_ptr<fs::MemoryDisk> disk_;
};

INSTANTIATE_TEST_SUITE_P(Stores, FullDiskTest, testing::Values(kSqlite, kPostgres),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(FullDiskTest, IsSaidAndTheOperationGoesOnWhenThereIsRoom) {
  // In a database's pages there may be room for one more entry, so there it is begun early.
  const std::vector<std::string> points =
      postgres() ? std::vector<std::string>{"before:checkpoint:1", "after:stop_generation:1"}
                 : std::vector<std::string>{"before:intent:1", "before:checkpoint:1", "after:stop_generation:1",
                                            "after:create_generation:1", "before:complete:1"};
  std::vector<Era> eras = {{Start(), 10}};
  for (const std::string& at : points) {
    SCOPED_TRACE(at);
    ASSERT_TRUE(AwaitAllRead());
    ASSERT_NO_FATAL_FAILURE(PlanAnotherFilter());
    eras.push_back({Now(), filter_});
    const CommandResult applied = ApplyOnAFullDisk(at);
    EXPECT_EQ(applied.exit_code, 3) << applied.error_text;
    EXPECT_THAT(applied.error_text, HasSubstr("disk is full"));

    // Whoever only looks still can, and what is there is whole.
    EXPECT_EQ(State({"verify"}).exit_code, 0);
    const int log = LogSize();
    const std::string operation = pipe_->Status().operation_id();
    EXPECT_EQ(operation.empty(), at == "before:intent:1");
    if (!operation.empty()) {
      EXPECT_THAT(applied.error_text, AllOf(HasSubstr("could not be reached"), HasSubstr("--operation " + operation)));
    }
    if (!postgres()) {
      const CommandResult refused = operation.empty() ? pipe_->Apply("p") : pipe_->Resume("p", operation);
      EXPECT_EQ(refused.exit_code, 3) << refused.error_text;
      EXPECT_EQ(LogSize(), log);
    }
    disk_->Free();
    ASSERT_NO_FATAL_FAILURE(CarryOn());
    ExpectOneRunner();
    Feed(20);
  }
  ExpectWhole();
  ExpectOutput(eras);
  EXPECT_EQ(State({"verify"}).exit_code, 0);
}

}  // namespace
}  // namespace st::e2e

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (absl::Status entered = st::fs::EnterMountNamespace(); !entered.ok()) {
    (void)fprintf(stderr, "%s\n", entered.ToString().c_str());
    return 1;
  }
  return RUN_ALL_TESTS();
}
