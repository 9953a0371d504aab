// A real PostgreSQL server of a test's own, and state stores in it. For tests that carry the tag e2e.
#ifndef ST_LIB_STATE_POSTGRES_BENCH_H_
#define ST_LIB_STATE_POSTGRES_BENCH_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lib/state/conformance.h"
#include "lib/state/postgres.h"

struct pg_conn;

namespace st::state {

// Where a server keeps its data. In memory it works with the same settings, and what it syncs costs nothing: for tests
// that do not ask what a power loss does.
enum class TestDisk { kReal, kMemory };

// Runs tools/dev/postgres, which must be among the test's data. Gone with the object.
class TestServer {
 public:
  // `configs`: KEY=VALUE.
  static absl::StatusOr<std::unique_ptr<TestServer>> Start(const std::vector<std::string>& configs = {},
                                                           TestDisk disk = TestDisk::kReal);
  // `postgres start --tls`: what is there then, tools/dev/postgres says.
  static absl::StatusOr<std::unique_ptr<TestServer>> StartWithTls();
  // Of a server that runs.
  static absl::StatusOr<std::unique_ptr<TestServer>> StartStandby(const TestServer& primary);
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  const std::string& dsn() const { return dsn_; }  // by its socket, without a password
  std::string folder() const;                      // of socket and data
  int port() const;
  // By 127.0.0.1, with the password, not encrypted.
  std::string TcpDsn(int port) const;
  absl::Status Restart();
  absl::Status Kill();
  // Runs statements as the superuser; the first column of the last one's rows, a line each.
  absl::StatusOr<std::string> Sql(const std::string& sql) const;

 private:
  TestServer() = default;
  static absl::StatusOr<std::unique_ptr<TestServer>> StartWith(std::vector<std::string> arguments);
  absl::Status Run(const std::vector<std::string>& arguments);

  std::string place_;
  std::string dsn_;
};

// A session of the superuser that is kept, for what is done many times. Must not outlive the server.
class TestSession {
 public:
  static absl::StatusOr<std::unique_ptr<TestSession>> Open(const TestServer& server);
  ~TestSession();
  TestSession(const TestSession&) = delete;
  TestSession& operator=(const TestSession&) = delete;

  // As TestServer::Sql.
  absl::StatusOr<std::string> Sql(const std::string& sql);

 private:
  explicit TestSession(pg_conn* connection) : connection_(connection) {}

  pg_conn* connection_;
};

// A schema of its own in `server`, which must outlive this.
class PostgresBench : public StoreBench {
 public:
  explicit PostgresBench(TestServer* server);
  ~PostgresBench() override;

  absl::StatusOr<std::unique_ptr<StateStore>> Open() override;
  absl::StatusOr<std::unique_ptr<StateStore>> OpenReadOnly() override;
  bool Exists() override;
  absl::Status StealLock(const std::string& address) override;
  absl::Status Tamper(const std::string& address, Tampering what) override;

  const std::string& schema() const { return schema_; }
  PostgresPlace place() const { return {server_->dsn(), "ST_TEST_DSN", schema_}; }
  // In the schema, with its triggers out of the way.
  absl::Status Edit(const std::string& sql);

 private:
  TestServer* server_;
  std::string schema_;
};

}  // namespace st::state

#endif  // ST_LIB_STATE_POSTGRES_BENCH_H_
