#include "lib/state/postgres_bench.h"

#include <libpq-fe.h>
#include <stdlib.h>

#include <atomic>
#include <cstdio>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace st::state {
namespace {

constexpr char kHarness[] = "tools/dev/postgres";

std::string Value(const std::string& dsn, std::string_view key) {
  for (std::string_view pair : absl::StrSplit(dsn, ' ')) {
    if (absl::ConsumePrefix(&pair, absl::StrCat(key, "="))) return std::string(pair);
  }
  return "";
}

}  // namespace

absl::Status TestServer::Run(const std::vector<std::string>& arguments) {
  std::string command = absl::StrCat(kHarness, " ", arguments[0], " '", place_, "'");
  for (size_t i = 1; i < arguments.size(); ++i) absl::StrAppend(&command, " '", arguments[i], "'");
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return absl::InternalError("no shell");
  std::string output;
  char bytes[500];
  while (fgets(bytes, sizeof bytes, pipe) != nullptr) output += bytes;
  if (pclose(pipe) != 0) return absl::UnavailableError(absl::StrCat(command, " failed"));
  if (absl::StartsWith(output, "host=")) dsn_ = std::string(absl::StripSuffix(output, "\n"));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<TestServer>> TestServer::StartWith(std::vector<std::string> arguments) {
  std::unique_ptr<TestServer> server(new TestServer);
  server->place_ = testing::TempDir() + "/postgres-XXXXXX";
  if (mkdtemp(server->place_.data()) == nullptr) return absl::InternalError("no folder");
  arguments.insert(arguments.begin(), "start");
  if (absl::Status started = server->Run(arguments); !started.ok()) return started;
  return server;
}

absl::StatusOr<std::unique_ptr<TestServer>> TestServer::Start(const std::vector<std::string>& configs, TestDisk disk) {
  std::vector<std::string> arguments;
  if (disk == TestDisk::kMemory) arguments.emplace_back("--memory");
  for (const std::string& config : configs) arguments.insert(arguments.end(), {"--config", config});
  return StartWith(std::move(arguments));
}

absl::StatusOr<std::unique_ptr<TestServer>> TestServer::StartWithTls() { return StartWith({"--tls"}); }

absl::StatusOr<std::unique_ptr<TestServer>> TestServer::StartStandby(const TestServer& primary) {
  std::unique_ptr<TestServer> server(new TestServer);
  server->place_ = testing::TempDir() + "/standby-XXXXXX";
  if (mkdtemp(server->place_.data()) == nullptr) return absl::InternalError("no folder");
  if (absl::Status started = server->Run({"standby", primary.place_}); !started.ok()) return started;
  return server;
}

TestServer::~TestServer() { EXPECT_EQ(Run({"remove"}), absl::OkStatus()); }

absl::Status TestServer::Restart() { return Run({"restart"}); }
absl::Status TestServer::Kill() { return Run({"kill"}); }
std::string TestServer::folder() const { return Value(dsn_, "host"); }

int TestServer::port() const {
  int port = 0;
  return absl::SimpleAtoi(Value(dsn_, "port"), &port) ? port : 0;
}

std::string TestServer::TcpDsn(int port) const {
  return absl::StrCat("postgresql://tester:secret-of-tester@127.0.0.1:", port, "/postgres?sslmode=disable");
}

absl::StatusOr<std::string> TestServer::Sql(const std::string& sql) const {
  absl::StatusOr<std::unique_ptr<TestSession>> session = TestSession::Open(*this);
  return session.ok() ? (*session)->Sql(sql) : session.status();
}

absl::StatusOr<std::unique_ptr<TestSession>> TestSession::Open(const TestServer& server) {
  std::unique_ptr<TestSession> session(new TestSession(PQconnectdb(server.dsn().c_str())));
  PQsetNoticeProcessor(
      session->connection_, [](void*, const char*) {}, nullptr);
  if (PQstatus(session->connection_) == CONNECTION_OK) return session;
  return absl::InternalError(PQerrorMessage(session->connection_));
}

TestSession::~TestSession() { PQfinish(connection_); }

absl::StatusOr<std::string> TestSession::Sql(const std::string& sql) {
  PGresult* result = PQexec(connection_, sql.c_str());
  absl::StatusOr<std::string> answer = std::string();
  if (PQresultStatus(result) != PGRES_TUPLES_OK && PQresultStatus(result) != PGRES_COMMAND_OK) {
    answer = absl::InternalError(absl::StrCat(sql, ": ", PQerrorMessage(connection_)));
  } else {
    for (int row = 0; row < PQntuples(result); ++row) {
      absl::StrAppend(&*answer, row == 0 ? "" : "\n", PQgetvalue(result, row, 0));
    }
  }
  PQclear(result);
  return answer;
}

PostgresBench::PostgresBench(TestServer* server) : server_(server) {
  static std::atomic<int> number = 0;
  schema_ = absl::StrCat("s", ++number);
}

PostgresBench::~PostgresBench() {
  EXPECT_EQ(server_->Sql(absl::StrCat("DROP SCHEMA IF EXISTS ", schema_, " CASCADE")).status(), absl::OkStatus());
}

absl::StatusOr<std::unique_ptr<StateStore>> PostgresBench::Open() { return OpenPostgres(place(), Access::kReadWrite); }

absl::StatusOr<std::unique_ptr<StateStore>> PostgresBench::OpenReadOnly() {
  return OpenPostgres(place(), Access::kReadOnly);
}

bool PostgresBench::Exists() {
  absl::StatusOr<std::string> found =
      server_->Sql(absl::StrCat("SELECT nspname FROM pg_namespace WHERE nspname = '", schema_, "'"));
  EXPECT_EQ(found.status(), absl::OkStatus());
  return found.ok() && !found->empty();
}

// As an administrator ends a session; the answer comes when it is gone.
absl::Status PostgresBench::StealLock(const std::string&) {
  absl::StatusOr<std::string> ended =
      server_->Sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND granted");
  if (!ended.ok()) return ended.status();
  return *ended == "t" ? absl::OkStatus() : absl::InternalError(absl::StrCat("ended: ", *ended));
}

absl::Status PostgresBench::Edit(const std::string& sql) {
  return server_->Sql(absl::StrCat("SET session_replication_role = replica; SET search_path = ", schema_, "; ", sql))
      .status();
}

absl::Status PostgresBench::Tamper(const std::string&, Tampering what) {
  switch (what) {
    case Tampering::kPayloadOfEntry2:
      return Edit("UPDATE history SET payload = '\\x00' WHERE sequence = 2");
    case Tampering::kOperationOfEntry2:
      return Edit("UPDATE history SET operation_id = 'op-9' WHERE sequence = 2");
    case Tampering::kTimeOfEntry2:
      return Edit("UPDATE history SET at_ms = at_ms + 1 WHERE sequence = 2");
    case Tampering::kDropEntry2:
      return Edit("DELETE FROM history WHERE sequence = 2");
    case Tampering::kDropLastEntry:
      return Edit("DELETE FROM history WHERE sequence = 6");
    case Tampering::kSwapEntries2And3:
      return Edit(
          "UPDATE history SET sequence = 99 WHERE sequence = 2; UPDATE history SET sequence = 2 WHERE sequence = 3;"
          "UPDATE history SET sequence = 3 WHERE sequence = 99");
    case Tampering::kOwnership:
      return Edit("UPDATE address SET ownership = '\\x00'");
    case Tampering::kSerial:
      return Edit("UPDATE address SET serial = serial + 1");
    case Tampering::kOpenOperation:
      return Edit("UPDATE address SET operation_id = 'op-2'");
  }
  return absl::InternalError("no such tampering");
}

}  // namespace st::state
