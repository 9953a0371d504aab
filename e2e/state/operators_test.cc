// The tools with their state in PostgreSQL and in SQLite, as one operator and as several at once.
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/pipe.h"
#include "e2e/state/store_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/state/postgres.h"
#include "lib/state/sqlite.h"

namespace st::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// With a password, to see that it stands nowhere.
constexpr char kCanary[] = "secret-of-tester";

class OperatorsTest : public StoreFixture {
 protected:
  void SetUp() override {
    DeclareWithStore();
    if (postgres()) pipe_->Edit("sources:\n", "safety: {require_remote_state: true}\nsources:\n");
    Feed(20);
  }

  std::unique_ptr<std::thread> InBackground(const std::string& tool, const std::vector<std::string>& arguments,
                                            CommandResult* result) const {
    const std::string topology = pipe_->Compile();
    return std::make_unique<std::thread>([=, this] { *result = pipe_->Tool(tool, arguments, topology); });
  }
};

INSTANTIATE_TEST_SUITE_P(Stores, OperatorsTest, testing::Values(kSqlite, kPostgres),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(OperatorsTest, AJourney) {
  CommandResult shown = State({"show"});
  EXPECT_EQ(shown.exit_code, 0) << shown.error_text;
  EXPECT_THAT(shown.error_text, HasSubstr("there is no state store yet"));
  EXPECT_EQ(State({"show"}).error_text, shown.error_text) << "looking makes nothing";

  CommandResult planned = pipe_->Plan("p1");
  ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
  CommandResult applied = pipe_->Apply("p1", {{"ST_CRASH_AT", "after:create_topic:1"}});
  EXPECT_EQ(applied.exit_code, 128 + 9) << applied.error_text;
  shown = State({"show"});
  EXPECT_THAT(shown.error_text, AllOf(HasSubstr(" is open, begun "), Not(HasSubstr("locked by"))));
  CommandResult copied = State({"copy", "--to-sqlite", pipe_->Path("copy.db")});
  EXPECT_EQ(copied.exit_code, 1);
  EXPECT_THAT(copied.error_text, HasSubstr("OPERATION_PENDING"));
  planned = pipe_->Plan("p2");
  EXPECT_EQ(planned.exit_code, 1);
  EXPECT_THAT(planned.error_text, HasSubstr("OPERATION_PENDING"));

  const v1::OperationStatus status = pipe_->Status();
  CommandResult resumed = pipe_->Resume("p1", status.operation_id());
  ASSERT_EQ(resumed.exit_code, 0) << resumed.error_text;
  EXPECT_THAT(AwaitOutput(broker_->bootstrap(), id_ + ".out", 10, 60), SizeIs(10));
  EXPECT_EQ(pipe_->Plan("p3").exit_code, 0);

  CommandResult verified = State({"verify"});
  EXPECT_EQ(verified.exit_code, 0) << verified.error_text;
  EXPECT_THAT(verified.error_text, HasSubstr(" entries verified"));
  CommandResult history = State({"history"});
  EXPECT_EQ(history.exit_code, 0) << history.error_text;
  EXPECT_THAT(history.error_text,
              AllOf(HasSubstr("the chain holds"), HasSubstr("CARRIED_OUT"), HasSubstr("authorization")));
  for (const CommandResult& said : {planned, applied, resumed, verified, history}) {
    EXPECT_THAT(said.output + said.error_text, Not(HasSubstr(kCanary)));
  }
}

TEST_P(OperatorsTest, OnePlanTwiceAtOnce) {
  ASSERT_EQ(pipe_->Plan("p1").exit_code, 10);
  std::vector<CommandResult> results(2);
  std::vector<std::unique_ptr<std::thread>> runs;
  for (CommandResult& result : results) {
    runs.push_back(InBackground("st-apply", {"--plan", pipe_->Path("p1")}, &result));
  }
  for (auto& run : runs) run->join();
  if (results[0].exit_code != 0) std::swap(results[0], results[1]);
  EXPECT_EQ(results[0].exit_code, 0) << results[0].error_text;
  EXPECT_EQ(results[1].exit_code, 1) << results[1].error_text;
  // It met the other while that held the lock, or after it.
  EXPECT_THAT(results[1].error_text, testing::AnyOf(AllOf(HasSubstr("locked by process "), HasSubstr(" since 2")),
                                                    HasSubstr("the plan is stale")));
  EXPECT_THAT(pipe_->Generations(), SizeIs(1));
  EXPECT_EQ(State({"verify"}).exit_code, 0);
}

TEST_P(OperatorsTest, TwoPlansFromOneBase) {
  ASSERT_EQ(pipe_->Plan("p1").exit_code, 10);
  ASSERT_EQ(pipe_->Plan("p2").exit_code, 10);
  ASSERT_EQ(pipe_->Apply("p1").exit_code, 0);
  CommandResult second = pipe_->Apply("p2");
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.error_text,
              HasSubstr("the plan is stale: it was made at serial 0 of the state, which is at 1 now"));
}

// The lock is held by this very process, as by an apply or a resume that is at work.
TEST_P(OperatorsTest, TheOthersAreToldWhoHoldsWhatSinceWhen) {
  ASSERT_EQ(pipe_->Plan("p1").exit_code, 10);
  EXPECT_EQ(pipe_->Apply("p1", {{"ST_CRASH_AT", "before:create_volume:1"}}).exit_code, 128 + 9);
  const std::string operation = pipe_->Status().operation_id();
  const std::string file = pipe_->state_folder() + "/state.db";
  auto store = postgres() ? state::OpenPostgres({server_->dsn(), "DSN", id_}, state::Access::kReadWrite)
                          : state::OpenSqlite(file, state::Access::kReadWrite);
  ASSERT_TRUE(store.ok()) << store.status();
  auto lease = (*store)->Acquire(id_ + "/default");
  ASSERT_TRUE(lease.ok()) << lease.status();
  const auto holder = AllOf(HasSubstr(absl::StrCat("locked by process ", getpid(), " of ")), HasSubstr(" since 2"));
  for (const CommandResult& refused : {pipe_->Apply("p1"), pipe_->Resume("p1", operation)}) {
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.error_text, AllOf(HasSubstr(id_ + "/default"), holder));
  }
  // Who only looks is not kept out, and is told, too.
  EXPECT_EQ(pipe_->Status().operation_id(), operation);
  EXPECT_THAT(State({"show"}).error_text, AllOf(HasSubstr(operation), holder));

  // Another address of the same store has a lock of its own.
  Pipe other(broker_->bootstrap(), id_ + "b");
  other.WriteProject(id_ + ".in", id_ + "b.out");
  const std::string place = postgres() ? absl::StrCat("backend: postgres, schema: ", id_, ", dsn_env: ST_TEST_DSN")
                                       : absl::StrCat("backend: sqlite, path: ", file);
  other.Edit("sources:\n", absl::StrCat("deployment_state: {", place, "}\nsources:\n"));
  other.set_environment({{"ST_TEST_DSN", server_->dsn()}});
  other.Deploy("p1");

  lease->reset();
  const CommandResult pending = pipe_->Apply("p1");
  EXPECT_EQ(pending.exit_code, 1);
  EXPECT_THAT(pending.error_text, AllOf(HasSubstr("OPERATION_PENDING"), HasSubstr(operation)));
  const CommandResult resumed = pipe_->Resume("p1", operation);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.error_text;
  EXPECT_THAT(State({"verify"}).error_text, HasSubstr("2 addresses"));
}

// From one kind of store to the other; the deployment goes on from there, and not from where it was.
TEST_P(OperatorsTest, AStoreMovesWithItsDeployment) {
  pipe_->Deploy("p1");
  ASSERT_EQ(pipe_->Plan("before").exit_code, 0);
  pipe_->set_environment({{"ST_TEST_DSN", server_->TcpDsn(server_->port())}});
  const std::string file = pipe_->Path("moved.db");
  const std::vector<std::string> to =
      postgres() ? std::vector<std::string>{"copy", "--to-sqlite", file}
                 : std::vector<std::string>{"copy", "--to-postgres-dsn-env", "ST_TEST_DSN", "--to-schema", id_};
  CommandResult copied = State(to);
  ASSERT_EQ(copied.exit_code, 0) << copied.error_text;
  EXPECT_THAT(copied.error_text, HasSubstr("copied, "));
  EXPECT_THAT(State(to).error_text, HasSubstr("was copied before"));
  // The old place takes nothing any more, and says where to go.
  const CommandResult old = pipe_->Plan("old");
  EXPECT_EQ(old.exit_code, 1);
  EXPECT_THAT(old.error_text, AllOf(HasSubstr("STATE_COPIED"), HasSubstr("copied to ")));

  const std::string place = postgres() ? absl::StrCat("backend: sqlite, path: ", file)
                                       : absl::StrCat("backend: postgres, schema: ", id_, ", dsn_env: ST_TEST_DSN");
  if (postgres()) {
    pipe_->Edit(absl::StrCat("backend: postgres, schema: ", id_, ", dsn_env: ST_TEST_DSN"), place);
    pipe_->Edit("safety: {require_remote_state: true}\n", "");
  } else {
    pipe_->Edit("sources:\n", absl::StrCat("deployment_state: {", place, "}\nsources:\n"));
  }
  EXPECT_EQ(pipe_->Plan("new").exit_code, 0) << "nothing is to be done: what is owned came along";
  const CommandResult stale = pipe_->Apply("before");
  EXPECT_EQ(stale.exit_code, 1);
  pipe_->Edit("running: true", "running: false");
  pipe_->Deploy("stop");
  EXPECT_EQ(State({"verify"}).exit_code, 0);
}

// A file first, then its confirmation; the address is free afterwards, and what was there is owned.
TEST_P(OperatorsTest, AnOperationIsSettledByEvidence) {
  ASSERT_EQ(pipe_->Plan("p1").exit_code, 10);
  EXPECT_EQ(pipe_->Apply("p1", {{"ST_CRASH_AT", "before:commit_offsets:1"}}).exit_code, 128 + 9);
  CommandResult refused = State({"recover", "--settle", "abandoned"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.error_text, HasSubstr("NOT_PROVEN: a step of the operation was taken"));
  refused = State({"recover", "--settle", "rolled_back"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.error_text, HasSubstr("is not as before the operation"));

  const CommandResult proposed = State({"recover", "--settle", "observed"});
  ASSERT_EQ(proposed.exit_code, 0) << proposed.error_text;
  const auto recovery = ReadAnswer<v1::Recovery>(proposed.output);
  EXPECT_NE(pipe_->Status().operation_id(), "") << "a file alone settles nothing";
  std::ofstream(pipe_->Path("recovery")) << proposed.output;
  const auto apply = [&](const std::string& operation, const std::string& checksum) {
    return State({"recover", "--apply", pipe_->Path("recovery"), "--operation", operation, "--checksum", checksum});
  };
  refused = apply(recovery.operation_id(), std::string(64, '0'));
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.error_text, HasSubstr("NOT_CONFIRMED"));
  const CommandResult settled = apply(recovery.operation_id(), recovery.checksum());
  ASSERT_EQ(settled.exit_code, 0) << settled.error_text;
  EXPECT_THAT(settled.error_text, HasSubstr("settled as OBSERVED, serial 0 to 1"));

  const CommandResult planned = pipe_->Plan("p2");
  EXPECT_EQ(planned.exit_code, 10) << planned.error_text;
  EXPECT_THAT(planned.error_text, Not(HasSubstr("create topic"))) << "it is ours already";
  EXPECT_EQ(pipe_->Apply("p2").exit_code, 0);
  EXPECT_THAT(AwaitOutput(broker_->bootstrap(), id_ + ".out", 10, 60), SizeIs(10));
  EXPECT_THAT(State({"history"}).error_text, AllOf(HasSubstr("OBSERVED"), HasSubstr("CARRIED_OUT")));
  EXPECT_EQ(State({"verify"}).exit_code, 0);
}

}  // namespace
}  // namespace st::e2e
