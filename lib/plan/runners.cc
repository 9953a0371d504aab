// What is to be done about runners: what both new and owned ones need.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/runner_planner.h"

namespace st::plan {

RunnerPlanner::RunnerPlanner(Draft* draft, const v1::CompiledModel& model)
    : draft_(*draft),
      index_(draft->index),
      model_(model),
      input_topic_(draft->index.TopicOf(model.input())),
      host_(draft->index.observation().host()) {
  const v1::OwnedResource* owned = index_.Owned(model.resource());
  owned_ = owned == nullptr ? nullptr : &owned->runner();
  group_ = index_.Group(model.application_id());
  input_ = index_.Topic(input_topic_);
  if (group_ == nullptr) return;
  for (const v1::GroupOffsets& offsets : group_->topics()) {
    if (offsets.topic() == input_topic_) offsets_ = &offsets;
  }
}

void RunnerPlanner::Plan() {
  PlanOne();
  RefuseNeedlessChoice();
}

void RunnerPlanner::PlanOne() {
  // A model that was never deployed and is declared as stopped has its topic, and no runner.
  if (owned_ == nullptr && !model_.running()) return;
  if (!CheckHost() || !CheckTopics() || !CheckGroupVisible()) return;
  if (owned_ == nullptr) return Create();
  const bool replaced = owned_->plan_sha256() != model_.plan_sha256();
  const RecordChange change = replaced ? Compare(owned_->plan(), model_.plan()) : RecordChange();
  if (!CheckChange(change)) return;
  const v1::GenerationFacts* generation = FindGeneration();
  if (generation == nullptr) return;
  if (generation->state() != v1::GenerationFacts::RUNNING) {
    ended_ = generation;
    WarnIfOffsetsExpireSoon(*generation);
  }
  const std::vector<int32_t> lost = WarnAboutGrowth(*generation);
  if (replaced) return Replace(*generation, change);
  const bool runs = generation->state() == v1::GenerationFacts::RUNNING;
  if (model_.running() && !runs) return Start(*generation);
  if (!model_.running() && (runs || owned_->running())) return Stop(*generation, runs);
  if (!runs) return;
  if (!lost.empty()) {
    BlockDrifted(
        "OFFSETS_MISSING",
        absl::StrCat("group ", model_.application_id(), " has no offset for partition ", absl::StrJoin(lost, ", "),
                     " of ", input_topic_, ", and its log does not begin at 0"),
        "the runner stops by itself as soon as it finds that partition: plan again then, and choose a position");
  }
  WarnIfStale(*generation);
  WarnIfOlder();
}

void RunnerPlanner::Block(std::string_view code, std::string text, std::string way_out) {
  draft_.Block(code, model_.resource(), std::move(text), std::move(way_out));
}

void RunnerPlanner::BlockDeclared(std::string_view code, std::string text, std::string way_out) {
  draft_.DeclarationsChanged();
  Block(code, std::move(text), std::move(way_out));
}

void RunnerPlanner::BlockDrifted(std::string_view code, std::string text, std::string way_out) {
  draft_.WorldDrifted();
  Block(code, std::move(text), std::move(way_out));
}

std::string RunnerPlanner::Named(const v1::GenerationFacts& generation) {
  if (generation.generation_id().empty()) return absl::StrCat(generation.location(), " (", generation.detail(), ")");
  return absl::StrCat(generation.generation_id(), " at ", generation.location());
}

v1::Action::Cause RunnerPlanner::CauseOf(bool was_running) const {
  return owned_->running() == was_running ? v1::Action::DRIFTED : v1::Action::DECLARED;
}

bool RunnerPlanner::CheckHost() {
  if (index_.offline()) return true;
  if (!host_.detail().empty()) {
    Block("HOST_UNREADABLE", absl::StrCat("the runner host cannot be looked at: ", host_.detail()),
          "mend the cause, then observe and plan again");
    return false;
  }
  if (owned_ != nullptr && owned_->host() != v1::HOST_KIND_UNSPECIFIED && owned_->host_id() != host_.host_id()) {
    Block("HOST_CHANGED",
          absl::StrCat("runner ", model_.application_id(), " lives on host ", owned_->host_id(), ", this is ",
                       host_.host_id()),
          "plan and apply on the host where it runs");
    return false;
  }
  return true;
}

bool RunnerPlanner::CheckTopics() {
  if (index_.offline() || draft_.CreatedBy(input_topic_) >= 0) return true;
  const v1::CompiledTopic* declared = index_.DeclaredTopic(input_topic_);
  if (declared != nullptr && declared->mode() != v1::EXTERNAL) {
    // A managed input that is not right has its own blocker.
    return input_ != nullptr && input_->presence() == v1::PRESENT;
  }
  if (input_ != nullptr && input_->presence() == v1::PRESENT) return true;
  if (input_ != nullptr && input_->presence() == v1::ABSENT && owned_ != nullptr) {
    // Made again it would have another id, and other records under the same offsets.
    BlockDrifted("TOPIC_ID_CHANGED",
                 absl::StrCat("topic ", input_topic_, ", which runner ", model_.application_id(), " was made for (id ",
                              owned_->input_topic_id(), "), was deleted"),
                 "a topic of that name that its owner makes is another one: declare a new model on it");
    return false;
  }
  if (input_ != nullptr && input_->presence() == v1::ABSENT) {
    Block("INPUT_MISSING", absl::StrCat("topic ", input_topic_, ", which this model reads, does not exist"),
          "its owner has to make it; a source is never created from here");
    return false;
  }
  Block("NOT_VISIBLE",
        absl::StrCat("topic ", input_topic_, " cannot be looked at",
                     input_ == nullptr ? "" : absl::StrCat(": ", input_->detail())),
        "grant the right to describe it; it is never taken for absent");
  return false;
}

bool RunnerPlanner::CheckGroupVisible() {
  if (index_.offline() || (group_ != nullptr && group_->state() != v1::GroupFacts::INVISIBLE &&
                           group_->state() != v1::GroupFacts::STATE_UNSPECIFIED)) {
    return true;
  }
  Block("NOT_VISIBLE",
        absl::StrCat("consumer group ", model_.application_id(), " cannot be looked at",
                     group_ == nullptr ? "" : absl::StrCat(": ", group_->detail())),
        "grant the right to describe and read that group");
  return false;
}

bool RunnerPlanner::HasMembers() const {
  return group_ != nullptr &&
         (group_->state() == v1::GroupFacts::STABLE || group_->state() == v1::GroupFacts::REBALANCING);
}

void RunnerPlanner::BlockActive(std::string_view own) {
  std::string who = "a rebalance is under way";
  for (const v1::GroupMember& member : group_->members()) {
    if (member.member_id() == own) continue;
    who = absl::StrCat("member ", member.member_id(), " on ", member.host());
    break;
  }
  BlockDrifted(
      "GROUP_ACTIVE", absl::StrCat("consumer group ", model_.application_id(), " is in use: ", who),
      absl::StrCat("stop that consumer; one that was killed leaves after ", kSessionSeconds, " s at most by default"));
}

v1::TopicBinding RunnerPlanner::Bind(std::string_view topic) const {
  v1::TopicBinding binding;
  binding.set_name(std::string(topic));
  const int created_by = draft_.CreatedBy(topic);
  if (created_by >= 0) {
    binding.set_created_by(static_cast<uint32_t>(created_by));
  } else if (const v1::TopicFacts* facts = index_.Topic(topic)) {
    binding.set_topic_id(facts->topic_id());
  }
  return binding;
}

std::string RunnerPlanner::TopicResource() const {
  const v1::CompiledTopic* topic = index_.DeclaredTopic(model_.topic());
  return topic == nullptr ? "" : topic->resource();
}

void PlanRunners(Draft* draft) {
  for (const v1::CompiledModel& model : draft->index.topology().models()) {
    const v1::OwnedResource* owned = draft->index.Owned(model.resource());
    if (model.has_plan() || owned == nullptr) continue;
    draft->DeclarationsChanged();
    draft->Block(
        "UNSUPPORTED_RUNNER_CHANGE", model.resource(),
        absl::StrCat("runner ", owned->runner().application_id(), " is deployed, and its model has no SQL any more"),
        "put the SQL back; a runner is not removed in this version");
  }
  for (const v1::CompiledModel* model : draft->index.RunnersInOrder()) RunnerPlanner(draft, *model).Plan();
}

}  // namespace st::plan
