// Each field of each row of a SQLite store, changed behind its back by somebody who knows SQLite: refused, never a
// guess. The same on PostgreSQL: postgres_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <stdlib.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/fs/file.h"
#include "lib/state/conformance.h"
#include "lib/state/sqlite.h"

namespace st::state {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;

constexpr char kAddress[] = "shop/dev";

class SqliteAttackTest : public testing::Test {
 protected:
  SqliteAttackTest() {
    path_ = testing::TempDir() + "/attack-XXXXXX";
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
    path_ += "/state.db";
    std::unique_ptr<WholeStore> store = *OpenSqlite(path_, Access::kReadWrite);
    EXPECT_THAT(RunOperation(store.get(), kAddress, "op-1", "mine"), IsOk());
    std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
    EXPECT_THAT(store->Begin(*lease, 3, "op-2", "i"), IsOk());
    EXPECT_THAT(store->Append(*lease, 4, {Frame::Kind::kCheckpoint, "c"}), IsOk());
    original_ = *fs::ReadFile(path_, 1 << 20);
  }

  // The rules in the file are taken out and put back. Then the verdict on all that the store lists.
  absl::Status VerdictAfter(const std::string& change) {
    EXPECT_THAT(fs::WriteFileAtomically(path_, original_, 0600, fs::Existing::kReplace), IsOk());
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &handle), SQLITE_OK);
    std::vector<std::string> rules = Column(handle, "SELECT sql FROM sqlite_schema WHERE type = 'trigger'");
    std::string sql = "BEGIN;";
    for (const std::string& name : Column(handle, "SELECT name FROM sqlite_schema WHERE type = 'trigger'")) {
      absl::StrAppend(&sql, "DROP TRIGGER ", name, ";");
    }
    absl::StrAppend(&sql, change, ";");
    for (const std::string& rule : rules) absl::StrAppend(&sql, rule, ";");
    EXPECT_EQ(sqlite3_exec(handle, (sql + "COMMIT").c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << change << ": " << sqlite3_errmsg(handle);
    EXPECT_GT(sqlite3_total_changes(handle), 0) << change;
    EXPECT_EQ(sqlite3_close(handle), SQLITE_OK);

    absl::StatusOr<std::unique_ptr<WholeStore>> store = OpenSqlite(path_, Access::kReadOnly);
    if (!store.ok()) return store.status();
    absl::StatusOr<std::vector<AddressSummary>> listed = (*store)->Addresses();
    if (!listed.ok()) return listed.status();
    for (const AddressSummary& summary : *listed) {
      if (absl::Status status = (*store)->History(summary.address).status(); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  static std::vector<std::string> Column(sqlite3* handle, const std::string& sql) {
    std::vector<std::string> values;
    (void)sqlite3_exec(
        handle, sql.c_str(),
        [](void* out, int, char** row, char**) {
          static_cast<std::vector<std::string>*>(out)->emplace_back(row[0]);
          return 0;
        },
        &values, nullptr);
    return values;
  }

  std::string path_;
  std::string original_;
};

TEST_F(SqliteAttackTest, AnyFieldThatWasChangedIsSeen) {
  std::vector<std::string> changes = {"UPDATE address SET revision = revision + 1",
                                      "UPDATE address SET revision = revision - 1",
                                      "UPDATE address SET chain = replace(chain, substr(chain, 1, 1), 'x')",
                                      "UPDATE address SET serial = serial + 1",
                                      "UPDATE address SET ownership = x'00'",
                                      "UPDATE address SET ownership = x''",
                                      "UPDATE address SET operation_id = NULL",
                                      "UPDATE address SET operation_id = 'op-1'",
                                      "UPDATE address SET address = 'shop/other'",
                                      "DELETE FROM address",
                                      "UPDATE store SET store_id = 'another'",
                                      "DELETE FROM store"};
  for (int entry = 1; entry <= 5; ++entry) {
    for (const char* change :
         {"UPDATE history SET sequence = sequence + 10 WHERE sequence = N",
          "UPDATE history SET at_ms = at_ms + 1 WHERE sequence = N",
          "UPDATE history SET kind = CASE kind WHEN 'checkpoint' THEN 'authorization' ELSE 'checkpoint' END WHERE "
          "sequence = N",
          "UPDATE history SET operation_id = operation_id || 'x' WHERE sequence = N",
          "UPDATE history SET payload = CAST(payload || x'00' AS BLOB) WHERE sequence = N",
          "UPDATE history SET payload = x'' WHERE sequence = N",
          "UPDATE history SET serial = serial + 1 WHERE sequence = N",
          "UPDATE history SET ownership_sha256 = '0' WHERE sequence = N",
          "UPDATE history SET chain = '0' WHERE sequence = N", "DELETE FROM history WHERE sequence = N",
          "UPDATE history SET address = 'shop/other' WHERE sequence = N"}) {
      changes.push_back(absl::StrReplaceAll(change, {{"= N", absl::StrCat("= ", entry)}}));
    }
  }
  EXPECT_EQ(changes.size(), 67);
  for (const std::string& change : changes) {
    EXPECT_THAT(VerdictAfter(change), StatusIs(absl::StatusCode::kDataLoss)) << change;
  }
  // What nothing vouches for, as it decides nothing: when the store was made, and a lock's count.
  EXPECT_THAT(VerdictAfter("UPDATE store SET created_at_ms = 1"), IsOk());
  EXPECT_THAT(VerdictAfter("UPDATE address SET lock_epoch = 99"), IsOk());
}

}  // namespace
}  // namespace st::state
