#include "lib/execute/execute_scene.h"

#include "lib/base/digest.h"
#include "lib/state/sqlite.h"

namespace st::execute {

void ExecuteTest::SetUp() {
  folder_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  Reset();
}

void ExecuteTest::Reset() {
  std::filesystem::remove_all(folder_);
  world_ = sim::State();
  v1::TopicFacts& input = world_.AddTopic("in", 2);
  for (v1::TopicFacts::Partition& partition : *input.mutable_partitions()) partition.set_end_offset(9);
  MakePlan();
}

void ExecuteTest::MakePlan() {
  plan_.Clear();
  topology_.Clear();
  topology_.set_project("p");
  topology_.set_environment("e");
  topology_.set_checksum("topology");
  plan_.set_version(1);
  *plan_.mutable_topology() = topology_;
  plan_.mutable_state()->set_address("p/e");
  plan_.mutable_state()->set_location(Read().reference.location());
  plan_.set_cluster_id("cluster");
  v1::Action& topic = *plan_.add_actions();
  topic.set_resource("st://p/e/topic/m");
  topic.mutable_create_topic()->set_name("out");
  topic.mutable_create_topic()->set_partitions(1);
  v1::Action& runner = *plan_.add_actions();
  runner.set_index(1);
  runner.set_resource("st://p/e/model/m");
  v1::CreateRunner& create = *runner.mutable_create_runner();
  create.set_application_id("st.p.e.m");
  create.mutable_plan()->set_version(1);
  create.set_plan_sha256(base::Checksum(create.plan()));
  create.mutable_input()->set_name("in");
  create.mutable_input()->set_topic_id(world_.topics["in"].topic_id());
  create.mutable_output()->set_name("out");
  create.mutable_output()->set_created_by(0);
  create.set_input_partitions(2);
  create.set_initial_offset(v1::EARLIEST);
  create.set_host(v1::PROCESS);
  create.set_host_id("host");
  create.set_runner_sha256("binary");
  plan_.set_checksum("plan");
}

World ExecuteTest::Open() {
  auto store = state::OpenSqlite(folder_ / "state.db", state::Access::kReadWrite);
  EXPECT_TRUE(store.ok()) << store.status();
  store_ = *std::move(store);
  World world;
  world.cluster = &cluster_;
  world.host = &host_;
  world.store = store_.get();
  world.clock = &clock_;
  world.by = "tester@here";
  world.boundary = [this](std::string_view name) {
    met_.insert(std::string(name));
    if (name == kill_at_ && --kill_after_ == 0) throw Killed();
  };
  return world;
}

Journal ExecuteTest::Read() {
  auto store = state::OpenSqlite(folder_ / "state.db", state::Access::kReadOnly);
  EXPECT_TRUE(store.ok()) << store.status();
  auto journal = ReadJournal(**store, "p/e");
  EXPECT_TRUE(journal.ok()) << journal.status();
  return *std::move(journal);
}

v1::ApplyReport ExecuteTest::ApplyNow() {
  World world = Open();
  auto report = Apply(plan_, topology_, world);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : v1::ApplyReport();
}

v1::ApplyReport ExecuteTest::ResumeNow(const std::string& operation) {
  World world = Open();
  auto report = Resume(plan_, topology_, operation, world);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : v1::ApplyReport();
}

void ExecuteTest::ExpectDeployed() {
  const Journal journal = Read();
  EXPECT_FALSE(journal.open);
  EXPECT_EQ(journal.reference.serial(), 1u);
  ASSERT_EQ(journal.ownership.resources_size(), 2);
  EXPECT_EQ(journal.ownership.resources(0).runner().generation_id(), world_.generations.begin()->first);
  EXPECT_EQ(journal.ownership.resources(1).topic().topic_id(), world_.topics["out"].topic_id());
  EXPECT_EQ(world_.creates, 2);  // the input, and the output once
  EXPECT_EQ(world_.generations.size(), 1u);
  EXPECT_EQ(world_.generations.begin()->second.state(), v1::GenerationFacts::RUNNING);
  EXPECT_EQ(world_.starts, 1);
  EXPECT_EQ(world_.offset_writes, 1);
  EXPECT_EQ(world_.volumes.size(), 1u);
  EXPECT_TRUE(journal.has_receipt);
}

}  // namespace st::execute
