#include <iostream>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/execute/sim/test_place.h"
#include "lib/state/postgres_bench.h"

namespace st::sim {
namespace {

// The statements that put the rows back.
constexpr char kRows[] =
    "SELECT line FROM ("
    "SELECT 1, 0, 'INSERT INTO address SELECT * FROM json_populate_record(NULL::address, ' ||"
    " quote_literal(row_to_json(a)::text) || ');' FROM address a UNION ALL "
    "SELECT 2, sequence, 'INSERT INTO history SELECT * FROM json_populate_record(NULL::history, ' ||"
    " quote_literal(row_to_json(h)::text) || ');' FROM history h) AS rows (part, number, line) ORDER BY part, number";

// As an administrator ends a session. The server's own way of waiting for that looks only ten times a second.
constexpr char kSteal[] = R"sql(DO $$
DECLARE until timestamptz = clock_timestamp() + interval '10 s';
BEGIN
  PERFORM pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted;
  WHILE EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory') AND clock_timestamp() < until LOOP
    PERFORM pg_sleep(0.0005);
  END LOOP;
END $$)sql";

// The schema is made once for a scenario; for each cell only rows are put back, by one session that stays.
class PostgresSchema : public StorePlace {
 public:
  explicit PostgresSchema(state::TestServer* server) : server_(server) {}

  absl::StatusOr<std::unique_ptr<state::StateStore>> Open() override {
    held_.reset();
    return bench_->Open();
  }

  // Nobody may hold it: then there is nothing to steal.
  void StealLock(const std::string&) override { (void)session_->Sql(kSteal); }

  absl::StatusOr<std::string> Keep() override {
    absl::StatusOr<std::string> rows = session_->Sql(kRows);
    if (!rows.ok()) return rows;
    // A store without rows exists all the same.
    held_ = absl::StrCat("SELECT 1;\n", *rows);
    return *held_;
  }

  absl::Status PutBack(const std::string& kept) override {
    if (kept.empty()) return MakeNew();
    if (held_ == kept) return absl::OkStatus();
    // Nothing else takes away what is deleted here.
    if (++put_back_ % kPutBackBeforeVacuum == 0) {
      if (auto swept = session_->Sql("VACUUM address, history"); !swept.ok()) return swept.status();
    }
    const std::string sql = absl::StrCat("BEGIN; DELETE FROM history; DELETE FROM address; ", kept, "; COMMIT");
    if (auto done = session_->Sql(sql); !done.ok()) return done.status();
    held_ = kept;
    return absl::OkStatus();
  }

 private:
  static constexpr int kPutBackBeforeVacuum = 200;

  absl::Status MakeNew() {
    held_.reset();
    session_.reset();
    bench_.reset();
    bench_ = std::make_unique<state::PostgresBench>(server_);
    auto session = state::TestSession::Open(*server_);
    if (!session.ok()) return session.status();
    session_ = *std::move(session);
    return session_
        ->Sql(absl::StrCat("SET session_replication_role = replica; SET search_path = ", bench_->schema(),
                           ", pg_catalog"))
        .status();
  }

  state::TestServer* server_;
  std::unique_ptr<state::PostgresBench> bench_;
  std::unique_ptr<state::TestSession> session_;
  std::optional<std::string> held_;  // what is stored, while nobody opened it since
  int put_back_ = 0;
};

}  // namespace

std::unique_ptr<StorePlace> NewTestPlace() {
  // One for the process; it ends with it. No fault here stops the server, so that its disk may be in memory; its
  // settings are those that the store demands.
  static absl::StatusOr<std::unique_ptr<state::TestServer>> server =
      state::TestServer::Start({}, state::TestDisk::kMemory);
  if (!server.ok()) {
    std::cerr << server.status() << "\n";
    return nullptr;
  }
  return std::make_unique<PostgresSchema>(server->get());
}

std::string_view TestTarget() { return "//lib/execute/sim:postgres_matrix_test"; }

}  // namespace st::sim
