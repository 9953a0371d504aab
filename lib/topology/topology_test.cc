// What no golden shows: size, depth, what is left unsaid, and that no value from a variable is quoted.
#include "lib/topology/topology.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/project/project.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::topology {
namespace {

std::shared_ptr<v1::Project> SmallProject() {
  auto project = std::make_shared<v1::Project>();
  project->mutable_project()->set_name("shop");
  project->mutable_runtime()->mutable_kafka()->set_bootstrap_servers("localhost:9092");
  project->mutable_runtime()->mutable_runner()->set_host("process");
  project->mutable_runtime()->mutable_runner()->set_initial_offset("earliest");
  project->mutable_defaults()->mutable_topic()->set_partitions(1);
  v1::Source* source = project->add_sources();
  source->set_name("raw");
  source->set_topic("raw");
  v1::Column* column = source->add_columns();
  column->set_name("id");
  column->set_type(v1::STRING);
  return project;
}

v1::Model* AddModel(v1::Project* project, std::string name, std::string_view input) {
  v1::Model* model = project->add_models();
  model->set_name(std::move(name));
  model->set_executor("runner");
  model->set_sql(absl::StrCat("SELECT id FROM ", input));
  return model;
}

project::Loaded ByHand(std::shared_ptr<const v1::Project> project, bool complete = true) {
  project::Loaded loaded;
  loaded.project = std::move(project);
  loaded.environment = "default";
  loaded.complete = complete;
  return loaded;
}

std::string Findings(const project::Loaded& loaded) {
  diag::Diagnostics diagnostics;
  v1::Topology topology;
  Compile(loaded, &topology, &diagnostics);
  return diag::Render(diagnostics, diag::Format::kText);
}

TEST(TopologyTest, DeepChainsDoNotRecurse) {
  constexpr int kModels = 40'000;
  auto project = SmallProject();
  for (int i = 0; i < kModels; ++i) {
    AddModel(project.get(), absl::StrCat("m", i), i == 0 ? "raw" : absl::StrCat("m", i - 1));
  }
  diag::Diagnostics diagnostics;
  v1::Topology topology;
  ASSERT_TRUE(Compile(ByHand(project), &topology, &diagnostics)) << diag::Render(diagnostics, diag::Format::kText);
  EXPECT_EQ(topology.models_size(), kModels);

  // Closed to a ring: one error, which does not print 40,000 names.
  project->mutable_models(0)->set_sql(absl::StrCat("SELECT id FROM m", kModels - 1));
  const std::string findings = Findings(ByHand(project));
  EXPECT_TRUE(absl::StrContains(findings, "[CYCLE]"));
  EXPECT_TRUE(absl::StrContains(findings, "(39985 more)")) << findings;
  EXPECT_LT(findings.size(), 1000u);
}

TEST(TopologyTest, AWaySaysOnlyItsEnd) {
  auto project = SmallProject();
  for (int i = 0; i < 20; ++i) {
    AddModel(project.get(), absl::StrCat("m", i), i == 0 ? "raw" : absl::StrCat("m", i - 1));
  }
  v1::Exposure* exposure = project->add_exposures();
  exposure->set_name("app");
  exposure->add_consumes()->set_ref("m19");
  v1::Column* column = exposure->add_columns();
  column->set_name("id");
  column->set_type(v1::STRING);
  column->set_required(true);
  const std::string findings = Findings(ByHand(project));
  EXPECT_TRUE(absl::StrContains(findings, "path ... -> m15 -> m16 -> m17 -> m18 -> m19 -> app")) << findings;
}

// A thousand wrong references to a thousand names: all are reported, and the time for suggestions stays bounded.
TEST(TopologyTest, ReportsEveryWrongReference) {
  constexpr int kModels = 1000;
  auto project = SmallProject();
  for (int i = 0; i < kModels; ++i) AddModel(project.get(), absl::StrCat("m", i), absl::StrCat("x", i));
  diag::Diagnostics diagnostics;
  v1::Topology topology;
  EXPECT_FALSE(Compile(ByHand(project), &topology, &diagnostics));
  EXPECT_EQ(diagnostics.errors(), kModels);
  EXPECT_EQ(topology.ByteSizeLong(), 0u);
}

TEST(TopologyTest, CallsNothingMissingThatAnUnreadFileMayHold) {
  auto project = SmallProject();
  project->clear_defaults();
  project->clear_runtime();
  AddModel(project.get(), "orders", "somewhere");
  EXPECT_EQ(Findings(ByHand(project, false)), "");
  const std::string findings = Findings(ByHand(project, true));
  for (const std::string_view code : {"CONNECTION_MISSING", "UNKNOWN_REFERENCE", "PARTITIONS_MISSING"}) {
    EXPECT_TRUE(absl::StrContains(findings, code)) << findings;
  }
}

TEST(TopologyTest, FailsWhenTheLoaderFailed) {
  diag::Diagnostics diagnostics;
  diagnostics.Error({}, "EARLIER", "an error of the loader");
  v1::Topology topology;
  topology.set_project("left over");
  EXPECT_FALSE(Compile(ByHand(SmallProject()), &topology, &diagnostics));
  EXPECT_EQ(diagnostics.errors(), 1);
  EXPECT_EQ(topology.ByteSizeLong(), 0u);
}

TEST(TopologyTest, QuotesNoValueOfAVariable) {
  constexpr std::string_view kText = R"(
    project { name: "shop" }
    runtime { kafka { bootstrap_servers: "localhost:9092" } }
    sources { name: "one" topic: "${TOPIC} x" }
    sources { name: "two" topic: "${TOPIC}" }
    sources { name: "three" topic: "${TOPIC}" }
    sources { name: "four" topic: "canary_1" }
  )";
  const auto environment = [](std::string_view name) {
    return name == "TOPIC" ? std::optional<std::string>("canary.1") : std::nullopt;
  };
  diag::Diagnostics diagnostics;
  const auto loaded = project::Load("-", kText, "", environment, &diagnostics);
  ASSERT_TRUE(loaded.has_value() && diagnostics.empty()) << diag::Render(diagnostics, diag::Format::kText);
  v1::Topology topology;
  EXPECT_FALSE(Compile(*loaded, &topology, &diagnostics));
  const std::string findings = diag::Render(diagnostics, diag::Format::kText);
  for (const std::string_view code : {"TOPIC_NAME", "TOPIC_DECLARED_TWICE", "TOPIC_CLASH"}) {
    EXPECT_TRUE(absl::StrContains(findings, code)) << findings;
  }
  EXPECT_FALSE(absl::StrContains(findings, "canary.1")) << findings;
}

TEST(TopologyTest, KeepsSecretsAsReferences) {
  auto project = SmallProject();
  v1::Kafka* kafka = project->mutable_runtime()->mutable_kafka();
  kafka->set_security_protocol("SASL_SSL");
  kafka->set_sasl_mechanism("PLAIN");
  kafka->set_sasl_username("user");
  kafka->set_sasl_password("canary-secret");
  const std::string findings = Findings(ByHand(project));
  EXPECT_TRUE(absl::StrContains(findings, "SECRET_LITERAL")) << findings;
  EXPECT_FALSE(absl::StrContains(findings, "canary")) << findings;
}

// Settings of another host or backend may stand in a project whose environments differ; they change nothing.
TEST(TopologyTest, UnusedHostAndBackendSettingsChangeNothing) {
  auto project = SmallProject();
  v1::Topology plain;
  v1::Topology other;
  diag::Diagnostics diagnostics;
  ASSERT_TRUE(Compile(ByHand(project), &plain, &diagnostics));
  project->mutable_runtime()->mutable_runner()->set_image("sha256:1");
  project->mutable_runtime()->mutable_runner()->set_network("net");
  project->mutable_deployment_state()->set_backend("sqlite");
  project->mutable_deployment_state()->set_dsn_env("DSN");
  ASSERT_TRUE(Compile(ByHand(project), &other, &diagnostics));
  EXPECT_EQ(plain.checksum(), other.checksum());
}

}  // namespace
}  // namespace st::topology
