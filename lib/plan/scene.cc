#include "lib/plan/scene.h"

#include "lib/base/digest.h"

namespace st::plan {

Scene::Scene() {
  v1::Topology& t = *observed.mutable_topology();
  t.set_version(1);
  t.set_project("p");
  t.set_environment("e");
  t.mutable_runner()->set_host(v1::PROCESS);
  t.mutable_runner()->set_initial_offset(v1::EARLIEST);
  t.mutable_runner()->set_commit_interval_ms(100);
  t.mutable_state()->set_backend(v1::StateSettings::SQLITE);
  AddTopic("late.v1", "late", v1::MANAGED);
  AddTopic("raw.v1", "raw", v1::EXTERNAL);
  AddTopic("worst.v1", "worst", v1::MANAGED);
  v1::CompiledSource& source = *t.add_sources();
  source.set_name("raw");
  source.set_resource("st://p/e/source/raw");
  source.set_topic("raw.v1");
  AddModel("late", "st://p/e/source/raw", "raw.v1");
  AddModel("worst", "st://p/e/model/late", "late.v1");
  v1::CompiledExposure& exposure = *t.add_exposures();
  exposure.set_name("app");
  exposure.set_resource("st://p/e/exposure/app");
  exposure.set_owner("app-team");
  exposure.set_consumer_group("app-group");
  exposure.add_consumes("st://p/e/model/worst");

  v1::Observation& o = *observed.mutable_observation();
  o.set_observed_at_ms(kNow);
  o.mutable_cluster()->set_cluster_id("cluster");
  Absent("late.v1");
  Present("raw.v1", "raw-id", 2);
  Absent("worst.v1");
  o.mutable_host()->set_kind(v1::PROCESS);
  o.mutable_host()->set_host_id("host");
  o.mutable_host()->set_runner_sha256("binary");
  o.mutable_state()->mutable_reference()->set_address("p/e");
  for (const char* model : {"late", "worst"}) {
    v1::GroupFacts& group = *o.add_groups();
    group.set_group_id(Application(model));
    group.set_state(v1::GroupFacts::NONE);
  }
}

void Scene::Deploy() {
  Present("late.v1", "late-id", 1);
  Present("worst.v1", "worst-id", 1);
  OwnTopic("late", "late.v1", "late-id");
  OwnTopic("worst", "worst.v1", "worst-id");
  OwnRunner("late", "raw-id", "late-id", 2);
  OwnRunner("worst", "late-id", "worst-id", 1);
  Run("late", "raw.v1", 2);
  Run("worst", "late.v1", 1);
}

void Scene::UseDocker() {
  v1::RunnerSettings& runner = *observed.mutable_topology()->mutable_runner();
  runner.set_host(v1::DOCKER);
  runner.set_image("image");
  runner.set_network("net");
  runner.set_memory_mib(256);
  runner.set_pids_limit(64);
  v1::HostFacts& host = *observed.mutable_observation()->mutable_host();
  host.set_kind(v1::DOCKER);
  host.set_runner_sha256("image");
  host.mutable_image()->set_id("image");
  host.mutable_image()->set_present(true);
  host.mutable_image()->set_record_plan_version("1");
  host.mutable_network()->set_name("net");
  host.mutable_network()->set_present(true);
  host.mutable_network()->set_id("net-id");
  host.mutable_network()->set_driver("bridge");
  for (v1::OwnedResource& owned : *observed.mutable_observation()->mutable_state()->mutable_resources()) {
    if (!owned.has_runner()) continue;
    owned.mutable_runner()->set_host(v1::DOCKER);
    owned.mutable_runner()->set_runner_sha256("image");
    owned.mutable_runner()->set_network_id("net-id");
    owned.mutable_runner()->set_memory_mib(256);
    owned.mutable_runner()->set_pids_limit(64);
  }
  for (v1::GenerationFacts& generation : *host.mutable_generations()) generation.set_binary_sha256("image");
}

v1::Plan Scene::Plan() {
  v1::Plan plan;
  Make(observed, start_at, &plan);
  return plan;
}

v1::TopicFacts& Scene::Facts(const std::string& topic) {
  for (v1::TopicFacts& facts : *observed.mutable_observation()->mutable_topics()) {
    if (facts.name() == topic) return facts;
  }
  v1::TopicFacts& facts = *observed.mutable_observation()->add_topics();
  facts.set_name(topic);
  return facts;
}

v1::TopicFacts& Scene::Present(const std::string& topic, const std::string& id, int partitions) {
  v1::TopicFacts& facts = Facts(topic);
  facts.set_presence(v1::PRESENT);
  facts.set_topic_id(id);
  facts.clear_partitions();
  for (int i = 0; i < partitions; ++i) {
    v1::TopicFacts::Partition& partition = *facts.add_partitions();
    partition.set_partition(i);
    partition.set_end_offset(100);
    partition.set_replicas(1);
  }
  return facts;
}

v1::CompiledTopic& Scene::Topic(const std::string& name) {
  for (v1::CompiledTopic& topic : *observed.mutable_topology()->mutable_topics()) {
    if (topic.name() == name) return topic;
  }
  return *observed.mutable_topology()->add_topics();
}

v1::CompiledModel& Scene::Model(const std::string& name) {
  for (v1::CompiledModel& model : *observed.mutable_topology()->mutable_models()) {
    if (model.name() == name) return model;
  }
  return *observed.mutable_topology()->add_models();
}

v1::GroupFacts& Scene::Group(const std::string& id) {
  for (v1::GroupFacts& group : *observed.mutable_observation()->mutable_groups()) {
    if (group.group_id() == id) return group;
  }
  v1::GroupFacts& group = *observed.mutable_observation()->add_groups();
  group.set_group_id(id);
  return group;
}

v1::OwnedResource& Scene::Owned(const std::string& resource) {
  for (v1::OwnedResource& owned : *observed.mutable_observation()->mutable_state()->mutable_resources()) {
    if (owned.resource() == resource) return owned;
  }
  v1::OwnedResource& owned = *observed.mutable_observation()->mutable_state()->add_resources();
  owned.set_resource(resource);
  return owned;
}

v1::GenerationFacts& Scene::Generation(const std::string& model) {
  for (v1::GenerationFacts& facts : *observed.mutable_observation()->mutable_host()->mutable_generations()) {
    if (facts.application_id() == Application(model)) return facts;
  }
  v1::GenerationFacts& facts = *observed.mutable_observation()->mutable_host()->add_generations();
  facts.set_application_id(Application(model));
  return facts;
}

void Scene::End(const std::string& model, v1::RunnerStatus::State last) {
  Generation(model).set_state(v1::GenerationFacts::EXITED);
  Generation(model).mutable_status()->set_state(last);
  Group(Application(model)).set_state(v1::GroupFacts::EMPTY);
  Group(Application(model)).clear_members();
}

void Scene::AddTopic(const std::string& name, const std::string& declared_by, v1::OwnershipMode mode) {
  v1::CompiledTopic& topic = *observed.mutable_topology()->add_topics();
  topic.set_name(name);
  topic.set_resource("st://p/e/topic/" + declared_by);
  topic.set_mode(mode);
  if (mode == v1::MANAGED) topic.set_partitions(1);
}

void Scene::AddModel(const std::string& name, const std::string& input, const std::string& input_topic) {
  v1::CompiledModel& model = *observed.mutable_topology()->add_models();
  model.set_name(name);
  model.set_resource("st://p/e/model/" + name);
  model.set_topic(name + ".v1");
  model.set_owner(name + "-team");
  model.set_input(input);
  model.mutable_plan()->set_version(1);
  model.mutable_plan()->set_input_topic(input_topic);
  model.mutable_plan()->set_output_topic(name + ".v1");
  model.set_plan_sha256(base::Checksum(model.plan()));
  model.set_application_id(Application(name));
  model.set_running(true);
}

void Scene::OwnTopic(const std::string& model, const std::string& name, const std::string& id) {
  v1::OwnedTopic& topic = *Owned("st://p/e/topic/" + model).mutable_topic();
  topic.set_name(name);
  topic.set_topic_id(id);
  topic.set_mode(v1::MANAGED);
  topic.set_partitions(1);
  topic.set_replication_factor(1);
  topic.set_cluster_id("cluster");
}

void Scene::OwnRunner(const std::string& name, const std::string& input, const std::string& output,
                      uint32_t partitions) {
  v1::OwnedRunner& runner = *Owned("st://p/e/model/" + name).mutable_runner();
  const v1::CompiledModel& model = Model(name);
  runner.set_application_id(model.application_id());
  *runner.mutable_plan() = model.plan();
  runner.set_plan_sha256(model.plan_sha256());
  runner.set_host(v1::PROCESS);
  runner.set_host_id("host");
  runner.set_runner_sha256("binary");
  runner.set_generation_id("g-" + name);
  runner.set_volume_instance("volume-" + name);
  runner.set_cluster_id("cluster");
  runner.set_input_topic_id(input);
  runner.set_output_topic_id(output);
  runner.set_initialized_partitions(partitions);
  runner.set_initial_offset(v1::EARLIEST);
  runner.set_commit_interval_ms(100);
  runner.set_running(true);
}

void Scene::Run(const std::string& model, const std::string& input_topic, int partitions) {
  v1::VolumeFacts& volume = *observed.mutable_observation()->mutable_host()->add_volumes();
  volume.set_application_id(Application(model));
  volume.set_instance_id("volume-" + model);
  v1::GenerationFacts& generation = Generation(model);
  generation.set_generation_id("g-" + model);
  generation.set_state(v1::GenerationFacts::RUNNING);
  generation.set_plan_sha256(Model(model).plan_sha256());
  generation.set_binary_sha256("binary");
  generation.set_location("/runners/" + model);
  generation.mutable_status()->set_state(v1::RunnerStatus::RUNNING);
  generation.mutable_status()->set_updated_at_ms(kNow);
  generation.mutable_status()->set_member_id("member-" + model);
  v1::GroupFacts& group = Group(Application(model));
  group.set_state(v1::GroupFacts::STABLE);
  group.add_members()->set_member_id("member-" + model);
  v1::GroupOffsets& offsets = *group.add_topics();
  offsets.set_topic(input_topic);
  for (int i = 0; i < partitions; ++i) {
    v1::GroupOffset& offset = *offsets.add_offsets();
    offset.set_partition(i);
    offset.set_offset(50);
  }
}

}  // namespace st::plan
