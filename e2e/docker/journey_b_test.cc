// Journey B in containers: nothing exists; one plan and one apply make both topics and the runner, and the same runner
// lives through a reviewed stop and start and through a kill. Two operators at once: root, and an ordinary user who may
// use the engine; each on a cold broker of its own, both on one engine, step by step in turn.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/docker/ground.h"
#include "e2e/docker/operator.h"
#include "e2e/pipe.h"

namespace st::e2e {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kInput[] = "orders.v1";
constexpr char kOutput[] = "orders.large.v1";
constexpr char kModels[] = "models/orders.yml";

struct Order {
  std::optional<std::string> key;
  std::optional<int> amount;
  bool paid = true;
  bool is_tombstone = false;
};

class JourneyB {
 public:
  JourneyB(const Ground& ground, Operator::Who who)
      : ground_(ground),
        broker_(ground, who == Operator::Who::kRoot ? "one" : "two"),
        operator_(ground, broker_.bootstrap(), broker_.inside(), who),
        application_(operator_.application_id("large_orders")) {
    operator_.TakeExample("orders");
    ground_.Docker({"load", "--input", operator_.Path("prefix/share/st/st-runner-image.tar")});
  }

  // The broker has never been asked for a group: its own topics are not there yet.
  void CreateOnAColdBroker() {
    ASSERT_EQ(Probe(broker_.bootstrap(), {"topics"}), "");
    const v1::Plan plan = Plan(10);
    ASSERT_EQ(plan.actions_size(), 3);
    EXPECT_TRUE(plan.actions(0).has_create_topic());
    EXPECT_TRUE(plan.actions(1).has_create_topic());
    EXPECT_TRUE(plan.actions(2).has_create_runner());
    EXPECT_THAT(ground_.ContainersOf(application_), IsEmpty());
    Apply(v1::ApplyReport::DONE);
    const std::vector<std::string> containers = ground_.ContainersOf(application_);
    ASSERT_EQ(containers.size(), 1u);
    container_ = containers.front();
    EXPECT_EQ(State(), "running");
    EXPECT_EQ(ground_.Inspect(container_, "{{.Config.User}} {{.Image}} {{.HostConfig.ReadonlyRootfs}}"),
              absl::StrCat(operator_.user(), " ", operator_.image(), " true"));
    ExpectPrivateFiles();
    // Creating a topic is not seeding it.
    EXPECT_THAT(SeenRecords(broker_.bootstrap(), kInput), IsEmpty());
  }

  void Transform() {
    Send({{"c1", 99}, {"c1", 100}, {std::nullopt, 5000}, {"", 170}, {"c2", 300, false}, {"c2", std::nullopt}},
         {{"trace", "first"}, {"trace", "second"}, {"empty", ""}});
    Send({{std::string("\x80\xff\0\x01", 4), 1234}, {"c1", 0, true, true}, {std::nullopt, 101}, {"c9", 100}}, {});
    ExpectExactOutput();
    EXPECT_EQ(sent_tombstones_, 1);
  }

  void PlanAndApplyAgain() {
    const std::string engine = ground_.State();
    const std::string broker = broker_.State({kInput, kOutput}, {application_});
    const std::string topics = Probe(broker_.bootstrap(), {"topics"});
    EXPECT_EQ(Plan(0).actions_size(), 0);
    Apply(v1::ApplyReport::NO_CHANGES);
    EXPECT_EQ(ground_.State(), engine);
    EXPECT_EQ(broker_.State({kInput, kOutput}, {application_}), broker);
    EXPECT_EQ(Probe(broker_.bootstrap(), {"topics"}), topics);
  }

  void StopAndStart() {
    operator_.Edit(kModels, "    executor: runner\n", "    executor: runner\n    running: false\n");
    v1::Plan plan = Plan(10);
    ASSERT_EQ(plan.actions_size(), 1);
    EXPECT_TRUE(plan.actions(0).has_stop_runner());
    Apply(v1::ApplyReport::DONE);
    EXPECT_EQ(ground_.Inspect(container_, "{{.State.Status}} {{.State.ExitCode}} {{.State.OOMKilled}}"),
              "exited 0 false");
    EXPECT_THAT(json::parse(Probe(broker_.bootstrap(), {"group", application_})).at("members"), IsEmpty());
    EXPECT_EQ(Plan(0).actions_size(), 0);
    Send({{"c1", 700}, {std::nullopt, 1}, {"c3", 800}}, {{"while", "stopped"}});

    operator_.Edit(kModels, "    running: false\n", "");
    plan = Plan(10);
    ASSERT_EQ(plan.actions_size(), 1);
    EXPECT_TRUE(plan.actions(0).has_start_runner());
    Apply(v1::ApplyReport::DONE);
    EXPECT_EQ(State(), "running");
    ExpectExactOutput();
  }

  void KillAndSetRight() {
    ground_.Docker({"kill", "--signal", "KILL", container_});
    ASSERT_EQ(ground_.Docker({"wait", container_}), "137");
    Send({{"c1", 900}, {"c4", 5}}, {{"while", "killed"}});
    const v1::Plan plan = Plan(11);
    ASSERT_EQ(plan.actions_size(), 1);
    EXPECT_TRUE(plan.actions(0).has_start_runner());
    EXPECT_EQ(plan.actions(0).cause(), v1::Action::DRIFTED);
    Apply(v1::ApplyReport::DONE);
    EXPECT_EQ(State(), "running");
    ExpectExactOutput();
    EXPECT_EQ(Plan(0).actions_size(), 0);
  }

 private:
  v1::Plan Plan(int exit_code) {
    const CommandResult planned = operator_.Plan("plan.textproto");
    EXPECT_EQ(planned.exit_code, exit_code) << planned.error_text;
    const CommandResult document = operator_.Run({"cat", "plan.textproto"});
    return document.exit_code == 0 ? ReadAnswer<v1::Plan>(document.output) : v1::Plan();
  }

  void Apply(v1::ApplyReport::Outcome outcome) {
    const CommandResult applied = operator_.Apply("plan.textproto");
    ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
    EXPECT_EQ(ReadAnswer<v1::ApplyReport>(applied.output).outcome(), outcome) << applied.output;
  }

  // Of the one container that this application has, and always had.
  std::string State() const {
    EXPECT_THAT(ground_.ContainersOf(application_), ElementsAre(container_));
    return ground_.Inspect(container_, "{{.State.Status}}");
  }

  // What the container mounts belongs to whom it runs as, and to nobody else.
  void ExpectPrivateFiles() const {
    int looked_at = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(
             operator_.Path("state/docker/" + application_ + "/generations"))) {
      struct stat facts = {};
      ASSERT_EQ(stat(entry.path().c_str(), &facts), 0) << entry.path();
      EXPECT_EQ(facts.st_mode & 077, 0u) << entry.path();
      if (!entry.is_regular_file()) continue;
      EXPECT_EQ(absl::StrCat(facts.st_uid, ":", facts.st_gid), operator_.user()) << entry.path();
      ++looked_at;
    }
    EXPECT_EQ(looked_at, 2);  // plan and client.properties
  }

  void Send(const std::vector<Order>& orders, const std::vector<std::pair<std::string, std::string>>& headers) {
    // In the past, so that it cannot be the time of arrival; young enough not to be deleted.
    const int64_t timestamp = absl::ToUnixMillis(absl::Now() - absl::Hours(1));
    std::string lines;
    json seen_headers = json::array();
    std::vector<std::string> arguments = {"produce", kInput, "--key-separator", "|",
                                          "--null",  "~",    "--timestamp",     absl::StrCat(timestamp)};
    for (const auto& [name, value] : headers) {
      arguments.insert(arguments.end(), {"--header", absl::StrCat(name, "=", value)});
      seen_headers.push_back({{"key", name}, {"value", absl::Base64Escape(value)}});
    }
    for (const Order& order : orders) {
      const std::string id = absl::StrCat("o", next_id_++);
      if (order.key) absl::StrAppend(&lines, *order.key, "|");
      if (order.is_tombstone) {
        absl::StrAppend(&lines, "~\n");
        ++sent_tombstones_;
        continue;
      }
      const std::string amount = order.amount ? absl::StrCat(*order.amount) : "null";
      absl::StrAppend(&lines, R"({"id":")", id, R"(","amount":)", amount, R"(,"paid":)", order.paid ? "true" : "false",
                      "}\n");
      if (order.amount.value_or(0) < 100 || !order.paid) continue;
      expected_.push_back({order.key ? absl::Base64Escape(*order.key) : "null",
                           absl::StrCat(R"({"order_id":")", id, R"(","amount":)", amount, "}"), seen_headers.dump(),
                           timestamp});
    }
    Probe(broker_.bootstrap(), arguments, lines);
    std::sort(expected_.begin(), expected_.end());
  }

  // Everything is read, committed, and there once.
  void ExpectExactOutput() {
    EXPECT_TRUE(broker_.AwaitAllRead(application_, kInput));
    EXPECT_EQ(SeenRecords(broker_.bootstrap(), kOutput), expected_);
  }

  const Ground& ground_;
  BrokerContainer broker_;
  Operator operator_;
  std::string application_;
  std::string container_;
  std::vector<SeenRecord> expected_;
  int next_id_ = 0;
  int sent_tombstones_ = 0;
};

TEST(JourneyBTest, TwoOperatorsAtOnce) {
  const Ground ground;
  JourneyB by_root(ground, Operator::Who::kRoot);
  JourneyB by_member(ground, Operator::Who::kMember);
  const std::pair<const char*, void (JourneyB::*)()> steps[] = {
      {"create on a cold broker", &JourneyB::CreateOnAColdBroker}, {"transform", &JourneyB::Transform},
      {"plan and apply again", &JourneyB::PlanAndApplyAgain},      {"stop and start", &JourneyB::StopAndStart},
      {"kill and set right", &JourneyB::KillAndSetRight},
  };
  for (const auto& [name, step] : steps) {
    for (JourneyB* journey : {&by_root, &by_member}) {
      SCOPED_TRACE(absl::StrCat(name, journey == &by_root ? ", by root" : ", by a member of the group"));
      (journey->*step)();
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace st::e2e
