#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/execute/sim/test_place.h"
#include "lib/state/postgres_bench.h"

namespace st::sim {
namespace {

// Without DDL, as it is kept for every cell: the statements that put the rows back.
constexpr char kRows[] =
    "SELECT line FROM ("
    "SELECT 1, 0, 'INSERT INTO address SELECT * FROM json_populate_record(NULL::address, ' ||"
    " quote_literal(row_to_json(a)::text) || ');' FROM address a UNION ALL "
    "SELECT 2, sequence, 'INSERT INTO history SELECT * FROM json_populate_record(NULL::history, ' ||"
    " quote_literal(row_to_json(h)::text) || ');' FROM history h) AS rows (part, number, line) ORDER BY part, number";

class PostgresSchema : public StorePlace {
 public:
  explicit PostgresSchema(state::TestServer* server)
      : server_(server), bench_(std::make_unique<state::PostgresBench>(server)) {}

  absl::StatusOr<std::unique_ptr<state::StateStore>> Open() override { return bench_->Open(); }

  // Nobody may hold it: then there is nothing to steal.
  void StealLock(const std::string& address) override { (void)bench_->StealLock(address); }

  absl::StatusOr<std::string> Keep() override {
    absl::StatusOr<std::string> rows = server_->Sql(absl::StrCat("SET search_path = ", bench_->schema(), "; ", kRows));
    // A store without rows exists all the same.
    return rows.ok() ? absl::StatusOr<std::string>(absl::StrCat("SELECT 1;\n", *rows)) : rows;
  }

  absl::Status PutBack(const std::string& kept) override {
    if (kept.empty()) {
      bench_ = std::make_unique<state::PostgresBench>(server_);
      return absl::OkStatus();
    }
    return bench_->Edit(absl::StrCat("BEGIN; DELETE FROM history; DELETE FROM address; ", kept, "; COMMIT"));
  }

 private:
  state::TestServer* server_;
  std::unique_ptr<state::PostgresBench> bench_;
};

}  // namespace

std::unique_ptr<StorePlace> NewTestPlace() {
  // One for the process; it ends with it.
  static absl::StatusOr<std::unique_ptr<state::TestServer>> server = state::TestServer::Start();
  if (!server.ok()) {
    std::cerr << server.status() << "\n";
    return nullptr;
  }
  return std::make_unique<PostgresSchema>(server->get());
}

std::string_view TestTarget() { return "//lib/execute/sim:postgres_matrix_test"; }

}  // namespace st::sim
