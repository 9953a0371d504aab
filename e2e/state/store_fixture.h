// A model on a broker (e2e/model_fixture.h) whose state rests in SQLite or in PostgreSQL.
#ifndef ST_E2E_STATE_STORE_FIXTURE_H_
#define ST_E2E_STATE_STORE_FIXTURE_H_

#include <string>

#include "e2e/model_fixture.h"
#include "lib/state/postgres_bench.h"

namespace st::e2e {

inline constexpr char kSqlite[] = "Sqlite";
inline constexpr char kPostgres[] = "Postgres";

// The parameter is the store's kind. One broker and one server for all tests of a suite.
class StoreFixture : public ModelFixture, public testing::WithParamInterface<std::string> {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();

  bool postgres() const { return GetParam() == kPostgres; }

  // Declare, and the state in the store: a schema named as the test's model, reached by TCP, with a password and
  // without encryption, or the default file.
  void DeclareWithStore();
  // The state in another file.
  void KeepStateInFile(const std::string& file);
  void ReachServerAt(int port);

  CommandResult State(const std::vector<std::string>& arguments) const;

  // The lock that a killed tool had is free when its server process has noticed.
  void AwaitUnlocked() const;
  // Takes the address's lock from whoever has it: ends his session, or removes the lock's file.
  void TakeLockAway() const;
  // Entries in the address's log.
  int LogSize() const;

  static state::TestServer* server_;
  std::string state_file_;  // of SQLite
};

}  // namespace st::e2e

#endif  // ST_E2E_STATE_STORE_FIXTURE_H_
