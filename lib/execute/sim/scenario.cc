#include "lib/execute/sim/scenario.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/execute/sim/plan_maker.h"
#include "lib/execute/sim/runner.h"

namespace st::sim {
namespace {

constexpr int64_t kMoment = 1'000;
// Longer than a broker keeps the offsets of a group without members.
constexpr int64_t kStoppedWeek = int64_t{8} * 24 * 3'600'000;

// Until nothing is to be done.
void LetRunnersWork(State* state) {
  while (Step(state)) {
  }
}

// Nobody is there any more, and what was committed is forgotten.
void LetOffsetsExpire(State* state) {
  state->Pass(kStoppedWeek);
  LetRunnersWork(state);
  state->groups[kApplication].offsets.clear();
}

absl::Status DeployRunner(PlanMaker* maker, bool side_topic) {
  maker->AddCreates();
  if (side_topic) maker->AddSideTopic();
  return maker->Deploy();
}

absl::Status DeployAndStop(PlanMaker* maker) {
  if (absl::Status status = DeployRunner(maker, false); !status.ok()) return status;
  maker->AddStop();
  return maker->Deploy();
}

// Its member and its transaction are still there.
absl::Status DeployAndKill(PlanMaker* maker) {
  if (absl::Status status = DeployRunner(maker, false); !status.ok()) return status;
  State& state = maker->state();
  state.Pass(10);
  Step(&state);
  Kill(&state, state.generations.begin()->first);
  return absl::OkStatus();
}

absl::Status MakeCreate(PlanMaker* maker) {
  maker->AddCreates();
  return absl::OkStatus();
}

absl::Status MakeUpdate(PlanMaker* maker) {
  if (absl::Status status = DeployRunner(maker, true); !status.ok()) return status;
  maker->AddUpdate();
  return absl::OkStatus();
}

absl::Status MakeStop(PlanMaker* maker) {
  if (absl::Status status = DeployRunner(maker, false); !status.ok()) return status;
  maker->AddStop();
  return absl::OkStatus();
}

// Its machine went down in good order, and told it to close.
absl::Status MakeStopEnded(PlanMaker* maker) {
  if (absl::Status status = DeployRunner(maker, false); !status.ok()) return status;
  for (auto& [id, process] : maker->state().processes) process.phase = Process::Phase::kClosing;
  LetRunnersWork(&maker->state());
  maker->AddStop();
  return absl::OkStatus();
}

absl::Status MakeStart(PlanMaker* maker) {
  if (absl::Status status = DeployAndStop(maker); !status.ok()) return status;
  maker->state().Pass(kMoment);
  maker->AddStart();
  return absl::OkStatus();
}

absl::Status MakeRestart(PlanMaker* maker) {
  if (absl::Status status = DeployAndKill(maker); !status.ok()) return status;
  maker->AddStart();
  return absl::OkStatus();
}

absl::Status MakeReplace(PlanMaker* maker) {
  if (absl::Status status = DeployRunner(maker, false); !status.ok()) return status;
  maker->AddReplace(/*ended=*/false);
  return absl::OkStatus();
}

// The plan says of one that was killed that it had ended.
absl::Status MakeReplaceKilled(PlanMaker* maker) {
  if (absl::Status status = DeployAndKill(maker); !status.ok()) return status;
  maker->AddReplace(/*ended=*/true);
  return absl::OkStatus();
}

// It was stopped, and stays so.
absl::Status MakeReplaceStopped(PlanMaker* maker) {
  if (absl::Status status = DeployAndStop(maker); !status.ok()) return status;
  maker->state().Pass(kMoment);
  maker->AddReplace(/*ended=*/true);
  return absl::OkStatus();
}

// One plan that changes another topic and then the running model.
absl::Status MakeChange(PlanMaker* maker) {
  if (absl::Status status = DeployRunner(maker, true); !status.ok()) return status;
  maker->AddUpdate();
  maker->AddReplace(/*ended=*/false);
  maker->scenario()->topic = "out";
  return absl::OkStatus();
}

// It was stopped for so long that its offsets are gone, and is to run again from where it closed.
absl::Status MakeRestore(PlanMaker* maker) {
  if (absl::Status status = DeployAndStop(maker); !status.ok()) return status;
  LetOffsetsExpire(&maker->state());
  maker->AddRestore(v1::RestoreOffsets::CLEAN_CLOSE);
  maker->AddStart();
  // Whose log is another one then.
  maker->scenario()->topic = "in";
  return absl::OkStatus();
}

// It was killed, and retention went past what it had committed on one partition: from the earliest on, as chosen.
absl::Status MakeRestoreChosen(PlanMaker* maker) {
  if (absl::Status status = DeployAndKill(maker); !status.ok()) return status;
  State& state = maker->state();
  state.Pass(kMoment);
  state.Pass(kMoment);
  v1::TopicFacts::Partition& partition = *state.topics["in"].mutable_partitions(0);
  partition.set_begin_offset(state.groups[kApplication].offsets["in"][0].offset() + 1);
  maker->AddRestore(v1::RestoreOffsets::EARLIEST);
  maker->AddStart();
  return absl::OkStatus();
}

// It was stopped for so long, and is to run again with another filter.
absl::Status MakeRestoreReplace(PlanMaker* maker) {
  if (absl::Status status = DeployAndStop(maker); !status.ok()) return status;
  maker->scenario()->runs = true;
  LetOffsetsExpire(&maker->state());
  maker->AddRestore(v1::RestoreOffsets::CLEAN_CLOSE);
  maker->AddReplace(/*ended=*/true);
  return absl::OkStatus();
}

constexpr std::pair<const char*, absl::Status (*)(PlanMaker*)> kScenarios[] = {{"create", MakeCreate},
                                                                               {"update", MakeUpdate},
                                                                               {"stop", MakeStop},
                                                                               {"stop_ended", MakeStopEnded},
                                                                               {"start", MakeStart},
                                                                               {"restart", MakeRestart},
                                                                               {"replace", MakeReplace},
                                                                               {"replace_killed", MakeReplaceKilled},
                                                                               {"replace_stopped", MakeReplaceStopped},
                                                                               {"change", MakeChange},
                                                                               {"restore", MakeRestore},
                                                                               {"restore_chosen", MakeRestoreChosen},
                                                                               {"restore_replace", MakeRestoreReplace}};

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
    PlanMaker maker(seed, place);
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
