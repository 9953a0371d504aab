// A topology that was changed after it was compiled is refused, also when its checksum was made to fit.
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "lib/base/digest.h"
#include "lib/diag/diag.h"
#include "lib/project/project.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::topology {
namespace {

constexpr std::string_view kProject = R"(
  project { name: "shop" }
  runtime {
    kafka { bootstrap_servers: "localhost:9092" }
    runner { host: "process" initial_offset: "earliest" }
  }
  defaults { topic { partitions: 1 } }
  sources {
    name: "raw" topic: "raw.v1"
    columns { name: "id" type: STRING required: true }
    columns { name: "amount" type: BIGINT }
    columns { name: "paid" type: BOOLEAN }
  }
  models {
    name: "large" executor: "runner"
    sql: "SELECT id, amount FROM raw WHERE amount > 5 AND id != 'x' AND paid AND amount != 7"
    topic { config { key: "a" value: "1" } config { key: "b" value: "2" } }
  }
  models { name: "larger" executor: "runner" sql: "SELECT id FROM large WHERE amount IS NOT NULL" }
  exposures { name: "app" type: "service" consumes { ref: "large" } consumes { source: "raw" }
              columns { name: "id" type: STRING } }
)";

v1::Topology Compiled() {
  auto project = std::make_shared<v1::Project>();
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(kProject), project.get()));
  project::Loaded loaded;
  loaded.project = std::move(project);
  loaded.environment = "default";
  v1::Topology topology;
  diag::Diagnostics diagnostics;
  EXPECT_TRUE(Compile(loaded, &topology, &diagnostics)) << diag::Render(diagnostics, diag::Format::kText);
  return topology;
}

// The codes of the findings, each once; empty when it is good.
std::set<std::string, std::less<>> Refusals(const v1::Topology& topology) {
  diag::Diagnostics diagnostics;
  const bool good = Verify(topology, &diagnostics);
  EXPECT_EQ(good, diagnostics.empty());
  std::set<std::string, std::less<>> codes;
  for (const diag::Diagnostic& finding : diagnostics.Sorted()) codes.insert(finding.code);
  return codes;
}

void Seal(v1::Topology* topology) {
  for (v1::CompiledModel& model : *topology->mutable_models()) {
    if (model.has_plan() && model.plan_sha256() != "broken") model.set_plan_sha256(base::Checksum(model.plan()));
  }
  topology->clear_checksum();
  topology->set_checksum(base::Checksum(*topology));
}

TEST(VerifyTest, AcceptsWhatWasCompiled) { EXPECT_TRUE(Refusals(Compiled()).empty()); }

TEST(VerifyTest, RefusesOtherVersionsAndChecksums) {
  v1::Topology topology = Compiled();
  topology.set_version(2);
  Seal(&topology);
  EXPECT_EQ(Refusals(topology), (std::set<std::string, std::less<>>{"TOPOLOGY_VERSION"}));
  topology = Compiled();
  topology.set_project_version("2");
  EXPECT_EQ(Refusals(topology), (std::set<std::string, std::less<>>{"TOPOLOGY_CHECKSUM"}));
  topology = Compiled();
  topology.clear_checksum();
  EXPECT_EQ(Refusals(topology), (std::set<std::string, std::less<>>{"TOPOLOGY_CHECKSUM"}));
}

struct Tamper {
  std::string_view code;
  std::function<void(v1::Topology*)> change;
};

TEST(VerifyTest, RefusesWhatNoCompilerWrites) {
  const Tamper tampers[] = {
      {"TOPOLOGY_ORDER", [](auto* t) { t->mutable_models()->SwapElements(0, 1); }},
      {"TOPOLOGY_ORDER", [](auto* t) { *t->add_sources() = t->sources(0); }},
      {"TOPOLOGY_ORDER", [](auto* t) { t->mutable_topics()->SwapElements(0, 2); }},
      {"TOPOLOGY_ORDER", [](auto* t) { *t->add_exposures() = t->exposures(0); }},
      {"TOPOLOGY_ORDER", [](auto* t) { t->mutable_connection()->mutable_properties()->SwapElements(0, 1); }},
      {"TOPOLOGY_ORDER", [](auto* t) { t->mutable_topics(0)->mutable_configs()->SwapElements(0, 1); }},
      {"TOPOLOGY_ORDER", [](auto* t) { t->mutable_exposures(0)->mutable_consumes()->SwapElements(0, 1); }},
      {"TOPOLOGY_ORDER", [](auto* t) { t->mutable_models(1)->mutable_columns(0)->clear_name(); }},
      {"TOPOLOGY_VALUE", [](auto* t) { t->clear_environment(); }},
      {"TOPOLOGY_VALUE", [](auto* t) { t->mutable_connection()->mutable_properties(0)->clear_content(); }},
      {"TOPOLOGY_VALUE", [](auto* t) { t->mutable_runner()->clear_host(); }},
      {"TOPOLOGY_VALUE", [](auto* t) { t->mutable_runner()->clear_initial_offset(); }},
      {"TOPOLOGY_VALUE", [](auto* t) { t->mutable_runner()->set_host(static_cast<v1::HostKind>(9)); }},
      {"TOPOLOGY_VALUE", [](auto* t) { t->mutable_topics(0)->clear_mode(); }},
      {"TOPOLOGY_VALUE", [](auto* t) { t->mutable_topics(0)->clear_partitions(); }},
      {"TOPOLOGY_VALUE", [](auto* t) { t->mutable_exposures(0)->mutable_columns(0)->clear_type(); }},
      {"TOPOLOGY_REFERENCE", [](auto* t) { t->mutable_topics(0)->set_resource("st://other/default/topic/large"); }},
      {"TOPOLOGY_REFERENCE", [](auto* t) { t->mutable_sources(0)->set_resource("st://shop/default/source/x"); }},
      {"TOPOLOGY_REFERENCE", [](auto* t) { t->mutable_sources(0)->set_topic("elsewhere"); }},
      {"TOPOLOGY_REFERENCE", [](auto* t) { t->mutable_models(0)->set_input("st://shop/default/source/x"); }},
      {"TOPOLOGY_REFERENCE", [](auto* t) { t->mutable_models(0)->set_input(t->models(0).resource()); }},
      {"TOPOLOGY_REFERENCE", [](auto* t) { t->mutable_exposures(0)->set_consumes(0, "st://shop/default/model/x"); }},
      {"TOPOLOGY_REFERENCE", [](auto* t) { t->mutable_exposures(0)->set_resource("st://shop/default/exposure/x"); }},
      {"TOPOLOGY_REFERENCE",
       [](auto* t) { t->mutable_models(0)->mutable_topic()->swap(*t->mutable_models(1)->mutable_topic()); }},
      {"TOPOLOGY_REFERENCE",
       [](auto* t) {
         v1::CompiledTopic* topic = t->add_topics();
         topic->set_name("zzz");
         topic->set_resource("st://shop/default/topic/zzz");
         topic->set_mode(v1::EXTERNAL);
       }},
      {"TOPOLOGY_CYCLE", [](auto* t) { t->mutable_models(0)->set_input(t->models(1).resource()); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->set_plan_sha256("broken"); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->clear_plan(); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->set_application_id("st.shop.default.x"); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->mutable_plan()->set_version(2); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->mutable_plan()->set_input_topic("large"); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->mutable_plan()->set_output_topic("raw.v1"); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->mutable_plan()->set_extra_members(v1::ignore); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->mutable_plan()->mutable_columns(0)->set_member("x"); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->mutable_plan()->mutable_columns()->RemoveLast(); }},
      {"TOPOLOGY_PLAN", [](auto* t) { t->mutable_models(0)->mutable_plan()->mutable_projections()->RemoveLast(); }},
      {"TOPOLOGY_PLAN",
       [](auto* t) { t->mutable_models(0)->mutable_plan()->mutable_projections(0)->set_column("paid"); }},
      {"TOPOLOGY_PLAN",
       [](auto* t) { t->mutable_models(0)->mutable_plan()->mutable_predicates()->SwapElements(0, 1); }},
      {"TOPOLOGY_PLAN",
       [](auto* t) {
         auto* plan = t->mutable_models(0)->mutable_plan();
         *plan->add_predicates() = plan->predicates(plan->predicates_size() - 1);
       }},
      {"TOPOLOGY_PLAN",
       [](auto* t) { t->mutable_models(0)->mutable_plan()->mutable_predicates(0)->set_string_value("7"); }},
      {"TOPOLOGY_PLAN",
       [](auto* t) {
         t->mutable_models(0)->mutable_plan()->mutable_predicates(0)->set_op(static_cast<v1::Predicate::Operator>(99));
       }},
  };
  for (const Tamper& tamper : tampers) {
    v1::Topology topology = Compiled();
    const std::string before = topology.SerializeAsString();
    tamper.change(&topology);
    ASSERT_NE(topology.SerializeAsString(), before);
    Seal(&topology);
    EXPECT_TRUE(Refusals(topology).contains(tamper.code)) << tamper.code << " " << &tamper - tampers;
  }
}

}  // namespace
}  // namespace st::topology
