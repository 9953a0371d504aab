#include "e2e/torture/scene.h"

#include <algorithm>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "lib/state/postgres.h"
#include "lib/state/sqlite.h"

namespace st::e2e {
namespace {

constexpr absl::Duration kCatchUp = absl::Minutes(2);

int PortOf(const std::string& address) {
  const std::vector<std::string> parts = absl::StrSplit(address, ':');
  int port = 0;
  ABSL_CHECK(absl::SimpleAtoi(parts.back(), &port)) << address;
  return port;
}

}  // namespace

Scene::Scene(int number, StateIn store)
    : address_(absl::StrCat("127.0.0.1:", proxy_.port())),
      input_(absl::StrCat("torture", number, ".in")),
      output_(absl::StrCat("torture", number, ".out")) {
  auto broker =
      Broker::Start({absl::StrCat("advertised.listeners=PLAINTEXT://", address_), "broker.session.timeout.ms=2000"});
  ABSL_CHECK(broker.ok()) << broker.status();
  broker_ = *std::move(broker);
  proxy_.SetTarget(PortOf(broker_->bootstrap()));
  cluster_ = std::make_unique<Cluster>(address_);
  cluster_->CreateTopic(input_, kPartitions);
  feeder_ = std::make_unique<Feeder>(address_, input_, kPartitions);
  pipe_ = std::make_unique<Pipe>(address_, absl::StrCat("torture", number));
  pipe_->WriteProject(input_, output_);
  if (store == StateIn::kPostgres) KeepStateInPostgres();
  pipe_->Deploy("create");
  eras_.push_back({std::vector<int64_t>(kPartitions, 0), kFirstBound});
}

void Scene::KeepStateInPostgres() {
  auto server = state::TestServer::Start();
  ABSL_CHECK(server.ok()) << server.status();
  server_ = *std::move(server);
  pipe_->set_environment({{"ST_TEST_DSN", server_->TcpDsn(server_->port())}});
  pipe_->KeepStateIn(absl::StrCat("backend: postgres, schema: ", pipe_->name(), ", dsn_env: ST_TEST_DSN"));
}

std::unique_ptr<state::StateStore> Scene::OpenStore() const {
  auto store = postgres() ? state::OpenPostgres({server_->dsn(), "DSN", pipe_->name()}, state::Access::kReadOnly)
                          : state::OpenSqlite(pipe_->state_folder() + "/state.db", state::Access::kReadOnly);
  ABSL_CHECK(store.ok()) << store.status();
  return *std::move(store);
}

void Scene::AwaitUnlocked() const {
  const absl::Time deadline = absl::Now() + kCatchUp;
  while (postgres()) {
    const auto held = server_->Sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted");
    ABSL_CHECK(held.ok()) << held.status();
    if (*held == "0") return;
    ABSL_CHECK(absl::Now() < deadline) << "the lock of a tool that is gone is still held";
    absl::SleepFor(absl::Milliseconds(5));
  }
}

bool Scene::TakeLockAway() const {
  const auto ended =
      server_->Sql("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND granted");
  ABSL_CHECK(ended.ok()) << ended.status();
  return *ended == "t";
}

void Scene::SetBound(int bound) {
  pipe_->Edit(absl::StrCat("n >= ", bound_, "\n"), absl::StrCat("n >= ", bound, "\n"));
  bound_ = bound;
}

void Scene::SetRunning(bool running) {
  const auto line = [](bool on) { return absl::StrCat("running: ", on ? "true" : "false", "\n"); };
  pipe_->Edit(line(running_), line(running));
  running_ = running;
}

void Scene::ChangeConfig() {
  pipe_->Edit(absl::StrCat("retention.ms: ", retention_ms_), absl::StrCat("retention.ms: ", retention_ms_ + 60000));
  retention_ms_ += 60000;
}

// Output and offsets are one transaction: what is committed is out, and nothing else.
void Scene::CheckRecords(std::vector<std::string>* violations) {
  const std::vector<Record> input = cluster_->ReadCommitted(input_, kPartitions);
  std::vector<int64_t> ends(kPartitions, 0);
  for (const Record& record : input) ends[static_cast<size_t>(record.partition)] = record.offset + 1;
  const absl::Time deadline = absl::Now() + kCatchUp;
  std::vector<int64_t> committed = Committed();
  while (running_ && committed != ends && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(50));
    committed = Committed();
  }
  if (running_ && committed != ends) violations->push_back("the runner does not read on to the end of its input");
  const std::vector<std::vector<std::string>> wanted = Wanted(input, committed, eras_);
  std::string difference = "not looked";
  const size_t before = std::exchange(compared_, 0);
  for (const auto& part : wanted) compared_ += part.size();
  newly_compared_ = compared_ - std::min(before, compared_);
  // The end of a transaction shows a moment later in another partition.
  while (!difference.empty() && absl::Now() < deadline) {
    const std::vector<Record> output = cluster_->ReadCommitted(output_, 1);
    difference = Difference(wanted, BySource(output, kPartitions));
    if (output.size() >= compared_) break;
  }
  if (!difference.empty()) violations->push_back(difference);
}

std::vector<std::string> Scene::Check() {
  Told told = ReadLog(OpenStore().get(), pipe_->name() + "/default", last_entry_);
  std::vector<std::string> violations = std::move(told.violations);
  last_entry_ = told.last_entry;
  for (std::vector<int64_t>& close : told.closes) eras_.push_back({std::move(close), bound_});
  if (eras_.back().at_least != bound_) violations.push_back("the filter changed, and the journal has no close of it");
  feeder_->Pause();
  CheckRecords(&violations);
  feeder_->GoOn();
  if (!pipe_->Status().operation_id().empty()) violations.push_back("an operation is still open");
  const CommandResult planned = pipe_->Plan("again");
  if (planned.exit_code != 0) violations.push_back("the plan is not empty: " + planned.error_text);
  const size_t generations = pipe_->Generations().size();
  const size_t processes = pipe_->RunnerPids().size();
  if (generations != 1) violations.push_back(absl::StrCat(generations, " generations"));
  if (processes != (running_ ? 1u : 0u)) violations.push_back(absl::StrCat(processes, " runner processes"));
  return violations;
}

}  // namespace st::e2e
