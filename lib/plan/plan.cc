#include "lib/plan/plan.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/plan/draft.h"

namespace st::plan {
namespace {

// False: what this project owns is not known, or in the middle of a change; nothing can be said about what is to be
// done.
bool CheckState(Draft* draft) {
  const v1::StateFacts& state = draft->index.observation().state();
  const v1::Topology& topology = draft->index.topology();
  const std::string address = absl::StrCat(topology.project(), "/", topology.environment());
  if (draft->index.offline()) return true;
  if (!state.detail().empty()) {
    draft->Block("STATE_UNREADABLE", address, absl::StrCat("the state store cannot be used: ", state.detail()),
                 "mend the store, then observe and plan again; it is never taken for empty");
  }
  if (!state.copied_to().empty()) {
    draft->Block("STATE_COPIED", address,
                 absl::StrCat("the state was copied to ", state.copied_to(), ", and is not used here any more"),
                 "declare that store as deployment_state");
  } else if (!state.open_operation_id().empty()) {
    draft->Block(
        "OPERATION_PENDING", address,
        absl::StrCat("operation ", state.open_operation_id(), " is open at ", state.open_operation_checkpoint()),
        absl::StrCat("st-resume --status shows it; st-resume --plan PLAN --operation ", state.open_operation_id(),
                     " carries it on"));
  }
  if (draft->index.topology().safety().require_remote_state() &&
      draft->index.topology().state().backend() != v1::StateSettings::POSTGRES) {
    draft->Block("REMOTE_STATE_REQUIRED", address, "safety.require_remote_state is set, and the state is a local file",
                 "declare deployment_state.backend: postgres");
  }
  return state.detail().empty() && state.open_operation_id().empty();
}

// What we own was made on another cluster: nothing that was seen here says anything about it.
bool CheckCluster(Draft* draft) {
  if (draft->index.offline()) return true;
  const std::string& now = draft->index.observation().cluster().cluster_id();
  for (const v1::OwnedResource& owned : draft->index.observation().state().resources()) {
    const std::string& then = owned.has_topic() ? owned.topic().cluster_id() : owned.runner().cluster_id();
    if (then == now) continue;
    draft->WorldDrifted();
    draft->Block("CLUSTER_CHANGED", owned.resource(),
                 absl::StrCat("it was deployed to cluster ", then, ", the bootstrap servers lead to ", now),
                 "point the bootstrap servers at that cluster, or use another environment for this one");
    return false;
  }
  return true;
}

void WarnAboutUndeclared(Draft* draft) {
  absl::flat_hash_map<std::string_view, bool> declared;
  for (const v1::CompiledTopic& topic : draft->index.topology().topics()) declared[topic.resource()] = true;
  for (const v1::CompiledModel& model : draft->index.topology().models()) declared[model.resource()] = true;
  for (const v1::OwnedResource& owned : draft->index.observation().state().resources()) {
    if (declared.contains(owned.resource())) continue;
    draft->Warn(
        "NO_LONGER_DECLARED", owned.resource(),
        owned.has_runner() && owned.runner().running()
            ? absl::StrCat("it is deployed and no longer declared: it stays, and its runner ",
                           owned.runner().application_id(), " goes on")
            : std::string("it is deployed and no longer declared: it stays; nothing is removed for being absent"));
  }
}

void Sort(v1::Plan* plan) {
  std::sort(plan->mutable_blockers()->begin(), plan->mutable_blockers()->end(),
            [](const v1::Blocker& a, const v1::Blocker& b) {
              return std::tie(a.resource(), a.code(), a.text()) < std::tie(b.resource(), b.code(), b.text());
            });
  std::sort(plan->mutable_warnings()->begin(), plan->mutable_warnings()->end(),
            [](const v1::PlanWarning& a, const v1::PlanWarning& b) {
              return std::tie(a.resource(), a.code(), a.text()) < std::tie(b.resource(), b.code(), b.text());
            });
}

}  // namespace

void Make(const v1::ObservedTopology& observed, const StartAt& start_at, v1::Plan* plan) {
  plan->Clear();
  plan->set_version(1);
  *plan->mutable_topology() = observed.topology();
  *plan->mutable_state() = observed.observation().state().reference();
  plan->set_cluster_id(observed.observation().cluster().cluster_id());
  plan->set_observation_checksum(base::Checksum(observed.observation()));
  plan->set_observed_at_ms(observed.observation().observed_at_ms());
  plan->set_offline(observed.observation().offline());

  const Index index(observed);
  Draft draft(index, start_at, plan);
  if (CheckState(&draft) && CheckCluster(&draft)) {
    PlanTopics(&draft);
    PlanRunners(&draft);
  }
  AddImpacts(&draft);
  WarnAboutUndeclared(&draft);
  Sort(plan);
  plan->clear_checksum();
  plan->set_checksum(base::Checksum(*plan));
}

}  // namespace st::plan
