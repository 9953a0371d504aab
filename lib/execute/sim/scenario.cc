#include "lib/execute/sim/scenario.h"

#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/execute/execute.h"
#include "lib/execute/sim/faces.h"
#include "lib/execute/sim/runner.h"

namespace st::sim {
namespace {

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

class Maker {
 public:
  Maker(uint64_t seed, StorePlace* place) : place_(place) {
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

  absl::Status NewPlan() {
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

  v1::Action& AddAction(const std::string& resource) {
    v1::Action& action = *scenario_.plan.add_actions();
    action.set_index(static_cast<uint32_t>(scenario_.plan.actions_size()) - 1);
    action.set_resource(resource);
    for (const v1::OwnedResource& owned : owned_.resources()) {
      if (owned.resource() == resource) *action.mutable_prior() = owned;
    }
    return action;
  }

  void AddCreates() {
    v1::CreateTopic& topic = *AddAction("st://p/e/topic/m").mutable_create_topic();
    topic.set_name("out");
    topic.set_partitions(1);
    v1::CreateRunner& create = *AddAction("st://p/e/model/m").mutable_create_runner();
    create.set_application_id(kApplication);
    *create.mutable_plan() = Passing(kOldMinimum);
    create.set_plan_sha256(base::Checksum(create.plan()));
    create.mutable_input()->set_name("in");
    create.mutable_input()->set_topic_id(scenario_.state.topics["in"].topic_id());
    create.mutable_output()->set_name("out");
    create.mutable_output()->set_created_by(0);
    create.set_input_partitions(2);
    create.set_initial_offset(v1::EARLIEST);
    create.set_host(v1::PROCESS);
    create.set_host_id("host");
    create.set_runner_sha256("binary");
  }

  // The runner that we own, and what is committed now.
  template <typename Action>
  void Bind(const v1::OwnedRunner& runner, Action* action) {
    action->set_application_id(runner.application_id());
    action->set_generation_id(runner.generation_id());
    action->mutable_input()->set_name("in");
    action->mutable_input()->set_topic_id(runner.input_topic_id());
    action->mutable_output()->set_name("out");
    action->mutable_output()->set_topic_id(runner.output_topic_id());
    for (const auto& [partition, offset] : scenario_.state.groups[runner.application_id()].offsets["in"]) {
      v1::PartitionOffset& bound = *action->add_offsets();
      bound.set_partition(partition);
      bound.set_offset(offset.offset());
    }
    action->set_host(v1::PROCESS);
    action->set_host_id("host");
  }

  void AddStop() {
    v1::Action& action = AddAction("st://p/e/model/m");
    Bind(action.prior().runner(), action.mutable_stop_runner());
    action.mutable_stop_runner()->set_plan_sha256(action.prior().runner().plan_sha256());
  }

  void AddStart() {
    v1::Action& action = AddAction("st://p/e/model/m");
    Bind(action.prior().runner(), action.mutable_start_runner());
    action.mutable_start_runner()->set_plan_sha256(action.prior().runner().plan_sha256());
    action.mutable_start_runner()->set_runner_sha256("binary");
  }

  void AddReplace(bool ended) {
    v1::Action& action = AddAction("st://p/e/model/m");
    v1::ReplaceRunner& replace = *action.mutable_replace_runner();
    Bind(action.prior().runner(), &replace);
    *replace.mutable_plan() = Passing(kNewMinimum);
    replace.set_plan_sha256(base::Checksum(replace.plan()));
    replace.set_input_partitions(2);
    replace.set_runner_sha256("binary");
    replace.set_running(action.prior().runner().running());
    replace.set_ended(ended);
    scenario_.new_minimum = kNewMinimum;
  }

  void AddUpdate() {
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

  void AddSideTopic() {
    v1::CreateTopic& topic = *AddAction("st://p/e/topic/side").mutable_create_topic();
    topic.set_name("side");
    topic.set_partitions(1);
  }

  // Carries the plan out, and makes an empty one.
  absl::Status Deploy() {
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

  // Until nothing is to be done.
  void LetRunnersWork() {
    while (Step(&scenario_.state)) {
    }
  }

  Scenario* scenario() { return &scenario_; }

 private:
  StorePlace* place_;
  Scenario scenario_;
  v1::OwnedResources owned_;
  int deployed_ = 0;
};

absl::Status DeployRunner(Maker* maker, bool side_topic) {
  maker->AddCreates();
  if (side_topic) maker->AddSideTopic();
  return maker->Deploy();
}

absl::Status MakeCreate(Maker* maker) {
  maker->AddCreates();
  return absl::OkStatus();
}

absl::Status MakeUpdate(Maker* maker) {
  if (absl::Status status = DeployRunner(maker, true); !status.ok()) return status;
  maker->AddUpdate();
  return absl::OkStatus();
}

absl::Status MakeStop(Maker* maker) {
  if (absl::Status status = DeployRunner(maker, false); !status.ok()) return status;
  maker->AddStop();
  maker->scenario()->runs = false;
  return absl::OkStatus();
}

absl::Status MakeStart(Maker* maker) {
  if (absl::Status status = MakeStop(maker); !status.ok()) return status;
  if (absl::Status status = maker->Deploy(); !status.ok()) return status;
  maker->scenario()->state.Pass(1'000);
  maker->AddStart();
  maker->scenario()->runs = true;
  return absl::OkStatus();
}

// It was killed just now: its member and its transaction are still there.
absl::Status MakeRestart(Maker* maker) {
  if (absl::Status status = DeployRunner(maker, false); !status.ok()) return status;
  maker->scenario()->state.Pass(10);
  Step(&maker->scenario()->state);
  State& state = maker->scenario()->state;
  Kill(&state, state.generations.begin()->first);
  maker->AddStart();
  return absl::OkStatus();
}

absl::Status MakeReplace(Maker* maker) {
  if (absl::Status status = DeployRunner(maker, false); !status.ok()) return status;
  maker->AddReplace(/*ended=*/false);
  return absl::OkStatus();
}

// The plan says of one that was killed that it had ended.
absl::Status MakeReplaceKilled(Maker* maker) {
  if (absl::Status status = MakeRestart(maker); !status.ok()) return status;
  maker->scenario()->plan.clear_actions();
  maker->AddReplace(/*ended=*/true);
  return absl::OkStatus();
}

// It was stopped, and stays so.
absl::Status MakeReplaceStopped(Maker* maker) {
  if (absl::Status status = MakeStop(maker); !status.ok()) return status;
  if (absl::Status status = maker->Deploy(); !status.ok()) return status;
  maker->scenario()->state.Pass(1'000);
  maker->AddReplace(/*ended=*/true);
  return absl::OkStatus();
}

// One plan that changes another topic and then the running model.
absl::Status MakeChange(Maker* maker) {
  if (absl::Status status = DeployRunner(maker, true); !status.ok()) return status;
  maker->AddUpdate();
  maker->AddReplace(/*ended=*/false);
  maker->scenario()->topic = "out";
  return absl::OkStatus();
}

constexpr std::pair<const char*, absl::Status (*)(Maker*)> kScenarios[] = {{"create", MakeCreate},
                                                                           {"update", MakeUpdate},
                                                                           {"stop", MakeStop},
                                                                           {"start", MakeStart},
                                                                           {"restart", MakeRestart},
                                                                           {"replace", MakeReplace},
                                                                           {"replace_killed", MakeReplaceKilled},
                                                                           {"replace_stopped", MakeReplaceStopped},
                                                                           {"change", MakeChange}};

}  // namespace

std::vector<std::string> ScenarioNames() {
  std::vector<std::string> names;
  for (const auto& [name, make] : kScenarios) names.emplace_back(name);
  return names;
}

absl::StatusOr<Scenario> MakeScenario(const std::string& name, uint64_t seed, StorePlace* place) {
  for (const auto& [known, make] : kScenarios) {
    if (name != known) continue;
    if (absl::Status status = place->PutBack(""); !status.ok()) return status;
    Maker maker(seed, place);
    if (absl::Status status = maker.NewPlan(); !status.ok()) return status;
    if (absl::Status status = make(&maker); !status.ok()) return status;
    Scenario scenario = std::move(*maker.scenario());
    scenario.name = name;
    scenario.plan.set_checksum("plan");
    auto kept = place->Keep();
    if (!kept.ok()) return kept.status();
    scenario.store = *std::move(kept);
    return scenario;
  }
  return absl::NotFoundError(absl::StrCat("no scenario is called ", name));
}

}  // namespace st::sim
