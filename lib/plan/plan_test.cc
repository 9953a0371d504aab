#include "lib/plan/plan.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/plan/scene.h"

namespace st::plan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> Actions(const v1::Plan& plan) {
  std::vector<std::string> actions;
  for (const v1::Action& action : plan.actions()) {
    const auto* oneof = v1::Action::descriptor()->FindOneofByName("action");
    const auto* field = action.GetReflection()->GetOneofFieldDescriptor(action, oneof);
    actions.push_back((field == nullptr ? "?" : field->name()) + " " + action.resource().substr(9));
  }
  return actions;
}

std::vector<std::string> Blockers(const v1::Plan& plan) {
  std::vector<std::string> codes;
  for (const v1::Blocker& blocker : plan.blockers()) codes.push_back(blocker.code());
  return codes;
}

std::vector<std::string> Warnings(const v1::Plan& plan) {
  std::vector<std::string> codes;
  for (const v1::PlanWarning& warning : plan.warnings()) codes.push_back(warning.code());
  return codes;
}

TEST(PlanTest, CreatesTopicsBeforeRunnersAndUpstreamBeforeDownstream) {
  Scene scene;
  v1::Plan plan = scene.Plan();
  EXPECT_THAT(Actions(plan), ElementsAre("create_topic topic/late", "create_topic topic/worst",
                                         "create_runner model/late", "create_runner model/worst"));
  EXPECT_THAT(Blockers(plan), IsEmpty());
  EXPECT_TRUE(plan.declarations_changed());
  EXPECT_FALSE(plan.world_drifted());
  // Not the order in which the topology lists them.
  scene.observed.mutable_topology()->mutable_topics()->SwapElements(1, 2);
  EXPECT_EQ(Actions(scene.Plan()), Actions(plan));
  const v1::CreateRunner& first = plan.actions(2).create_runner();
  EXPECT_EQ(first.input().topic_id(), "raw-id");
  EXPECT_EQ(first.output().created_by(), 0u);
  EXPECT_EQ(first.input_partitions(), 2u);
  const v1::CreateRunner& second = plan.actions(3).create_runner();
  EXPECT_EQ(second.input().created_by(), 0u);
  EXPECT_EQ(second.output().created_by(), 1u);
  EXPECT_EQ(second.input_partitions(), 1u);
}

TEST(PlanTest, TheInitialOffsetsOfTodayAreShown) {
  Scene scene;
  scene.observed.mutable_topology()->mutable_runner()->set_initial_offset(v1::LATEST);
  EXPECT_EQ(scene.Plan().actions(2).create_runner().offsets_today(1).offset(), 100);
}

TEST(PlanTest, WhatIsDeployedAsDeclaredHasNoChanges) {
  Scene scene;
  scene.Deploy();
  v1::Plan plan = scene.Plan();
  EXPECT_THAT(Actions(plan), IsEmpty());
  EXPECT_THAT(Blockers(plan), IsEmpty());
  EXPECT_THAT(Warnings(plan), IsEmpty());
  EXPECT_FALSE(plan.declarations_changed());
  EXPECT_FALSE(plan.world_drifted());
}

// Each spoils the deployed scene in one way; the plan must name it.
struct BlockerCase {
  const char* code;
  void (*spoil)(Scene&);
  bool declared;
  bool drifted;
};

class DeployedBlockerTest : public testing::TestWithParam<BlockerCase> {};

TEST_P(DeployedBlockerTest, IsNamed) {
  Scene scene;
  scene.Deploy();
  GetParam().spoil(scene);
  v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), Contains(GetParam().code));
  EXPECT_EQ(plan.declarations_changed(), GetParam().declared);
  EXPECT_EQ(plan.world_drifted(), GetParam().drifted);
  for (const v1::Blocker& blocker : plan.blockers()) {
    EXPECT_FALSE(blocker.text().empty());
    EXPECT_FALSE(blocker.way_out().empty());
  }
}

const BlockerCase kDeployedBlockers[] = {
    {"CLUSTER_CHANGED", [](Scene& s) { s.observed.mutable_observation()->mutable_cluster()->set_cluster_id("x"); },
     false, true},
    {"TOPIC_ID_CHANGED", [](Scene& s) { s.Facts("worst.v1").set_topic_id("made-again"); }, false, true},
    {"TOPIC_ID_CHANGED", [](Scene& s) { s.Absent("worst.v1"); }, false, true},
    {"TOPIC_ID_CHANGED", [](Scene& s) { s.Facts("raw.v1").set_topic_id("made-again"); }, false, true},
    {"TOPIC_ID_CHANGED", [](Scene& s) { s.Absent("raw.v1"); }, false, true},
    {"NOT_VISIBLE", [](Scene& s) { s.Facts("raw.v1").set_presence(v1::NOT_VISIBLE); }, false, false},
    {"NOT_VISIBLE", [](Scene& s) { s.Facts("worst.v1").set_presence(v1::NOT_VISIBLE); }, false, false},
    {"NOT_VISIBLE", [](Scene& s) { s.Facts("worst.v1").set_configs_hidden(true); }, false, false},
    {"NOT_VISIBLE", [](Scene& s) { s.Group("st.p.e.late").set_state(v1::GroupFacts::INVISIBLE); }, false, false},
    {"PARTITIONS_REDUCED", [](Scene& s) { s.Present("worst.v1", "worst-id", 3); }, false, true},
    {"PARTITIONS_UNDER_RUNNER", [](Scene& s) { s.Topic("late.v1").set_partitions(4); }, true, false},
    {"REPLICATION_CHANGED", [](Scene& s) { s.Topic("worst.v1").set_replication_factor(3); }, true, false},
    {"UNSUPPORTED_TOPIC_CHANGE", [](Scene& s) { s.Topic("worst.v1").set_name("renamed.v1"); }, true, false},
    {"UNSUPPORTED_RUNNER_CHANGE",
     [](Scene& s) {
       s.Model("late").mutable_plan()->set_extra_members(v1::ignore);
       s.Model("late").set_plan_sha256("other");
     },
     true, false},
    {"UNSUPPORTED_RUNNER_CHANGE",
     [](Scene& s) { s.observed.mutable_topology()->mutable_runner()->set_commit_interval_ms(7); }, true, false},
    {"RUNNER_NOT_OURS",
     [](Scene& s) {
       v1::GenerationFacts copy = s.Generation("late");
       copy.set_generation_id("g-foreign");
       *s.observed.mutable_observation()->mutable_host()->add_generations() = copy;
     },
     false, true},
    {"RUNNER_MISSING", [](Scene& s) { s.observed.mutable_observation()->mutable_host()->clear_generations(); }, false,
     true},
    {"RUNNER_CHANGED", [](Scene& s) { s.Generation("late").set_plan_sha256("edited"); }, false, true},
    {"RUNNER_CHANGED", [](Scene& s) { s.Generation("late").set_binary_sha256("edited"); }, false, true},
    {"HOST_CHANGED", [](Scene& s) { s.observed.mutable_observation()->mutable_host()->set_host_id("x"); }, false,
     false},
    {"HOST_UNREADABLE", [](Scene& s) { s.observed.mutable_observation()->mutable_host()->set_detail("no"); }, false,
     false},
    {"OPERATION_PENDING",
     [](Scene& s) { s.observed.mutable_observation()->mutable_state()->set_open_operation_id("op"); }, false, false},
    {"STATE_UNREADABLE", [](Scene& s) { s.observed.mutable_observation()->mutable_state()->set_detail("no"); }, false,
     false},
    {"REMOTE_STATE_REQUIRED",
     [](Scene& s) { s.observed.mutable_topology()->mutable_safety()->set_require_remote_state(true); }, false, false},
    {"OFFSETS_MISSING",
     [](Scene& s) {
       s.End("late", v1::RunnerStatus::CLOSED);
       s.Group("st.p.e.late").mutable_topics(0)->mutable_offsets(1)->set_offset(-1);
     },
     false, true},
    {"OFFSETS_OUT_OF_RANGE",
     [](Scene& s) {
       s.End("late", v1::RunnerStatus::CLOSED);
       s.Facts("raw.v1").mutable_partitions(0)->set_begin_offset(60);
     },
     false, true},
    {"GROUP_ACTIVE",
     [](Scene& s) {
       s.End("late", v1::RunnerStatus::CLOSED);
       s.Group("st.p.e.late").set_state(v1::GroupFacts::STABLE);
       s.Group("st.p.e.late").add_members()->set_member_id("stranger");
     },
     false, true},
};

INSTANTIATE_TEST_SUITE_P(All, DeployedBlockerTest, testing::ValuesIn(kDeployedBlockers));

class NewBlockerTest : public testing::TestWithParam<BlockerCase> {};

TEST_P(NewBlockerTest, IsNamed) {
  Scene scene;
  GetParam().spoil(scene);
  EXPECT_THAT(Blockers(scene.Plan()), Contains(GetParam().code));
}

const BlockerCase kNewBlockers[] = {
    {"INPUT_MISSING", [](Scene& s) { s.Absent("raw.v1"); }, true, false},
    {"ADOPTION_REQUIRED", [](Scene& s) { s.Present("late.v1", "foreign", 1); }, true, false},
    {"REFUSED_BY_BROKER",
     [](Scene& s) {
       v1::TopicVerdict& verdict = *s.observed.mutable_observation()->add_verdicts();
       verdict.set_topic("late.v1");
       verdict.set_refused(true);
     },
     true, false},
    {"RUNNER_NOT_OURS", [](Scene& s) { s.Generation("late").set_generation_id("g-foreign"); }, true, true},
    {"GROUP_ACTIVE", [](Scene& s) { s.Group("st.p.e.late").set_state(v1::GroupFacts::STABLE); }, true, true},
    {"GROUP_HAS_OFFSETS",
     [](Scene& s) {
       v1::GroupOffsets& offsets = *s.Group("st.p.e.late").add_topics();
       offsets.set_topic("raw.v1");
       offsets.add_offsets()->set_offset(3);
     },
     true, true},
    {"OFFSETS_UNSTABLE",
     [](Scene& s) {
       v1::GroupOffsets& offsets = *s.Group("st.p.e.late").add_topics();
       offsets.set_topic("raw.v1");
       offsets.add_offsets()->set_offset(-1);
       offsets.mutable_offsets(0)->set_unstable(true);
     },
     true, true},
    {"RUNNER_BINARY_MISSING", [](Scene& s) { s.observed.mutable_observation()->mutable_host()->clear_runner_sha256(); },
     true, false},
    {"VOLUME_FOREIGN",
     [](Scene& s) {
       v1::VolumeFacts& volume = *s.observed.mutable_observation()->mutable_host()->add_volumes();
       volume.set_application_id("st.p.e.late");
       volume.set_detail("it has no label of ours");
     },
     true, true},
    {"IMAGE_MISSING",
     [](Scene& s) {
       s.UseDocker();
       s.observed.mutable_observation()->mutable_host()->mutable_image()->set_present(false);
     },
     true, false},
    {"IMAGE_FOREIGN",
     [](Scene& s) {
       s.UseDocker();
       s.observed.mutable_observation()->mutable_host()->mutable_image()->clear_record_plan_version();
     },
     true, false},
    {"IMAGE_FOREIGN",
     [](Scene& s) {
       s.UseDocker();
       s.observed.mutable_observation()->mutable_host()->mutable_image()->set_record_plan_version("2");
     },
     true, false},
    {"NETWORK_MISSING",
     [](Scene& s) {
       s.UseDocker();
       s.observed.mutable_observation()->mutable_host()->mutable_network()->set_present(false);
     },
     true, false},
    {"NETWORK_UNSUITABLE",
     [](Scene& s) {
       s.UseDocker();
       s.observed.mutable_observation()->mutable_host()->mutable_network()->set_driver("host");
     },
     true, false},
};

INSTANTIATE_TEST_SUITE_P(All, NewBlockerTest, testing::ValuesIn(kNewBlockers));

TEST(PlanTest, OnDockerAPlanBindsImageNetworkAndLimits) {
  Scene scene;
  scene.UseDocker();
  const v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), IsEmpty());
  ASSERT_EQ(plan.actions_size(), 4);
  const v1::CreateRunner& create = plan.actions(2).create_runner();
  EXPECT_EQ(create.host(), v1::DOCKER);
  EXPECT_EQ(create.runner_sha256(), "image");
  EXPECT_EQ(create.network_id(), "net-id");
  EXPECT_EQ(create.memory_mib(), 256u);
  EXPECT_EQ(create.pids_limit(), 64u);
}

TEST(PlanTest, OnDockerWhatAContainerWasMadeWithDoesNotChangeUnderIt) {
  using Spoil = void (*)(Scene&);
  const std::pair<const char*, Spoil> cases[] = {
      {"its image", [](Scene& s) { s.observed.mutable_topology()->mutable_runner()->set_image("another"); }},
      {"its network",
       [](Scene& s) { s.observed.mutable_observation()->mutable_host()->mutable_network()->set_id("x"); }},
      {"memory_mib", [](Scene& s) { s.observed.mutable_topology()->mutable_runner()->set_memory_mib(512); }},
      {"pids_limit", [](Scene& s) { s.observed.mutable_topology()->mutable_runner()->set_pids_limit(32); }},
  };
  for (const auto& [named, spoil] : cases) {
    Scene scene;
    scene.Deploy();
    scene.UseDocker();
    ASSERT_THAT(Blockers(scene.Plan()), IsEmpty());
    ASSERT_THAT(Warnings(scene.Plan()), IsEmpty());
    spoil(scene);
    const v1::Plan plan = scene.Plan();
    ASSERT_THAT(Blockers(plan), Contains("UNSUPPORTED_RUNNER_CHANGE")) << named;
    EXPECT_THAT(plan.blockers(0).text(), HasSubstr(named));
  }
}

TEST(PlanTest, OffsetsThatMovedWhileNothingRanBlock) {
  Scene closed;
  closed.Deploy();
  closed.End("late", v1::RunnerStatus::CLOSED);
  v1::OwnedRunner& owned = *closed.Owned("st://p/e/model/late").mutable_runner();
  owned.set_running(false);
  for (int i = 0; i < 2; ++i) {
    v1::PartitionOffset& offset = *owned.add_closed();
    offset.set_partition(i);
    offset.set_offset(closed.Group("st.p.e.late").topics(0).offsets(i).offset());
  }
  EXPECT_THAT(Actions(closed.Plan()), ElementsAre("start_runner model/late"));
  owned.mutable_closed(1)->set_offset(owned.closed(1).offset() - 1);
  EXPECT_THAT(Blockers(closed.Plan()), ElementsAre("OFFSETS_MOVED"));

  Scene killed;
  killed.Deploy();
  killed.End("late", v1::RunnerStatus::RUNNING);
  v1::RunnerStatus::Partition& last = *killed.Generation("late").mutable_status()->add_partitions();
  last.set_committed(killed.Group("st.p.e.late").topics(0).offsets(0).offset());
  EXPECT_THAT(Actions(killed.Plan()), ElementsAre("start_runner model/late"));
  last.set_committed(last.committed() + 1);
  EXPECT_THAT(Blockers(killed.Plan()), ElementsAre("OFFSETS_MOVED"));
}

TEST(PlanTest, AModelThatLosesItsSqlIsNotForgotten) {
  Scene scene;
  scene.Deploy();
  v1::CompiledModel& model = scene.Model("worst");
  model.clear_plan();
  model.clear_input();
  const v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), ElementsAre("UNSUPPORTED_RUNNER_CHANGE"));
  EXPECT_TRUE(plan.declarations_changed());
}

TEST(PlanTest, ARenamedModelIsNotTakenForAForeignTopic) {
  Scene scene;
  scene.Deploy();
  scene.Owned("st://p/e/topic/worst").set_resource("st://p/e/topic/old_name");
  EXPECT_THAT(Blockers(scene.Plan()), Contains("UNSUPPORTED_TOPIC_CHANGE"));
  EXPECT_THAT(Blockers(scene.Plan()), testing::Not(Contains("ADOPTION_REQUIRED")));
}

TEST(PlanTest, AnotherVolumeThanTheDeployedOneBlocks) {
  Scene scene;
  scene.Deploy();
  scene.observed.mutable_observation()->mutable_host()->mutable_volumes(0)->set_instance_id("made again");
  EXPECT_THAT(Blockers(scene.Plan()), Contains("VOLUME_CHANGED"));
  scene.observed.mutable_observation()->mutable_host()->clear_volumes();
  EXPECT_THAT(Blockers(scene.Plan()), Contains("VOLUME_CHANGED"));
}

TEST(PlanTest, AKilledRunnerIsStartedAgainAsDrift) {
  Scene scene;
  scene.Deploy();
  scene.End("late", v1::RunnerStatus::RUNNING);
  // Its member stays until the session ends.
  scene.Group("st.p.e.late").set_state(v1::GroupFacts::STABLE);
  scene.Group("st.p.e.late").add_members()->set_member_id("member-late");
  v1::Plan plan = scene.Plan();
  EXPECT_THAT(Actions(plan), ElementsAre("start_runner model/late"));
  EXPECT_THAT(Blockers(plan), IsEmpty());
  EXPECT_THAT(Warnings(plan), Contains("GROUP_ACTIVE"));
  EXPECT_FALSE(plan.declarations_changed());
  EXPECT_TRUE(plan.world_drifted());
  EXPECT_EQ(plan.actions(0).start_runner().offsets(1).offset(), 50);
}

TEST(PlanTest, ARunnerThatFailedIsStartedWithAWarning) {
  Scene scene;
  scene.Deploy();
  scene.End("late", v1::RunnerStatus::FAILED);
  scene.Generation("late").mutable_status()->set_detail("raw[0] at offset 7 is poison");
  const v1::Plan plan = scene.Plan();
  EXPECT_THAT(Actions(plan), ElementsAre("start_runner model/late"));
  ASSERT_EQ(plan.warnings_size(), 1);
  EXPECT_EQ(plan.warnings(0).code(), "RUNNER_FAILED");
  EXPECT_THAT(plan.warnings(0).text(), HasSubstr("offset 7"));
}

TEST(PlanTest, WhileAnOperationIsOpenNothingElseIsSaid) {
  Scene scene;
  scene.Deploy();
  scene.observed.mutable_observation()->mutable_state()->clear_resources();
  scene.observed.mutable_observation()->mutable_state()->set_open_operation_id("op");
  const v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), ElementsAre("OPERATION_PENDING"));
  EXPECT_THAT(Actions(plan), IsEmpty());
  EXPECT_EQ(plan.blockers(0).resource(), "p/e");
}

TEST(PlanTest, AnOpenTransactionOfAKilledRunnerIsWaitedForByApply) {
  Scene scene;
  scene.Deploy();
  scene.End("late", v1::RunnerStatus::RUNNING);
  scene.Group("st.p.e.late").mutable_topics(0)->mutable_offsets(0)->set_unstable(true);
  v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), IsEmpty());
  EXPECT_THAT(Warnings(plan), Contains("OFFSETS_UNSTABLE"));
  ASSERT_EQ(plan.actions(0).start_runner().offsets_size(), 1);
  EXPECT_EQ(plan.actions(0).start_runner().offsets(0).partition(), 1);
}

TEST(PlanTest, ADeclaredStopStopsAndADeclaredStartStarts) {
  Scene scene;
  scene.Deploy();
  scene.Model("late").set_running(false);
  v1::Plan plan = scene.Plan();
  EXPECT_THAT(Actions(plan), ElementsAre("stop_runner model/late"));
  EXPECT_TRUE(plan.declarations_changed());
  EXPECT_FALSE(plan.world_drifted());

  scene.End("late", v1::RunnerStatus::CLOSED);
  scene.Owned("st://p/e/model/late").mutable_runner()->set_running(false);
  EXPECT_THAT(Actions(scene.Plan()), IsEmpty());
  scene.Model("late").set_running(true);
  plan = scene.Plan();
  EXPECT_THAT(Actions(plan), ElementsAre("start_runner model/late"));
  EXPECT_TRUE(plan.declarations_changed());
  EXPECT_FALSE(plan.world_drifted());
}

TEST(PlanTest, AModelThatWasNeverDeployedAndIsDeclaredStoppedHasNoRunner) {
  Scene scene;
  scene.Model("late").set_running(false);
  scene.Model("worst").set_running(false);
  EXPECT_THAT(Actions(scene.Plan()), ElementsAre("create_topic topic/late", "create_topic topic/worst"));
}

v1::TopicConfig& AddConfig(v1::CompiledTopic& topic, const char* name, const char* value) {
  v1::TopicConfig& config = *topic.add_configs();
  config.set_name(name);
  config.set_value(value);
  return config;
}

struct ConfigTest : testing::Test {
  ConfigTest() {
    scene.Deploy();
    AddConfig(scene.Topic("worst.v1"), "retention.ms", "+5000");
    v1::OwnedConfig& owned = *scene.Owned("st://p/e/topic/worst").mutable_topic()->add_configs();
    owned.set_name("retention.ms");
    owned.set_declared("+5000");
    owned.set_reported("5000");
    v1::TopicConfig& reported = *scene.Facts("worst.v1").add_configs();
    reported.set_name("retention.ms");
    reported.set_value("5000");
  }
  Scene scene;
};

TEST_F(ConfigTest, WhatTheBrokerNormalisedIsNoChange) { EXPECT_THAT(Actions(scene.Plan()), IsEmpty()); }

TEST_F(ConfigTest, ADeclaredChangeIsSet) {
  scene.Topic("worst.v1").mutable_configs(0)->set_value("6000");
  v1::Plan plan = scene.Plan();
  ASSERT_THAT(Actions(plan), ElementsAre("update_topic topic/worst"));
  EXPECT_TRUE(plan.declarations_changed());
  EXPECT_FALSE(plan.world_drifted());
  const v1::UpdateTopic::ConfigChange& change = plan.actions(0).update_topic().configs(0);
  EXPECT_EQ(change.prior(), "5000");
  EXPECT_EQ(change.desired(), "6000");
}

TEST_F(ConfigTest, AChangeOutsideIsDriftAndSetBack) {
  scene.Facts("worst.v1").mutable_configs(0)->set_value("7000");
  v1::Plan plan = scene.Plan();
  ASSERT_THAT(Actions(plan), ElementsAre("update_topic topic/worst"));
  EXPECT_FALSE(plan.declarations_changed());
  EXPECT_TRUE(plan.world_drifted());
  EXPECT_EQ(plan.actions(0).cause(), v1::Action::DRIFTED);
}

TEST_F(ConfigTest, AChangeOutsideAndADeclaredOneAreBoth) {
  scene.Facts("worst.v1").mutable_configs(0)->set_value("7000");
  scene.Topic("worst.v1").mutable_configs(0)->set_value("7000");
  const v1::Plan plan = scene.Plan();
  ASSERT_THAT(Actions(plan), ElementsAre("update_topic topic/worst"));
  EXPECT_TRUE(plan.declarations_changed());
  EXPECT_TRUE(plan.world_drifted());
  EXPECT_THAT(plan.actions(0).reason(), HasSubstr("stays 7000"));
}

TEST_F(ConfigTest, OnlyWhatWeSetIsRemoved) {
  scene.Topic("worst.v1").clear_configs();
  v1::TopicConfig& foreign = *scene.Facts("worst.v1").add_configs();
  foreign.set_name("segment.ms");
  foreign.set_value("1");
  v1::Plan plan = scene.Plan();
  ASSERT_EQ(plan.actions_size(), 1);
  ASSERT_EQ(plan.actions(0).update_topic().configs_size(), 1);
  EXPECT_EQ(plan.actions(0).update_topic().configs(0).name(), "retention.ms");
  EXPECT_FALSE(plan.actions(0).update_topic().configs(0).has_value());
}

TEST(PlanTest, MorePartitionsAreADeclaredBreakageAndNeverUnderARunner) {
  Scene scene;
  scene.Deploy();
  scene.Topic("worst.v1").set_partitions(2);
  EXPECT_THAT(Blockers(scene.Plan()), ElementsAre("PARTITIONS_UNDER_RUNNER"));
  scene.Model("worst").set_running(false);
  scene.Owned("st://p/e/model/worst").mutable_runner()->set_running(false);
  scene.End("worst", v1::RunnerStatus::CLOSED);
  v1::Plan plan = scene.Plan();
  ASSERT_THAT(Actions(plan), ElementsAre("update_topic topic/worst"));
  ASSERT_EQ(plan.impacts_size(), 1);
  EXPECT_EQ(plan.impacts(0).severity(), v1::Impact::DECLARED_BREAKAGE);
  EXPECT_EQ(plan.impacts(0).owner(), "app-team");
  EXPECT_THAT(plan.impacts(0).text(), Not(HasSubstr("configs")));
  // What else the same action changes is judged, too.
  v1::TopicConfig& retention = *scene.Topic("worst.v1").add_configs();
  retention.set_name("retention.ms");
  retention.set_value("1000");
  plan = scene.Plan();
  ASSERT_EQ(plan.impacts_size(), 1);
  EXPECT_EQ(plan.impacts(0).severity(), v1::Impact::DECLARED_BREAKAGE);
  EXPECT_THAT(plan.impacts(0).text(), HasSubstr("their order is lost; and topic configs change"));
}

TEST(PlanTest, ImpactReachesEveryoneDownstreamByPath) {
  Scene scene;
  scene.Deploy();
  scene.Model("late").set_running(false);
  v1::GroupFacts& stranger = scene.Group("stranger");
  stranger.set_state(v1::GroupFacts::STABLE);
  stranger.add_topics()->set_topic("worst.v1");
  v1::Plan plan = scene.Plan();
  std::vector<std::string> affected;
  for (const v1::Impact& impact : plan.impacts()) affected.push_back(impact.affected());
  EXPECT_THAT(affected, ElementsAre("st://p/e/model/worst", "st://p/e/exposure/app", "group:stranger"));
  EXPECT_THAT(plan.impacts(1).path(),
              ElementsAre("st://p/e/model/late", "st://p/e/model/worst", "st://p/e/exposure/app"));
  EXPECT_THAT(plan.impacts(2).text(), HasSubstr("not known"));
}

TEST(PlanTest, NothingIsRemovedForBeingAbsent) {
  Scene scene;
  scene.Deploy();
  scene.observed.mutable_topology()->mutable_models()->RemoveLast();
  scene.observed.mutable_topology()->mutable_topics()->RemoveLast();
  scene.observed.mutable_topology()->clear_exposures();
  v1::Plan plan = scene.Plan();
  EXPECT_THAT(Actions(plan), IsEmpty());
  EXPECT_THAT(Warnings(plan), ElementsAre("NO_LONGER_DECLARED", "NO_LONGER_DECLARED"));
}

TEST(PlanTest, AnOfflinePlanSaysSoInEachLine) {
  Scene scene;
  scene.observed.clear_observation();
  scene.observed.mutable_observation()->set_offline(true);
  v1::Plan plan = scene.Plan();
  EXPECT_TRUE(plan.offline());
  EXPECT_EQ(plan.actions_size(), 4);
  for (const v1::Action& action : plan.actions()) EXPECT_THAT(action.reason(), HasSubstr("offline"));
}

TEST(PlanTest, ADocumentThatWasEditedIsRefused) {
  Scene scene;
  v1::Plan plan = scene.Plan();
  plan.mutable_actions(0)->set_reason("something else");
  diag::Diagnostics diagnostics;
  EXPECT_FALSE(Verify(plan, &diagnostics));
  ASSERT_EQ(diagnostics.Sorted().size(), 1u);
  EXPECT_EQ(diagnostics.Sorted()[0].code, "PLAN_CHECKSUM");
}

}  // namespace
}  // namespace st::plan
