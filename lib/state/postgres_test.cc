// The PostgreSQL store on a real server: the suite of all stores, and what only a server can do to it.
#include "lib/state/postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/clock.h"
#include "lib/state/conformance.h"
#include "lib/state/postgres_bench.h"

namespace st::state {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kAddress[] = "shop/dev";

// One server for all tests of this program.
class ServerOfAll : public testing::Environment {
 public:
  void SetUp() override {
    absl::StatusOr<std::unique_ptr<TestServer>> started = TestServer::Start();
    ASSERT_THAT(started, IsOk());
    server_ = *std::move(started);
  }
  void TearDown() override { server_.reset(); }
  TestServer* server() { return server_.get(); }

 private:
  std::unique_ptr<TestServer> server_;
};
ServerOfAll* const kServer = static_cast<ServerOfAll*>(testing::AddGlobalTestEnvironment(new ServerOfAll));

INSTANTIATE_TEST_SUITE_P(Postgres, StoreConformance,
                         testing::Values(StoreKind{"Postgres",
                                                   [] { return std::make_unique<PostgresBench>(kServer->server()); }}),
                         StoreKindName);

class PostgresTest : public testing::Test {
 protected:
  PostgresTest() : server_(kServer->server()), bench_(server_) {}

  std::unique_ptr<StateStore> Store() {
    absl::StatusOr<std::unique_ptr<StateStore>> store = bench_.Open();
    EXPECT_THAT(store, IsOk());
    return store.ok() ? *std::move(store) : nullptr;
  }
  // Until it counts one.
  void Await(const std::string& sql) const {
    const int64_t deadline = base::RealClock().MonotonicMs() + 10'000;
    while (server_->Sql(sql).value() != "1") {
      ASSERT_LT(base::RealClock().MonotonicMs(), deadline) << sql;
      base::RealClock().SleepMs(5);
    }
  }
  absl::Status Opened(const PostgresPlace& place, Access access) { return OpenPostgres(place, access).status(); }

  TestServer* server_;
  PostgresBench bench_;
};

TEST_F(PostgresTest, SaysWhoHoldsTheLockSinceWhen) {
  std::unique_ptr<StateStore> a = Store();
  std::unique_ptr<Lease> lease = *a->Acquire(kAddress);
  absl::StatusOr<std::unique_ptr<WholeStore>> b = OpenPostgres(bench_.place(), Access::kReadWrite);
  ASSERT_THAT(b, IsOk());
  const auto holder = AllOf(HasSubstr(absl::StrCat("process ", getpid(), " of ")), HasSubstr(" since 2"));
  EXPECT_THAT((*b)->Acquire(kAddress), StatusIs(absl::StatusCode::kAborted, holder));
  ASSERT_EQ((*b)->Addresses()->size(), 1);
  EXPECT_THAT((*b)->Addresses()->at(0).holder, holder);
  lease.reset();
  EXPECT_EQ((*b)->Addresses()->at(0).holder, "");
}

TEST_F(PostgresTest, ARestartOfTheServerLosesTheLockAndNothingElse) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  ASSERT_THAT(store->Begin(*lease, 0, "op-1", "i"), IsOk());
  ASSERT_THAT(server_->Restart(), IsOk());
  EXPECT_THAT(lease->Check(), StatusIs(absl::StatusCode::kAborted, HasSubstr("lock was lost")));
  EXPECT_THAT(store->Append(*lease, 1, {Frame::Kind::kCheckpoint, "a"}), StatusIs(absl::StatusCode::kAborted));
  std::unique_ptr<StateStore> other = Store();
  EXPECT_EQ(other->Read(kAddress)->revision, 1);
  EXPECT_EQ(store->Read(kAddress)->revision, 1) << "a reader's session is made anew";
}

TEST_F(PostgresTest, AServerThatIsAwayCannotBeAsked) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  ASSERT_THAT(server_->Kill(), IsOk());
  EXPECT_THAT(lease->Check(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store->Begin(*lease, 0, "op-1", "i"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store->Read(kAddress), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Opened(bench_.place(), Access::kReadOnly), StatusIs(absl::StatusCode::kUnavailable));
  ASSERT_THAT(server_->Restart(), IsOk());
}

// The session ends in the middle of a transaction, by the server, before COMMIT is sent.
TEST_F(PostgresTest, ASessionThatIsEndedInTheMiddleOfAWriteLeavesNothing) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  ASSERT_THAT(store->Begin(*lease, 0, "op-1", "i"), IsOk());
  // The write waits for this table, so that its end comes when its transaction is open.
  std::thread killer([&] {
    EXPECT_THAT(server_->Sql(absl::StrCat("BEGIN; LOCK TABLE ", bench_.schema(), ".history IN SHARE MODE;",
                                          "DO $$ BEGIN FOR i IN 1..1000 LOOP EXIT WHEN (SELECT count(*) FROM pg_locks "
                                          "WHERE NOT granted) > 0; PERFORM pg_sleep(0.01); END LOOP; END $$;",
                                          "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE NOT granted; "
                                          "COMMIT")),
                IsOk());
  });
  Await("SELECT count(*) FROM pg_locks WHERE mode = 'ShareLock' AND granted AND relation IS NOT NULL");
  EXPECT_THAT(store->Append(*lease, 1, {Frame::Kind::kCheckpoint, "a"}), StatusIs(absl::StatusCode::kAborted));
  killer.join();
  EXPECT_EQ(Store()->Read(kAddress)->revision, 1);
}

// Another session keeps the write waiting in its transaction; the restart ends both.
TEST_F(PostgresTest, ARestartInTheMiddleOfAWriteIsAnsweredAsItEnded) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  ASSERT_THAT(store->Begin(*lease, 0, "op-1", "i"), IsOk());
  std::thread holder([&] {
    EXPECT_THAT(server_->Sql(absl::StrCat("BEGIN; LOCK TABLE ", bench_.schema(), ".history; SELECT pg_sleep(60)")),
                Not(IsOk()));
  });
  Await("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
  absl::StatusOr<uint64_t> answer = 0;
  std::thread writer([&] { answer = store->Append(*lease, 1, {Frame::Kind::kCheckpoint, "a"}); });
  Await("SELECT count(*) FROM pg_locks WHERE NOT granted");
  ASSERT_THAT(server_->Restart(), IsOk());
  writer.join();
  holder.join();
  // The restart may have ended the other session first, and then the write went through. Whatever was answered is true.
  if (!answer.ok()) {
    EXPECT_THAT(answer, testing::AnyOf(StatusIs(absl::StatusCode::kAborted), StatusIs(absl::StatusCode::kUnavailable)));
  }
  EXPECT_EQ(Store()->Read(kAddress)->revision, answer.value_or(1));
}

TEST_F(PostgresTest, ASlowLockIsNotWaitedForForEver) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  absl::StatusOr<std::string> holder = std::string();
  std::thread other([&] {
    holder = server_->Sql(absl::StrCat("BEGIN; LOCK TABLE ", bench_.schema(), ".address; SELECT pg_sleep(7); COMMIT"));
  });
  Await("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
  EXPECT_THAT(store->Begin(*lease, 0, "op-1", "i"),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("another process is using it")));
  other.join();
  EXPECT_THAT(holder, IsOk());
  EXPECT_THAT(store->Begin(*lease, 0, "op-1", "i"), IsOkAndHolds(1)) << "the lock was not lost by that";
}

TEST_F(PostgresTest, AWriteNeedsACommitThatStays) {
  const PostgresPlace usual = bench_.place();
  ASSERT_NE(Store(), nullptr);
  for (const std::string accepted : {"on", "local", "remote_write", "remote_apply"}) {
    PostgresPlace place = usual;
    place.dsn += absl::StrCat(" options='-c synchronous_commit=", accepted, "'");
    EXPECT_THAT(Opened(place, Access::kReadWrite), IsOk()) << accepted;
  }
  PostgresPlace place = usual;
  place.dsn += " options='-c synchronous_commit=off'";
  EXPECT_THAT(Opened(place, Access::kReadWrite),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("synchronous_commit is off")));
  EXPECT_THAT(Opened(place, Access::kReadOnly), IsOk()) << "who only reads loses nothing";
  for (const std::string setting : {"fsync", "full_page_writes"}) {
    ASSERT_THAT(server_->Sql(absl::StrCat("ALTER SYSTEM SET ", setting, " = off")), IsOk());
    ASSERT_THAT(server_->Restart(), IsOk());
    EXPECT_THAT(Opened(usual, Access::kReadWrite),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(setting + " is off")));
    ASSERT_THAT(server_->Sql(absl::StrCat("ALTER SYSTEM SET ", setting, " = on")), IsOk());
    ASSERT_THAT(server_->Restart(), IsOk());
  }
}

TEST_F(PostgresTest, EncryptionIsTheDefaultOffTheMachine) {
  PostgresPlace place = bench_.place();
  const std::string plain = server_->TcpDsn(server_->port());
  ASSERT_NE(Store(), nullptr);
  place.dsn = plain;
  EXPECT_THAT(Opened(place, Access::kReadOnly), IsOk()) << "switched off by name";
  // This server has no certificate.
  for (const std::string mode : {"", "?sslmode=require", "?sslmode=verify-ca", "?sslmode=verify-full"}) {
    place.dsn = absl::StrReplaceAll(plain, {{"?sslmode=disable", mode}});
    const absl::Status status = Opened(place, Access::kReadOnly);
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition)) << mode;
    EXPECT_THAT(status.message(), Not(HasSubstr("secret-of-tester")));
  }
}

TEST_F(PostgresTest, AWrongPasswordIsRefusedAndNotQuoted) {
  PostgresPlace place = bench_.place();
  place.dsn = absl::StrReplaceAll(server_->TcpDsn(server_->port()), {{"secret-of-tester", "canary-8c1e"}});
  const absl::Status status = Opened(place, Access::kReadOnly);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("ST_TEST_DSN")));
  EXPECT_THAT(status.message(), Not(HasSubstr("canary")));
}

TEST_F(PostgresTest, AReaderNeedsRightsToReadAlone) {
  ASSERT_THAT(RunOperation(Store().get(), kAddress, "op-1", "mine"), IsOk());
  ASSERT_THAT(server_->Sql("CREATE ROLE reader LOGIN"), IsOk());
  PostgresPlace place = bench_.place();
  place.dsn = absl::StrReplaceAll(place.dsn, {{"user=tester", "user=reader"}});
  EXPECT_THAT(Opened(place, Access::kReadOnly),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("a right is missing")));
  ASSERT_THAT(server_->Sql(absl::StrReplaceAll("GRANT USAGE ON SCHEMA $S TO reader; "
                                               "GRANT SELECT ON ALL TABLES IN SCHEMA $S TO reader",
                                               {{"$S", bench_.schema()}})),
              IsOk());
  absl::StatusOr<std::unique_ptr<WholeStore>> reader = OpenPostgres(place, Access::kReadOnly);
  ASSERT_THAT(reader, IsOk());
  EXPECT_EQ((*reader)->Read(kAddress)->ownership, "mine");
  EXPECT_EQ((*reader)->History(kAddress)->size(), 3);
  EXPECT_EQ((*reader)->Addresses()->size(), 1);
  absl::StatusOr<std::unique_ptr<WholeStore>> writer = OpenPostgres(place, Access::kReadWrite);
  ASSERT_THAT(writer, IsOk());
  EXPECT_THAT((*writer)->Acquire(kAddress), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_THAT(server_->Sql("DROP OWNED BY reader; DROP ROLE reader"), IsOk());
}

TEST_F(PostgresTest, SchemasThatAreNoStores) {
  ASSERT_THAT(server_->Sql(absl::StrCat("CREATE SCHEMA ", bench_.schema())), IsOk());
  EXPECT_THAT(Opened(bench_.place(), Access::kReadWrite), IsOk()) << "an empty one may be there";
  EXPECT_THAT(bench_.Edit("UPDATE store SET version = 2"), IsOk());
  for (const Access access : {Access::kReadOnly, Access::kReadWrite}) {
    EXPECT_THAT(Opened(bench_.place(), access),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("newer version")));
  }
  EXPECT_THAT(bench_.Edit("UPDATE store SET version = 0"), IsOk());
  EXPECT_THAT(Opened(bench_.place(), Access::kReadOnly), StatusIs(absl::StatusCode::kDataLoss));
  for (const std::string change :
       {"DROP TRIGGER history_grows ON history", "ALTER TABLE history DISABLE TRIGGER history_in_order",
        "ALTER TABLE address DROP COLUMN chain", "ALTER TABLE address ADD COLUMN more text", "DROP TABLE history",
        "DROP INDEX history_operation", "CREATE TABLE more (x text)", "DELETE FROM store"}) {
    PostgresBench bench(server_);
    ASSERT_THAT(bench.Open(), IsOk());
    ASSERT_THAT(bench.Edit(change), IsOk());
    for (const Access access : {Access::kReadOnly, Access::kReadWrite}) {
      EXPECT_THAT(Opened(bench.place(), access), StatusIs(absl::StatusCode::kDataLoss)) << change;
    }
  }
  PostgresBench foreign(server_);
  ASSERT_THAT(server_->Sql(
                  absl::StrReplaceAll("CREATE SCHEMA $S; CREATE TABLE $S.orders (x text)", {{"$S", foreign.schema()}})),
              IsOk());
  EXPECT_THAT(Opened(foreign.place(), Access::kReadWrite),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("something else")));
}

TEST_F(PostgresTest, ManyMakeOneStoreAtOnce) {
  std::vector<std::string> ids(6);
  std::vector<std::thread> makers;
  makers.reserve(ids.size());
  for (std::string& id : ids) makers.emplace_back([&] { id = Store()->Read(kAddress)->store_id; });
  for (std::thread& maker : makers) maker.join();
  EXPECT_NE(ids[0], "");
  EXPECT_EQ(ids, std::vector<std::string>(ids.size(), ids[0]));
}

TEST_F(PostgresTest, AStandbyIsReadAndNotWritten) {
  ASSERT_THAT(RunOperation(Store().get(), kAddress, "op-1", "mine"), IsOk());
  absl::StatusOr<std::unique_ptr<TestServer>> standby = TestServer::StartStandby(*server_);
  ASSERT_THAT(standby, IsOk());
  PostgresPlace place = bench_.place();
  place.dsn = (*standby)->dsn();
  EXPECT_EQ((*OpenPostgres(place, Access::kReadOnly))->Read(kAddress)->ownership, "mine");
  EXPECT_THAT(Opened(place, Access::kReadWrite), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("standby")));
}

// With the rules in the schema out of the way; every field of every row that the chain or the head vouches for.
TEST_F(PostgresTest, AnyFieldThatWasChangedIsSeen) {
  const std::vector<std::string> changes = {"UPDATE history SET sequence = sequence + 10 WHERE sequence = N",
                                            "UPDATE history SET at_ms = at_ms + 1 WHERE sequence = N",
                                            "UPDATE history SET kind = CASE kind WHEN 'checkpoint' THEN "
                                            "'authorization' ELSE 'checkpoint' END WHERE sequence = N",
                                            "UPDATE history SET operation_id = operation_id || 'x' WHERE sequence = N",
                                            "UPDATE history SET payload = payload || '\\x00' WHERE sequence = N",
                                            "UPDATE history SET payload = '' WHERE sequence = N",
                                            "UPDATE history SET serial = serial + 1 WHERE sequence = N",
                                            "UPDATE history SET ownership_sha256 = repeat('0', 64) WHERE sequence = N",
                                            "UPDATE history SET chain = repeat('0', 64) WHERE sequence = N",
                                            "DELETE FROM history WHERE sequence = N",
                                            "UPDATE history SET address = 'shop/other' WHERE sequence = N"};
  std::vector<std::string> all = {"UPDATE address SET revision = revision + 1",
                                  "UPDATE address SET revision = revision - 1",
                                  "UPDATE address SET chain = repeat('0', 64)",
                                  "UPDATE address SET serial = serial + 1",
                                  "UPDATE address SET ownership = ownership || '\\x00'",
                                  "UPDATE address SET ownership = ''",
                                  "UPDATE address SET operation_id = NULL",
                                  "UPDATE address SET operation_id = 'op-1'",
                                  "UPDATE address SET address = 'shop/other'",
                                  "DELETE FROM address",
                                  "UPDATE store SET store_id = 'another'"};
  for (int entry = 1; entry <= 5; ++entry) {
    for (const std::string& change : changes) {
      all.push_back(absl::StrReplaceAll(change, {{"= N", absl::StrCat("= ", entry)}}));
    }
  }
  std::unique_ptr<StateStore> store = Store();
  ASSERT_THAT(RunOperation(store.get(), kAddress, "op-1", "mine"), IsOk());
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  ASSERT_THAT(store->Begin(*lease, 3, "op-2", "i"), IsOk());
  ASSERT_THAT(store->Append(*lease, 4, {Frame::Kind::kCheckpoint, "c"}), IsOk());
  lease.reset();
  const std::string keep = absl::StrReplaceAll(
      "CREATE SCHEMA keep; CREATE TABLE keep.a AS TABLE $S.address; CREATE TABLE keep.h AS TABLE "
      "$S.history; CREATE TABLE keep.s AS TABLE $S.store",
      {{"$S", bench_.schema()}});
  ASSERT_THAT(server_->Sql(keep), IsOk());
  absl::StatusOr<std::unique_ptr<WholeStore>> reader = OpenPostgres(bench_.place(), Access::kReadOnly);
  ASSERT_THAT(reader, IsOk());
  int refused = 0;
  for (const std::string& change : all) {
    ASSERT_THAT(bench_.Edit(change), IsOk()) << change;
    // What is verified is all that the store lists; an entry that names no head must be seen, too.
    absl::Status verdict = absl::OkStatus();
    const std::vector<AddressSummary> listed = *(*reader)->Addresses();
    for (const AddressSummary& summary : listed) {
      if (verdict.ok()) verdict = (*reader)->History(summary.address).status();
    }
    EXPECT_THAT(verdict, StatusIs(absl::StatusCode::kDataLoss)) << change;
    refused += absl::IsDataLoss(verdict) ? 1 : 0;
    ASSERT_THAT(
        bench_.Edit("DELETE FROM history; DELETE FROM address; DELETE FROM store; INSERT INTO store SELECT * FROM "
                    "keep.s; INSERT INTO address SELECT * FROM keep.a; INSERT INTO history SELECT * FROM keep.h"),
        IsOk());
  }
  EXPECT_THAT((*reader)->History(kAddress), IsOk());
  EXPECT_EQ(refused, 66);
  ASSERT_THAT(server_->Sql("DROP SCHEMA keep CASCADE"), IsOk());
}

}  // namespace
}  // namespace st::state
