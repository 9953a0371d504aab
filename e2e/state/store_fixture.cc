#include "e2e/state/store_fixture.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/state/postgres.h"
#include "lib/state/sqlite.h"

namespace st::e2e {
namespace {

constexpr absl::Duration kLongest = absl::Minutes(1);

}  // namespace

state::TestServer* StoreFixture::server_ = nullptr;

void StoreFixture::SetUpTestSuite() {
  ModelFixture::SetUpTestSuite();
  auto server = state::TestServer::Start();
  ASSERT_TRUE(server.ok()) << server.status();
  server_ = server->release();
}

void StoreFixture::TearDownTestSuite() {
  delete std::exchange(server_, nullptr);
  ModelFixture::TearDownTestSuite();
}

void StoreFixture::DeclareWithStore() {
  Declare(postgres() ? "pg" : "lite");
  state_file_ = pipe_->state_folder() + "/state.db";
  if (!postgres()) return;
  ReachServerAt(server_->port());
  pipe_->KeepStateIn(absl::StrCat("backend: postgres, schema: ", id_, ", dsn_env: ST_TEST_DSN"));
}

void StoreFixture::KeepStateInFile(const std::string& file) {
  state_file_ = file;
  pipe_->KeepStateIn("backend: sqlite, path: " + file);
}

void StoreFixture::ReachServerAt(int port) { pipe_->set_environment({{"ST_TEST_DSN", server_->TcpDsn(port)}}); }

CommandResult StoreFixture::State(const std::vector<std::string>& arguments) const {
  return pipe_->Tool("st-state", arguments, pipe_->Compile());
}

void StoreFixture::AwaitUnlocked() const {
  const absl::Time deadline = absl::Now() + kLongest;
  while (postgres()) {
    absl::StatusOr<std::string> held =
        server_->Sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted");
    ASSERT_TRUE(held.ok()) << held.status();
    if (*held == "0") return;
    ASSERT_LT(absl::Now(), deadline) << "the lock of a tool that is gone is still held";
    absl::SleepFor(absl::Milliseconds(5));
  }
}

void StoreFixture::TakeLockAway() const {
  if (!postgres()) {
    ASSERT_TRUE(std::filesystem::remove(absl::StrCat(state_file_, ".locks/", id_, "%2Fdefault")));
    return;
  }
  absl::StatusOr<std::string> ended =
      server_->Sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND granted");
  ASSERT_TRUE(ended.ok()) << ended.status();
  ASSERT_EQ(*ended, "t");
}

int StoreFixture::LogSize() const {
  absl::StatusOr<std::unique_ptr<state::WholeStore>> store =
      postgres() ? state::OpenPostgres({server_->dsn(), "DSN", id_}, state::Access::kReadOnly)
                 : state::OpenSqlite(state_file_, state::Access::kReadOnly);
  EXPECT_TRUE(store.ok()) << store.status();
  if (!store.ok()) return -1;
  auto log = (*store)->History(id_ + "/default");
  EXPECT_TRUE(log.ok()) << log.status();
  return log.ok() ? static_cast<int>(log->size()) : -1;
}

}  // namespace st::e2e
