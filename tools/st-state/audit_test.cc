// What st-state reads and copies, on stores in files. The same on PostgreSQL: e2e/state.
#include "tools/st-state/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/digest.h"
#include "lib/state/sqlite.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/state.pb.h"
#include "schemas/st/v1/store.pb.h"
#include "tools/st-state/copy.h"

namespace st::state_tool {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

class AuditTest : public testing::Test {
 protected:
  AuditTest() {
    folder_ = testing::TempDir() + "/audit-XXXXXX";
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  std::unique_ptr<state::WholeStore> Open(const std::string& name,
                                          state::Access access = state::Access::kReadWrite) const {
    auto store = state::OpenSqlite(absl::StrCat(folder_, "/", name), access);
    EXPECT_THAT(store, IsOk());
    return *std::move(store);
  }
  static v1::OwnedResources Owning(const std::string& resource) {
    v1::OwnedResources owned;
    owned.add_resources()->set_resource(resource);
    return owned;
  }
  // One operation as lib/execute writes it; open at its end when `finish` is false.
  static void Operate(state::WholeStore& store, const std::string& address, const std::string& id, bool finish = true) {
    auto lease = *store.Acquire(address);
    const state::Snapshot before = *store.Read(address);
    v1::Intent intent;
    intent.set_operation_id(id);
    intent.set_by("me@here");
    auto revision = store.Begin(*lease, before.revision, id, base::DeterministicBytes(intent));
    ASSERT_THAT(revision, IsOk());
    v1::Checkpoint checkpoint;
    checkpoint.set_name(v1::Checkpoint::STARTED);
    revision = store.Append(*lease, *revision, {state::Frame::Kind::kCheckpoint, base::DeterministicBytes(checkpoint)});
    ASSERT_THAT(revision, IsOk());
    if (!finish) return;
    const std::string owned = base::DeterministicBytes(Owning(id));
    v1::Receipt receipt;
    receipt.set_operation_id(id);
    receipt.set_serial_before(before.serial);
    receipt.set_serial_after(before.serial + 1);
    receipt.set_ownership_checksum(base::Sha256Hex(owned));
    ASSERT_THAT(store.Complete(*lease, *revision, owned, base::DeterministicBytes(receipt)), IsOk());
  }
  void Sql(const std::string& name, const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(sqlite3_open(absl::StrCat(folder_, "/", name).c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(handle);
    EXPECT_EQ(sqlite3_close(handle), SQLITE_OK);
  }
  static Copying From(state::WholeStore& from, state::WholeStore& to) {
    Copying copying;
    copying.from = &from;
    copying.to = &to;
    copying.clock = &base::RealClock();
    copying.by = "me@here";
    return copying;
  }

  std::string folder_;
};

TEST_F(AuditTest, AMissingStoreIsShownAndNotMade) {
  auto store = Open("a.db", state::Access::kReadOnly);
  absl::StatusOr<v1::StoreOverview> overview = Show(*store);
  ASSERT_THAT(overview, IsOk());
  EXPECT_EQ(overview->addresses_size(), 0);
  EXPECT_THAT(Summary(*overview), HasSubstr("there is no state store yet"));
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/a.db"));
}

TEST_F(AuditTest, ShowsWhatIsOpenAndWhoHoldsTheLock) {
  auto store = Open("a.db");
  Operate(*store, "shop/dev", "op-1");
  Operate(*store, "shop/prod", "op-2", /*finish=*/false);
  auto lease = *store->Acquire("shop/dev");
  absl::StatusOr<v1::StoreOverview> overview = Show(*store);
  ASSERT_THAT(overview, IsOk());
  ASSERT_EQ(overview->addresses_size(), 2);
  EXPECT_EQ(overview->addresses(0).address(), "shop/dev");
  EXPECT_EQ(overview->addresses(0).serial(), 1);
  EXPECT_THAT(overview->addresses(0).lock_holder(), HasSubstr(absl::StrCat("process ", getpid())));
  EXPECT_EQ(overview->addresses(1).operation_id(), "op-2");
  EXPECT_EQ(overview->addresses(1).lock_holder(), "");
  const std::string summary = Summary(*overview);
  EXPECT_THAT(summary, HasSubstr("operation op-2 is open, begun "));
  EXPECT_THAT(summary, HasSubstr("by me@here"));
  EXPECT_THAT(summary, HasSubstr("locked by process"));
}

TEST_F(AuditTest, HistoryTellsEachEntry) {
  auto store = Open("a.db");
  Operate(*store, "shop/dev", "op-1");
  absl::StatusOr<v1::StoreHistory> history = History(*store, "shop/dev");
  ASSERT_THAT(history, IsOk());
  ASSERT_EQ(history->entries_size(), 3);
  EXPECT_EQ(history->entries(0).begin().by(), "me@here");
  EXPECT_EQ(history->entries(1).checkpoint().name(), v1::Checkpoint::STARTED);
  EXPECT_EQ(history->entries(2).complete().serial_after(), 1);
  EXPECT_EQ(history->entries(2).chain().size(), 64);
  EXPECT_THAT(Summary(*history), HasSubstr("CARRIED_OUT, serial 0 to 1"));
}

TEST_F(AuditTest, VerifyFindsADocumentThatContradictsItsEntry) {
  auto store = Open("a.db");
  Operate(*store, "shop/dev", "op-1");
  absl::StatusOr<v1::StoreOverview> overview = Verify(*store);
  ASSERT_THAT(overview, IsOk());
  EXPECT_FALSE(Damaged(*overview)) << overview->DebugString();
  EXPECT_EQ(overview->addresses(0).verified(), 3);
  // Well chained, and still not what an operation leaves.
  auto lease = *store->Acquire("shop/dev");
  v1::Intent intent;
  intent.set_operation_id("another");
  ASSERT_THAT(store->Begin(*lease, 3, "op-2", base::DeterministicBytes(intent)), IsOk());
  overview = Verify(*store);
  ASSERT_THAT(overview, IsOk());
  EXPECT_THAT(overview->addresses(0).damage(), HasSubstr("entry 4 of the log holds an intent of another operation"));
  ASSERT_THAT(store->Append(*lease, 4, {state::Frame::Kind::kCheckpoint, "\xff\xff"}), IsOk());
  EXPECT_THAT(History(*store, "shop/dev"), StatusIs(absl::StatusCode::kDataLoss));
}

TEST_F(AuditTest, VerifyGoesOnAfterADamagedAddress) {
  auto store = Open("a.db");
  Operate(*store, "shop/dev", "op-1");
  Operate(*store, "shop/prod", "op-2");
  Sql("a.db",
      "DROP TRIGGER history_no_update; UPDATE history SET at_ms = 1 WHERE address = 'shop/dev' AND sequence = 2;"
      "CREATE TRIGGER history_no_update BEFORE UPDATE ON history BEGIN\n"
      "  SELECT RAISE (ABORT, 'history only grows');\nEND;");
  absl::StatusOr<v1::StoreOverview> overview = Verify(*Open("a.db", state::Access::kReadOnly));
  ASSERT_THAT(overview, IsOk());
  EXPECT_THAT(overview->addresses(0).damage(), HasSubstr("entry 2 of the log was changed"));
  EXPECT_EQ(overview->addresses(1).damage(), "");
  EXPECT_TRUE(Damaged(*overview));
}

TEST_F(AuditTest, CopyBringsEverythingAndClosesTheSource) {
  auto from = Open("a.db");
  auto to = Open("b.db");
  Operate(*from, "shop/dev", "op-1");
  Operate(*from, "shop/prod", "op-2");
  absl::StatusOr<v1::StoreOverview> copied = Copy(From(*from, *to), "");
  ASSERT_THAT(copied, IsOk());
  EXPECT_EQ(copied->addresses_size(), 2);
  for (const std::string address : {"shop/dev", "shop/prod"}) {
    const state::Snapshot there = *to->Read(address);
    EXPECT_EQ(there.serial, 1);
    EXPECT_EQ(there.operation_id, "");
    EXPECT_EQ(there.ownership, from->Read(address)->ownership);
    EXPECT_EQ(to->History(address)->size(), 3);
    EXPECT_NE(there.store_id, from->Read(address)->store_id);
    // Nothing may be written there any more.
    EXPECT_NE(from->Read(address)->operation_id, "");
  }
  EXPECT_FALSE(Damaged(*Verify(*to)));
  EXPECT_FALSE(Damaged(*Verify(*from)));
  EXPECT_THAT(Summary(*Show(*from)), HasSubstr("copied to " + to->Read("shop/dev")->location));
  // Once more changes nothing, also after the destination went on.
  Operate(*to, "shop/dev", "op-3");
  copied = Copy(From(*from, *to), "");
  ASSERT_THAT(copied, IsOk());
  EXPECT_EQ(copied->addresses(0).outcome(), "was copied before");
  EXPECT_EQ(to->History("shop/dev")->size(), 6);
  auto third = Open("c.db");
  EXPECT_THAT(Copy(From(*from, *third), "shop/dev"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("OPERATION_PENDING")));
}

TEST_F(AuditTest, CopyIsRefusedWhereItWouldLoseSomething) {
  auto from = Open("a.db");
  auto to = Open("b.db");
  Operate(*from, "shop/dev", "op-1", /*finish=*/false);
  EXPECT_THAT(Copy(From(*from, *to), ""),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("OPERATION_PENDING")));
  EXPECT_EQ(to->Read("shop/dev")->revision, 0);
  Operate(*from, "shop/prod", "op-2");
  Operate(*to, "shop/prod", "op-3");
  EXPECT_THAT(Copy(From(*from, *to), "shop/prod"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("DESTINATION_NOT_EMPTY")));
  EXPECT_EQ(from->Read("shop/prod")->operation_id, "") << "nothing was changed";
  auto held = *to->Acquire("shop/test");
  Operate(*from, "shop/test", "op-4");
  EXPECT_THAT(Copy(From(*from, *to), "shop/test"), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(from->Read("shop/test")->operation_id, "");
}

TEST_F(AuditTest, ANameThatIsNotThereIsNoCopy) {
  auto from = Open("a.db");
  auto to = Open("b.db");
  Operate(*from, "shop/dev", "op-1");
  EXPECT_THAT(Copy(From(*from, *to), "shop/dve"),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("NOTHING_TO_COPY: shop/dve")));
  EXPECT_EQ(from->Read("shop/dve")->revision, 0);
  EXPECT_EQ(to->Read("shop/dve")->revision, 0);
  // A whole store without addresses is one that is copied.
  auto empty = Open("c.db");
  EXPECT_THAT(Copy(From(*empty, *to), ""), IsOk());
}

TEST_F(AuditTest, ACopyThatWasCutOffIsCarriedOn) {
  auto from = Open("a.db");
  Operate(*from, "shop/dev", "op-1");
  for (const std::string boundary : {"mark", "import"}) {
    auto to = Open("b.db");
    Copying copying = From(*from, *to);
    copying.boundary = [&](std::string_view name) {
      if (name == boundary) throw std::runtime_error("cut off");
    };
    EXPECT_THROW((void)Copy(copying, ""), std::runtime_error);
    EXPECT_EQ(to->Read("shop/dev")->revision, 0);
    EXPECT_EQ(from->Read("shop/dev")->operation_id.empty(), boundary == "mark");
  }
  auto to = Open("b.db");
  ASSERT_THAT(Copy(From(*from, *to), ""), IsOk());
  EXPECT_EQ(to->Read("shop/dev")->serial, 1);
  EXPECT_EQ(to->History("shop/dev")->size(), 3) << "without the mark";
}

}  // namespace
}  // namespace st::state_tool
