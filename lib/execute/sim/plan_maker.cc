#include "lib/execute/sim/plan_maker.h"

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/execute/execute.h"
#include "lib/execute/sim/faces.h"

namespace st::sim {
namespace {

constexpr char kModel[] = "st://p/e/model/m";
constexpr int64_t kOldMinimum = 50;
constexpr int64_t kNewMinimum = 120;
constexpr int kFed = 40;  // records on each input partition, at most

v1::RecordPlan Passing(int64_t minimum) {
  v1::RecordPlan plan;
  plan.set_version(1);
  v1::Predicate& predicate = *plan.add_predicates();
  predicate.set_column("value");
  predicate.set_op(v1::Predicate::GE);
  predicate.set_bigint_value(minimum);
  return plan;
}

void AddOffset(int32_t partition, int64_t offset, google::protobuf::RepeatedPtrField<v1::PartitionOffset>* vector) {
  v1::PartitionOffset& added = *vector->Add();
  added.set_partition(partition);
  added.set_offset(offset);
  added.set_leader_epoch(-1);
}

}  // namespace

PlanMaker::PlanMaker(uint64_t seed, StorePlace* place) : place_(place) {
  scenario_.state.seed = seed;
  scenario_.topology.set_project("p");
  scenario_.topology.set_environment("e");
  scenario_.topology.set_checksum("topology");
  v1::TopicFacts& input = scenario_.state.AddTopic("in", 2);
  for (v1::TopicFacts::Partition& partition : *input.mutable_partitions()) partition.set_end_offset(4);
  scenario_.state.fed = "in";
  scenario_.state.feed_left = kFed;
  scenario_.topic = "out";
  scenario_.old_minimum = scenario_.new_minimum = kOldMinimum;
  scenario_.runs = true;
}

absl::Status PlanMaker::NewPlan() {
  v1::Plan& plan = scenario_.plan;
  plan.Clear();
  plan.set_version(1);
  *plan.mutable_topology() = scenario_.topology;
  plan.set_cluster_id("cluster");
  plan.mutable_state()->set_address(kAddress);
  auto store = place_->Open();
  if (!store.ok()) return store.status();
  auto snapshot = (*store)->Read(kAddress);
  if (!snapshot.ok()) return snapshot.status();
  plan.mutable_state()->set_store_id(snapshot->store_id);
  plan.mutable_state()->set_serial(snapshot->serial);
  if (snapshot->serial > 0) plan.mutable_state()->set_checksum(base::Sha256Hex(snapshot->ownership));
  plan.mutable_state()->set_location(snapshot->location);
  owned_.ParseFromString(snapshot->ownership);
  scenario_.last_operation = snapshot->last_operation_id;
  return absl::OkStatus();
}

absl::Status PlanMaker::Deploy() {
  scenario_.plan.set_checksum(absl::StrCat("base-", ++deployed_));
  auto store = place_->Open();
  if (!store.ok()) return store.status();
  Clock clock(&scenario_.state);
  Cluster cluster(&scenario_.state);
  Host host(&scenario_.state);
  execute::World world;
  world.cluster = &cluster;
  world.host = &host;
  world.store = store->get();
  world.clock = &clock;
  world.by = "sim@here";
  auto report = execute::Apply(scenario_.plan, scenario_.topology, world);
  if (!report.ok()) return report.status();
  if (report->outcome() != v1::ApplyReport::DONE) return absl::InternalError(report->DebugString());
  store->reset();
  return NewPlan();
}

v1::Action& PlanMaker::AddAction(const std::string& resource) {
  v1::Action& action = *scenario_.plan.add_actions();
  action.set_index(static_cast<uint32_t>(scenario_.plan.actions_size()) - 1);
  action.set_resource(resource);
  for (const v1::OwnedResource& owned : owned_.resources()) {
    if (owned.resource() == resource) *action.mutable_prior() = owned;
  }
  return action;
}

template <typename Runner>
void PlanMaker::Bind(const v1::OwnedRunner& owned, Runner* runner) {
  runner->set_application_id(owned.application_id());
  runner->set_generation_id(owned.generation_id());
  runner->mutable_input()->set_name("in");
  runner->mutable_input()->set_topic_id(owned.input_topic_id());
  runner->mutable_output()->set_name("out");
  runner->mutable_output()->set_topic_id(owned.output_topic_id());
  runner->set_host(v1::PROCESS);
  runner->set_host_id("host");
}

template <typename Runner>
void PlanMaker::BindOffsets(const v1::OwnedRunner& owned, Runner* runner) {
  Vector bound;
  for (const auto& [partition, offset] : state().groups[owned.application_id()].offsets["in"]) {
    bound[partition] = offset.offset();
  }
  for (const v1::PartitionOffset& restored : owned.restored()) bound[restored.partition()] = restored.offset();
  for (const auto& [partition, offset] : bound) AddOffset(partition, offset, runner->mutable_offsets());
}

void PlanMaker::AddCreates() {
  v1::CreateTopic& topic = *AddAction("st://p/e/topic/m").mutable_create_topic();
  topic.set_name("out");
  topic.set_partitions(1);
  v1::CreateRunner& create = *AddAction(kModel).mutable_create_runner();
  create.set_application_id(kApplication);
  *create.mutable_plan() = Passing(kOldMinimum);
  create.set_plan_sha256(base::Checksum(create.plan()));
  create.mutable_input()->set_name("in");
  create.mutable_input()->set_topic_id(state().topics["in"].topic_id());
  create.mutable_output()->set_name("out");
  create.mutable_output()->set_created_by(0);
  create.set_input_partitions(2);
  create.set_initial_offset(v1::EARLIEST);
  create.set_host(v1::PROCESS);
  create.set_host_id("host");
  create.set_runner_sha256("binary");
}

void PlanMaker::AddSideTopic() {
  v1::CreateTopic& topic = *AddAction("st://p/e/topic/side").mutable_create_topic();
  topic.set_name("side");
  topic.set_partitions(1);
}

void PlanMaker::AddUpdate() {
  v1::Action& action = AddAction("st://p/e/topic/side");
  v1::UpdateTopic& update = *action.mutable_update_topic();
  update.set_name("side");
  update.set_topic_id(action.prior().topic().topic_id());
  update.set_prior_partitions(1);
  update.set_partitions(3);
  v1::UpdateTopic::ConfigChange& change = *update.add_configs();
  change.set_name("retention.ms");
  change.set_has_value(true);
  change.set_desired("3600000");
  v1::TopicConfig& declared = *update.add_declared();
  declared.set_name("retention.ms");
  declared.set_value("3600000");
  scenario_.topic = "side";
}

void PlanMaker::AddStop() {
  v1::Action& action = AddAction(kModel);
  v1::StopRunner& stop = *action.mutable_stop_runner();
  Bind(action.prior().runner(), &stop);
  BindOffsets(action.prior().runner(), &stop);
  stop.set_plan_sha256(action.prior().runner().plan_sha256());
  scenario_.runs = false;
}

void PlanMaker::AddStart() {
  v1::Action& action = AddAction(kModel);
  v1::StartRunner& start = *action.mutable_start_runner();
  Bind(action.prior().runner(), &start);
  BindOffsets(action.prior().runner(), &start);
  start.set_plan_sha256(action.prior().runner().plan_sha256());
  start.set_runner_sha256("binary");
  start.set_offsets_restored(!action.prior().runner().restored().empty());
  scenario_.runs = true;
}

void PlanMaker::AddReplace(bool ended) {
  v1::Action& action = AddAction(kModel);
  v1::ReplaceRunner& replace = *action.mutable_replace_runner();
  Bind(action.prior().runner(), &replace);
  BindOffsets(action.prior().runner(), &replace);
  *replace.mutable_plan() = Passing(kNewMinimum);
  replace.set_plan_sha256(base::Checksum(replace.plan()));
  replace.set_input_partitions(2);
  replace.set_runner_sha256("binary");
  replace.set_running(scenario_.runs);
  replace.set_ended(ended);
  replace.set_offsets_restored(!action.prior().runner().restored().empty());
  scenario_.new_minimum = kNewMinimum;
}

void PlanMaker::AddRestore(v1::RestoreOffsets::From from) {
  v1::Action& action = AddAction(kModel);
  v1::RestoreOffsets& restore = *action.mutable_restore_offsets();
  const v1::OwnedRunner& prior = action.prior().runner();
  Bind(prior, &restore);
  restore.set_from(from);
  Vector closed;
  for (const v1::PartitionOffset& offset : prior.closed()) closed[offset.partition()] = offset.offset();
  const auto& committed = state().groups[prior.application_id()].offsets["in"];
  for (const v1::TopicFacts::Partition& partition : state().topics["in"].partitions()) {
    const auto now = committed.find(partition.partition());
    const bool lacks = now == committed.end() || now->second.offset() < partition.begin_offset();
    if (!lacks) continue;
    AddOffset(partition.partition(), now == committed.end() ? -1 : now->second.offset(), restore.mutable_prior());
    AddOffset(partition.partition(),
              from == v1::RestoreOffsets::CLEAN_CLOSE ? closed[partition.partition()] : partition.begin_offset(),
              restore.mutable_offsets());
  }
  for (v1::OwnedResource& owned : *owned_.mutable_resources()) {
    if (owned.resource() != kModel) continue;
    if (from != v1::RestoreOffsets::CLEAN_CLOSE) owned.mutable_runner()->clear_closed();
    *owned.mutable_runner()->mutable_restored() = restore.offsets();
  }
}

}  // namespace st::sim
