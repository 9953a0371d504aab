// What the plan says when the SQL of a deployed model changes.
#include <functional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/base/digest.h"
#include "lib/diag/diag.h"
#include "lib/plan/plan.h"
#include "lib/plan/record_change.h"
#include "lib/plan/scene.h"

namespace st::plan {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void AddColumn(v1::RecordPlan* plan, const std::string& name, v1::ColumnType type, bool required) {
  v1::InputColumn& column = *plan->add_columns();
  column.set_name(name);
  column.set_member(name);
  column.set_type(type);
  column.set_required(required);
}

void Select(v1::RecordPlan* plan, const std::string& column, const std::string& as) {
  v1::Projection& projection = *plan->add_projections();
  projection.set_column(column);
  projection.set_name(as);
}

void AtLeast(v1::RecordPlan* plan, const std::string& column, int64_t value) {
  v1::Predicate& predicate = *plan->add_predicates();
  predicate.set_column(column);
  predicate.set_op(v1::Predicate::GE);
  predicate.set_bigint_value(value);
}

// SELECT k, n FROM ... WHERE n >= 10, with a nullable column `note` that is not selected; both models are deployed so.
struct ReplacePlanTest : testing::Test {
  ReplacePlanTest() {
    for (const char* model : {"late", "worst"}) {
      Redefine(model, [](v1::RecordPlan* plan) {
        AddColumn(plan, "k", v1::STRING, true);
        AddColumn(plan, "n", v1::BIGINT, true);
        AddColumn(plan, "note", v1::STRING, false);
        Select(plan, "k", "k");
        Select(plan, "n", "n");
        AtLeast(plan, "n", 10);
      });
    }
    scene.Deploy();
  }

  void Redefine(const std::string& model, const std::function<void(v1::RecordPlan*)>& change) {
    change(scene.Model(model).mutable_plan());
    scene.Model(model).set_plan_sha256(base::Checksum(scene.Model(model).plan()));
  }
  void Filter(const std::string& model, int64_t value) {
    Redefine(model, [&](v1::RecordPlan* plan) { plan->mutable_predicates(0)->set_bigint_value(value); });
  }

  static std::vector<std::string> Blockers(const v1::Plan& plan) {
    std::vector<std::string> codes;
    for (const v1::Blocker& blocker : plan.blockers()) codes.push_back(blocker.code());
    return codes;
  }

  Scene scene;
};

TEST_F(ReplacePlanTest, AnotherFilterReplacesTheRunnerOnTheSameIdentities) {
  Filter("late", 11);
  const v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), IsEmpty());
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_TRUE(plan.declarations_changed());
  EXPECT_FALSE(plan.world_drifted());
  const v1::Action& action = plan.actions(0);
  ASSERT_TRUE(action.has_replace_runner());
  EXPECT_EQ(action.reason(), "replace runner st.p.e.late: the filter `n >= 10` becomes `n >= 11`");
  const v1::ReplaceRunner& replace = action.replace_runner();
  EXPECT_EQ(replace.application_id(), "st.p.e.late");
  EXPECT_EQ(replace.generation_id(), "g-late");
  EXPECT_EQ(replace.plan_sha256(), scene.Model("late").plan_sha256());
  EXPECT_EQ(replace.input().topic_id(), "raw-id");
  EXPECT_EQ(replace.output().topic_id(), "late-id");
  EXPECT_EQ(replace.input_partitions(), 2u);
  ASSERT_EQ(replace.offsets_size(), 2);
  EXPECT_EQ(replace.offsets(1).offset(), 50);
  EXPECT_EQ(replace.runner_sha256(), "binary");
  EXPECT_TRUE(replace.running());
  EXPECT_FALSE(replace.ended());
  EXPECT_EQ(action.prior().runner().plan().predicates(0).bigint_value(), 10);
}

TEST_F(ReplacePlanTest, TheRunnerBecomesTheOneBesideTheToolsAndNoOlderOneIsWarnedOf) {
  scene.observed.mutable_observation()->mutable_host()->set_runner_sha256("newer");
  Filter("late", 11);
  const v1::Plan plan = scene.Plan();
  EXPECT_EQ(plan.actions(0).replace_runner().runner_sha256(), "newer");
  for (const v1::PlanWarning& warning : plan.warnings()) EXPECT_NE(warning.resource(), "st://p/e/model/late");
}

TEST_F(ReplacePlanTest, SeveralChangesStandInOnePlanUpstreamFirst) {
  Filter("worst", 12);
  Filter("late", 11);
  scene.Topic("worst.v1").add_configs()->set_name("retention.ms");
  const v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), IsEmpty());
  ASSERT_EQ(plan.actions_size(), 3);
  EXPECT_TRUE(plan.actions(0).has_update_topic());
  EXPECT_EQ(plan.actions(1).resource(), "st://p/e/model/late");
  EXPECT_EQ(plan.actions(2).resource(), "st://p/e/model/worst");
  EXPECT_TRUE(plan.actions(2).has_replace_runner());
}

TEST_F(ReplacePlanTest, AReplacementThatIsNotWholeIsRefused) {
  Filter("late", 11);
  v1::Plan plan = scene.Plan();
  // Only the actions are of interest here.
  v1::Topology& topology = *plan.mutable_topology();
  topology.clear_topics();
  topology.clear_sources();
  topology.clear_models();
  topology.clear_exposures();
  topology.clear_checksum();
  topology.set_checksum(base::Checksum(topology));
  auto verified = [&plan] {
    plan.clear_checksum();
    plan.set_checksum(base::Checksum(plan));
    diag::Diagnostics diagnostics;
    const bool holds = Verify(plan, &diagnostics);
    return holds ? "" : diag::Render(diagnostics, diag::Format::kText);
  };
  EXPECT_EQ(verified(), "");
  plan.mutable_actions(0)->mutable_replace_runner()->mutable_plan()->set_output_topic("elsewhere");
  EXPECT_THAT(verified(), HasSubstr("PLAN_ACTION"));
}

struct UnsupportedCase {
  const char* named;
  void (*change)(Scene&, v1::RecordPlan*);
};

TEST_F(ReplacePlanTest, AllElseIsUnsupportedAndSaysWhatChanged) {
  const UnsupportedCase cases[] = {
      {"its input topic", [](Scene&, v1::RecordPlan* plan) { plan->set_input_topic("x"); }},
      {"its output topic", [](Scene&, v1::RecordPlan* plan) { plan->set_output_topic("x"); }},
      {"the columns that its input declares",
       [](Scene&, v1::RecordPlan* plan) { plan->mutable_columns(2)->set_required(true); }},
      {"the columns that its input declares",
       [](Scene&, v1::RecordPlan* plan) { AddColumn(plan, "z", v1::ANY, false); }},
      {"extra_members of its input", [](Scene&, v1::RecordPlan* plan) { plan->set_extra_members(v1::ignore); }},
      {"commit_interval_ms",
       [](Scene& s, v1::RecordPlan*) { s.observed.mutable_topology()->mutable_runner()->set_commit_interval_ms(7); }},
      {"initial_offset",
       [](Scene& s, v1::RecordPlan*) {
         s.observed.mutable_topology()->mutable_runner()->set_initial_offset(v1::LATEST);
       }},
      {"its host",
       [](Scene& s, v1::RecordPlan*) { s.observed.mutable_topology()->mutable_runner()->set_host(v1::DOCKER); }},
  };
  const Scene deployed = scene;
  for (const UnsupportedCase& unsupported : cases) {
    SCOPED_TRACE(unsupported.named);
    scene = deployed;
    // Together with a change that may be made.
    Redefine("late", [&](v1::RecordPlan* plan) {
      plan->mutable_predicates(0)->set_bigint_value(11);
      unsupported.change(scene, plan);
    });
    const v1::Plan plan = scene.Plan();
    ASSERT_THAT(Blockers(plan), Contains("UNSUPPORTED_RUNNER_CHANGE"));
    EXPECT_THAT(plan.blockers(0).text(), HasSubstr(unsupported.named));
    EXPECT_THAT(plan.blockers(0).way_out(), HasSubstr("declare a new model"));
    for (const v1::Action& action : plan.actions()) EXPECT_NE(action.resource(), "st://p/e/model/late");
  }
}

TEST_F(ReplacePlanTest, OneThatEndedIsReplacedAndTheReviewerIsTold) {
  scene.End("late", v1::RunnerStatus::FAILED);
  scene.Generation("late").mutable_status()->set_reason(v1::RunnerStatus::OUTPUT_REFUSED);
  Filter("late", 11);
  const v1::Plan plan = scene.Plan();
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_TRUE(plan.actions(0).replace_runner().ended());
  EXPECT_THAT(plan.actions(0).reason(), HasSubstr("it ended already (FAILED OUTPUT_REFUSED)"));
  EXPECT_TRUE(plan.world_drifted());
  EXPECT_TRUE(plan.declarations_changed());
}

TEST_F(ReplacePlanTest, AStoppedOneIsReplacedWithoutAStartAndWithOne) {
  scene.End("late", v1::RunnerStatus::CLOSED);
  v1::OwnedRunner& owned = *scene.Owned("st://p/e/model/late").mutable_runner();
  owned.set_running(false);
  scene.Model("late").set_running(false);
  Filter("late", 11);
  v1::Plan plan = scene.Plan();
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_FALSE(plan.actions(0).replace_runner().running());
  EXPECT_THAT(plan.actions(0).reason(), HasSubstr("not started"));
  EXPECT_FALSE(plan.world_drifted());
  scene.Model("late").set_running(true);
  plan = scene.Plan();
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_TRUE(plan.actions(0).replace_runner().running());
  // Offsets that moved while nothing ran.
  v1::PartitionOffset& closed = *owned.add_closed();
  closed.set_partition(1);
  closed.set_offset(49);
  EXPECT_THAT(Blockers(scene.Plan()), ElementsAre("OFFSETS_MOVED"));
}

struct SpoiledCase {
  const char* code;
  void (*spoil)(Scene&);
};

TEST_F(ReplacePlanTest, WhatForbidsIt) {
  const SpoiledCase cases[] = {
      {"GROUP_ACTIVE", [](Scene& s) { s.Group("st.p.e.late").add_members()->set_member_id("stranger"); }},
      {"OFFSETS_MISSING", [](Scene& s) { s.Group("st.p.e.late").clear_topics(); }},
      {"OFFSETS_OUT_OF_RANGE", [](Scene& s) { s.Facts("raw.v1").mutable_partitions(0)->set_begin_offset(60); }},
      {"RUNNER_NOT_OURS", [](Scene& s) { s.Generation("late").set_generation_id("g-renamed"); }},
      {"RUNNER_CHANGED", [](Scene& s) { s.Generation("late").set_plan_sha256("edited"); }},
      {"VOLUME_CHANGED",
       [](Scene& s) {
         s.observed.mutable_observation()->mutable_host()->mutable_volumes(0)->set_instance_id("made again");
       }},
      {"TOPIC_ID_CHANGED", [](Scene& s) { s.Facts("raw.v1").set_topic_id("made again"); }},
      {"RUNNER_BINARY_MISSING",
       [](Scene& s) { s.observed.mutable_observation()->mutable_host()->clear_runner_sha256(); }},
  };
  Filter("late", 11);
  const Scene changed = scene;
  for (const SpoiledCase& spoiled : cases) {
    scene = changed;
    spoiled.spoil(scene);
    EXPECT_THAT(Blockers(scene.Plan()), Contains(spoiled.code));
  }
}

TEST_F(ReplacePlanTest, OnDockerImageAndNetworkStay) {
  scene.UseDocker();
  Filter("late", 11);
  v1::Plan plan = scene.Plan();
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_EQ(plan.actions(0).replace_runner().runner_sha256(), "image");
  EXPECT_EQ(plan.actions(0).replace_runner().network_id(), "net-id");
  scene.observed.mutable_observation()->mutable_host()->mutable_image()->set_present(false);
  EXPECT_THAT(Blockers(scene.Plan()), Contains("IMAGE_MISSING"));
}

// Of everything downstream of `late`: model `worst` reads it, exposure `app` reads `worst`; here `near` reads it too.
struct ReplaceImpactTest : ReplacePlanTest {
  v1::CompiledExposure& Near() {
    v1::CompiledExposure& exposure = *scene.observed.mutable_topology()->add_exposures();
    exposure.set_name("near");
    exposure.set_resource("st://p/e/exposure/near");
    exposure.set_consumer_group("near-group");
    exposure.add_consumes("st://p/e/model/worst");
    return exposure;
  }
  static v1::Impact On(const v1::Plan& plan, const std::string& affected) {
    for (const v1::Impact& impact : plan.impacts()) {
      if (impact.affected() == affected) return impact;
    }
    return v1::Impact();
  }
};

TEST_F(ReplaceImpactTest, AnotherFilterMayTouchEveryoneDownstream) {
  Filter("late", 11);
  const v1::Plan plan = scene.Plan();
  EXPECT_EQ(On(plan, "st://p/e/model/worst").severity(), v1::Impact::POTENTIAL_IMPACT);
  const v1::Impact app = On(plan, "st://p/e/exposure/app");
  EXPECT_EQ(app.severity(), v1::Impact::POTENTIAL_IMPACT);
  EXPECT_THAT(app.text(), HasSubstr("the filter `n >= 10` becomes `n >= 11`"));
  EXPECT_THAT(app.path(), ElementsAre("st://p/e/model/late", "st://p/e/model/worst", "st://p/e/exposure/app"));
}

TEST_F(ReplaceImpactTest, ADroppedColumnMattersToWhoDidNotSayWhatItNeeds) {
  Near().add_columns()->set_name("k");
  v1::GroupFacts& stranger = scene.Group("stranger");
  stranger.set_state(v1::GroupFacts::STABLE);
  stranger.add_topics()->set_topic("worst.v1");
  Redefine("worst", [](v1::RecordPlan* plan) { plan->mutable_projections()->RemoveLast(); });
  const v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), IsEmpty());
  EXPECT_EQ(plan.actions(0).reason(), "replace runner st.p.e.worst: `n` goes");
  EXPECT_EQ(On(plan, "st://p/e/exposure/near").severity(), v1::Impact::INFORMATION);
  EXPECT_EQ(On(plan, "st://p/e/exposure/app").severity(), v1::Impact::POTENTIAL_IMPACT);
  EXPECT_THAT(On(plan, "st://p/e/exposure/app").text(), HasSubstr("not known"));
  EXPECT_EQ(On(plan, "group:stranger").severity(), v1::Impact::POTENTIAL_IMPACT);
  // With another filter in the same change the records differ for it, too.
  Filter("worst", 3);
  EXPECT_EQ(On(scene.Plan(), "st://p/e/exposure/near").severity(), v1::Impact::POTENTIAL_IMPACT);
}

TEST_F(ReplaceImpactTest, AnotherOrderIsInformation) {
  Redefine("worst", [](v1::RecordPlan* plan) { plan->mutable_projections()->SwapElements(0, 1); });
  const v1::Plan plan = scene.Plan();
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_THAT(plan.actions(0).reason(), HasSubstr("another order"));
  EXPECT_EQ(On(plan, "st://p/e/exposure/app").severity(), v1::Impact::INFORMATION);
}

TEST_F(ReplaceImpactTest, OtherColumnsBreakARunnerThatReadsThem) {
  Redefine("late", [](v1::RecordPlan* plan) { Select(plan, "note", "note"); });
  // As st-compile makes it of that.
  Redefine("worst", [](v1::RecordPlan* plan) { AddColumn(plan, "zz", v1::STRING, false); });
  const v1::Plan plan = scene.Plan();
  EXPECT_THAT(Blockers(plan), ElementsAre("UNSUPPORTED_RUNNER_CHANGE"));
  EXPECT_EQ(plan.blockers(0).resource(), "st://p/e/model/worst");
  EXPECT_EQ(On(plan, "st://p/e/model/worst").severity(), v1::Impact::DECLARED_BREAKAGE);
  EXPECT_EQ(On(plan, "st://p/e/exposure/app").severity(), v1::Impact::POTENTIAL_IMPACT);
}

TEST(RecordChangeTest, TextIsSqlWithWhatIsInvisibleEscaped) {
  v1::RecordPlan plan;
  EXPECT_EQ(FilterText(plan), "everything");
  AtLeast(&plan, "n", -5);
  v1::Predicate& name = *plan.add_predicates();
  name.set_column("name");
  name.set_op(v1::Predicate::NE);
  name.set_string_value("O'Hare\n");
  v1::Predicate& open = *plan.add_predicates();
  open.set_column("open");
  open.set_op(v1::Predicate::EQ);
  open.set_boolean_value(true);
  v1::Predicate& note = *plan.add_predicates();
  note.set_column("note");
  note.set_op(v1::Predicate::IS_NULL);
  EXPECT_EQ(FilterText(plan), "n >= -5 AND name <> 'O''Hare\\u{A}' AND open = TRUE AND note IS NULL");
  for (int i = 0; i < 100; ++i) AtLeast(&plan, "n", i);
  EXPECT_LE(FilterText(plan).size(), 303u);
}

TEST(RecordChangeTest, EachKindOfChangeHasItsWords) {
  v1::RecordPlan before;
  AddColumn(&before, "a", v1::STRING, true);
  AddColumn(&before, "b", v1::BIGINT, false);
  Select(&before, "a", "x");
  Select(&before, "b", "y");
  v1::RecordPlan after = before;
  after.mutable_projections(0)->set_column("b");
  after.mutable_projections(1)->set_name("z");
  EXPECT_EQ(Words(Compare(before, after)), "`x` becomes BIGINT, `y` goes, `z` comes, `x` comes from `b`");
  after = before;
  AtLeast(&after, "b", 1);
  EXPECT_EQ(Words(Compare(before, after)), "the filter `everything` becomes `b >= 1`, `y` is never null any more");
  EXPECT_EQ(Words(Compare(after, before)), "the filter `b >= 1` becomes `everything`, `y` may be null");
  after = before;
  for (int i = 0; i < 20; ++i) Select(&after, "a", "more" + std::to_string(i));
  EXPECT_THAT(Words(Compare(before, after)), HasSubstr("12 more columns change"));
  EXPECT_THAT(Compare(before, before).unsupported, IsEmpty());
  EXPECT_THAT(Words(Compare(before, before)), Not(HasSubstr("`")));
}

}  // namespace
}  // namespace st::plan
