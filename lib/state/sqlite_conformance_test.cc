#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/state/conformance.h"
#include "lib/state/sqlite.h"

namespace st::state {
namespace {

std::string NewFolder() {
  std::string name = testing::TempDir() + "/store-XXXXXX";
  return mkdtemp(name.data()) == nullptr ? "" : name;
}

class Raw {
 public:
  explicit Raw(const std::string& path) { (void)sqlite3_open(path.c_str(), &handle_); }
  ~Raw() { (void)sqlite3_close(handle_); }

  absl::Status Run(const std::string& sql) {
    if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(sql, ": ", sqlite3_errmsg(handle_)));
  }
  std::vector<std::string> Column(const std::string& sql) {
    std::vector<std::string> values;
    (void)sqlite3_exec(
        handle_, sql.c_str(),
        [](void* out, int, char** row, char**) {
          static_cast<std::vector<std::string>*>(out)->emplace_back(row[0]);
          return 0;
        },
        &values, nullptr);
    return values;
  }

 private:
  sqlite3* handle_ = nullptr;
};

std::string Edit(Tampering what) {
  switch (what) {
    case Tampering::kPayloadOfEntry2:
      return "UPDATE history SET payload = x'00' WHERE sequence = 2";
    case Tampering::kOperationOfEntry2:
      return "UPDATE history SET operation_id = 'op-9' WHERE sequence = 2";
    case Tampering::kTimeOfEntry2:
      return "UPDATE history SET at_ms = at_ms + 1 WHERE sequence = 2";
    case Tampering::kDropEntry2:
      return "DELETE FROM history WHERE sequence = 2";
    case Tampering::kDropLastEntry:
      return "DELETE FROM history WHERE sequence = 6";
    case Tampering::kSwapEntries2And3:
      return "UPDATE history SET sequence = 99 WHERE sequence = 2; UPDATE history SET sequence = 2 WHERE sequence = 3;"
             "UPDATE history SET sequence = 3 WHERE sequence = 99";
    case Tampering::kOwnership:
      return "UPDATE address SET ownership = x'00'";
    case Tampering::kSerial:
      return "UPDATE address SET serial = serial + 1";
    case Tampering::kOpenOperation:
      return "UPDATE address SET operation_id = 'op-2'";
  }
  return "";
}

class SqliteBench : public StoreBench {
 public:
  SqliteBench() : folder_(NewFolder()), path_(folder_ + "/sub/state.db") {}
  ~SqliteBench() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
    EXPECT_FALSE(error);
  }

  absl::StatusOr<std::unique_ptr<StateStore>> Open() override { return OpenSqlite(path_, Access::kReadWrite); }
  absl::StatusOr<std::unique_ptr<StateStore>> OpenReadOnly() override { return OpenSqlite(path_, Access::kReadOnly); }
  bool Exists() override { return std::filesystem::exists(folder_ + "/sub"); }

  absl::Status StealLock(const std::string& address) override {
    EXPECT_EQ(address, "shop/dev");
    return unlink((path_ + ".locks/shop%2Fdev").c_str()) == 0 ? absl::OkStatus() : absl::InternalError("no lock file");
  }

  // As somebody would who knows SQLite: the rules in the file are taken out and put back.
  absl::Status Tamper(const std::string&, Tampering what) override {
    Raw raw(path_);
    std::string sql = "BEGIN;";
    std::vector<std::string> triggers = raw.Column("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    std::vector<std::string> texts = raw.Column("SELECT sql FROM sqlite_schema WHERE type = 'trigger'");
    for (const std::string& name : triggers) absl::StrAppend(&sql, "DROP TRIGGER ", name, ";");
    absl::StrAppend(&sql, Edit(what), ";");
    for (const std::string& text : texts) absl::StrAppend(&sql, text, ";");
    EXPECT_FALSE(triggers.empty());
    return raw.Run(sql + "COMMIT");
  }

 private:
  std::string folder_;
  std::string path_;
};

INSTANTIATE_TEST_SUITE_P(Sqlite, StoreConformance,
                         testing::Values(StoreKind{"Sqlite", [] { return std::make_unique<SqliteBench>(); }}),
                         StoreKindName);

}  // namespace
}  // namespace st::state
