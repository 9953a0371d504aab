// What is to be done about runners.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/digest.h"
#include "lib/plan/draft.h"

namespace st::plan {
namespace {

// A killed member stays in its group until its session ends: librdkafka's and Kafka's default session.timeout.ms.
constexpr int kSessionSeconds = 45;

// One model with SQL against what runs and what we own.
class RunnerPlanner {
 public:
  RunnerPlanner(Draft* draft, const v1::CompiledModel& model)
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

  void Plan() {
    // A model that was never deployed and is declared as stopped has its topic, and no runner.
    if (owned_ == nullptr && !model_.running()) return;
    if (!CheckHost() || !CheckTopics() || !CheckGroupVisible()) return;
    if (owned_ == nullptr) return Create();
    if (!CheckUnchanged()) return;
    const v1::GenerationFacts* generation = FindGeneration();
    if (generation == nullptr) return;
    const bool runs = generation->state() == v1::GenerationFacts::RUNNING;
    if (model_.running() && !runs) return Start(*generation);
    if (!model_.running() && (runs || owned_->running())) return Stop(*generation, runs);
    if (runs) WarnAboutHealth(*generation);
  }

 private:
  void Block(std::string_view code, std::string text, std::string way_out) {
    draft_.Block(code, model_.resource(), std::move(text), std::move(way_out));
  }
  void BlockDeclared(std::string_view code, std::string text, std::string way_out) {
    draft_.DeclarationsChanged();
    Block(code, std::move(text), std::move(way_out));
  }
  void BlockDrifted(std::string_view code, std::string text, std::string way_out) {
    draft_.WorldDrifted();
    Block(code, std::move(text), std::move(way_out));
  }
  v1::Action::Cause CauseOf(bool was_running) const {
    return owned_->running() == was_running ? v1::Action::DRIFTED : v1::Action::DECLARED;
  }

  bool CheckHost() {
    if (index_.offline()) return true;
    if (host_.unsupported()) {
      BlockDeclared("HOST_UNSUPPORTED", "this version runs models on the process host only",
                    "declare runtime.runner.host: process");
      return false;
    }
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

  bool CheckTopics() {
    if (index_.offline() || draft_.CreatedBy(input_topic_) >= 0) return true;
    const v1::CompiledTopic* declared = index_.DeclaredTopic(input_topic_);
    if (declared != nullptr && declared->mode() != v1::EXTERNAL) {
      // A managed input that is not right has its own blocker.
      return input_ != nullptr && input_->presence() == v1::PRESENT;
    }
    if (input_ != nullptr && input_->presence() == v1::PRESENT) return true;
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

  bool CheckGroupVisible() {
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

  bool HasMembers() const {
    return group_ != nullptr &&
           (group_->state() == v1::GroupFacts::STABLE || group_->state() == v1::GroupFacts::REBALANCING);
  }

  void BlockActive() {
    const std::string who = group_->members().empty() ? std::string("a rebalance is under way")
                                                      : absl::StrCat("member ", group_->members(0).member_id(), " on ",
                                                                     group_->members(0).host());
    BlockDrifted("GROUP_ACTIVE", absl::StrCat("consumer group ", model_.application_id(), " is in use: ", who),
                 absl::StrCat("stop that consumer; one that was killed leaves after ", kSessionSeconds,
                              " s at most by default"));
  }

  v1::TopicBinding Bind(std::string_view topic) const {
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

  bool CheckNew() {
    if (!index_.Generations(model_.application_id()).empty()) {
      BlockDrifted("RUNNER_NOT_OURS",
                   absl::StrCat("a runner of ", model_.application_id(), " exists that our state does not own: ",
                                index_.Generations(model_.application_id()).front()->location()),
                   "find out which project or state store made it");
      return false;
    }
    if (HasMembers()) {
      BlockActive();
      return false;
    }
    for (int i = 0; offsets_ != nullptr && i < offsets_->offsets_size(); ++i) {
      const v1::GroupOffset& offset = offsets_->offsets(i);
      if (!offset.unstable() && offset.offset() < 0) continue;
      BlockDrifted(offset.unstable() ? "OFFSETS_UNSTABLE" : "GROUP_HAS_OFFSETS",
                   absl::StrCat("consumer group ", model_.application_id(), " has offsets on ", input_topic_,
                                " that this project did not write"),
                   "find out who uses this group; a new runner needs a new group");
      return false;
    }
    if (host_.runner_sha256().empty()) {
      Block("RUNNER_BINARY_MISSING", "no st-runner stands beside the tools", "install the whole package");
      return false;
    }
    return true;
  }

  void Create() {
    // The output topic's own blocker says what is wrong with it.
    const v1::TopicFacts* output = index_.Topic(model_.topic());
    const bool output_there = draft_.CreatedBy(model_.topic()) >= 0 || index_.Owned(TopicResource()) != nullptr;
    draft_.DeclarationsChanged();
    if (!index_.offline() && (!CheckNew() || !output_there)) return;
    v1::Action& action =
        draft_.AddAction(model_.resource(), v1::Action::DECLARED,
                         absl::StrCat("create runner ", model_.application_id(), " from ", input_topic_, " to ",
                                      model_.topic(), ": the model is declared and does not run"));
    v1::CreateRunner& create = *action.mutable_create_runner();
    create.set_application_id(model_.application_id());
    *create.mutable_plan() = model_.plan();
    create.set_plan_sha256(model_.plan_sha256());
    *create.mutable_input() = Bind(input_topic_);
    *create.mutable_output() = Bind(model_.topic());
    create.set_initial_offset(index_.topology().runner().initial_offset());
    create.set_host(index_.topology().runner().host());
    create.set_host_id(host_.host_id());
    create.set_runner_sha256(host_.runner_sha256());
    create.set_commit_interval_ms(index_.topology().runner().commit_interval_ms());
    const int made = draft_.CreatedBy(input_topic_);
    if (made >= 0) {
      create.set_input_partitions(draft_.plan().actions(made).create_topic().partitions());
    } else if (input_ != nullptr) {
      create.set_input_partitions(static_cast<uint32_t>(input_->partitions_size()));
    }
    for (uint32_t i = 0; i < create.input_partitions(); ++i) {
      v1::PartitionOffset& today = *create.add_offsets_today();
      today.set_partition(static_cast<int32_t>(i));
      today.set_leader_epoch(-1);
      if (made >= 0 || input_ == nullptr) continue;
      const v1::TopicFacts::Partition& partition = input_->partitions(static_cast<int>(i));
      today.set_offset(create.initial_offset() == v1::LATEST ? partition.end_offset() : partition.begin_offset());
    }
    if (output != nullptr) WarnAboutSize(*output);
  }

  void WarnAboutSize(const v1::TopicFacts& output) {
    for (const v1::TopicConfig& config : output.effective()) {
      if (config.name() != "cleanup.policy" || config.value().find("compact") == std::string::npos) continue;
      draft_.Warn("COMPACTED_OUTPUT", model_.resource(),
                  absl::StrCat("topic ", model_.topic(),
                               " is compacted: a runner drops tombstones, so nothing is ever "
                               "forgotten there, and records without a key are refused"));
    }
  }

  std::string TopicResource() const {
    const v1::CompiledTopic* topic = index_.DeclaredTopic(model_.topic());
    return topic == nullptr ? "" : topic->resource();
  }

  // What a running model may not change in this version; each by name.
  bool CheckUnchanged() {
    std::vector<std::string> changed;
    if (owned_->plan_sha256() != model_.plan_sha256()) {
      if (owned_->plan().input_topic() != model_.plan().input_topic()) changed.push_back("its input topic");
      if (owned_->plan().output_topic() != model_.plan().output_topic()) changed.push_back("its output topic");
      v1::RecordPlan before = owned_->plan();
      v1::RecordPlan after = model_.plan();
      for (v1::RecordPlan* plan : {&before, &after}) {
        plan->clear_input_topic();
        plan->clear_output_topic();
      }
      if (base::Checksum(before) != base::Checksum(after)) changed.push_back("what it selects, filters or reads");
    }
    if (owned_->host() != index_.topology().runner().host()) changed.push_back("its host");
    if (owned_->initial_offset() != index_.topology().runner().initial_offset()) changed.push_back("initial_offset");
    if (owned_->commit_interval_ms() != index_.topology().runner().commit_interval_ms()) {
      changed.push_back("commit_interval_ms");
    }
    if (!changed.empty()) {
      BlockDeclared(
          "UNSUPPORTED_RUNNER_CHANGE",
          absl::StrCat("runner ", model_.application_id(), " is deployed, and ", absl::StrJoin(changed, ", "),
                       " would change"),
          "this version does not change a deployed model: declare a new model beside it, or take the change back");
      return false;
    }
    if (input_->topic_id() != owned_->input_topic_id()) {
      BlockDrifted("TOPIC_ID_CHANGED",
                   absl::StrCat("topic ", input_topic_, " was deleted and made again: the runner was made for id ",
                                owned_->input_topic_id(), ", it is ", input_->topic_id(), " now"),
                   "nothing is skipped or read twice silently: declare a new model on the new topic");
      return false;
    }
    if (static_cast<uint32_t>(input_->partitions_size()) != owned_->initialized_partitions()) {
      BlockDrifted("PARTITIONS_CHANGED",
                   absl::StrCat("topic ", input_topic_, " has ", input_->partitions_size(),
                                " partitions, the runner was made for ", owned_->initialized_partitions()),
                   "this version cannot take new partitions over: declare a new model on this topic");
      return false;
    }
    return true;
  }

  const v1::GenerationFacts* FindGeneration() {
    const v1::GenerationFacts* found = nullptr;
    for (const v1::GenerationFacts* generation : index_.Generations(model_.application_id())) {
      if (generation->generation_id() == owned_->generation_id() && found == nullptr) {
        found = generation;
        continue;
      }
      BlockDrifted("RUNNER_NOT_OURS",
                   absl::StrCat("another generation of ", model_.application_id(),
                                " exists: ", generation->generation_id(), " at ", generation->location()),
                   "find out who made it; one application has one generation");
      return nullptr;
    }
    if (found == nullptr) {
      BlockDrifted(
          "RUNNER_MISSING",
          absl::StrCat("generation ", owned_->generation_id(), " of ", model_.application_id(), " is not on this host"),
          "restore its folder from a backup; its offsets are still in the consumer group");
      return nullptr;
    }
    if (found->plan_sha256() != owned_->plan_sha256() || found->binary_sha256() != owned_->runner_sha256()) {
      BlockDrifted("RUNNER_CHANGED",
                   absl::StrCat("the record plan or the binary at ", found->location(), " is not what was deployed"),
                   "somebody edited it: put back what was deployed");
      return nullptr;
    }
    return found;
  }

  // Where a start may go on from; false: blocked. A partition that is unstable is left out: st-apply waits for it.
  bool CollectOffsets(google::protobuf::RepeatedPtrField<v1::PartitionOffset>* bound) {
    for (const v1::TopicFacts::Partition& partition : input_->partitions()) {
      const v1::GroupOffset* found = nullptr;
      for (int i = 0; offsets_ != nullptr && i < offsets_->offsets_size(); ++i) {
        if (offsets_->offsets(i).partition() == partition.partition()) found = &offsets_->offsets(i);
      }
      if (found != nullptr && found->unstable()) {
        draft_.Warn("OFFSETS_UNSTABLE", model_.resource(),
                    absl::StrCat("an open transaction holds the offset of partition ", partition.partition(), " of ",
                                 input_topic_, ": st-apply waits until it times out"));
        continue;
      }
      if (found == nullptr || found->offset() < 0) {
        BlockDrifted("OFFSETS_MISSING",
                     absl::StrCat("group ", model_.application_id(), " has no committed offset on partition ",
                                  partition.partition(), " of ", input_topic_),
                     "its offsets expired or were deleted: no position is chosen silently; declare a new model");
        return false;
      }
      if (found->offset() < partition.begin_offset() || found->offset() > partition.end_offset()) {
        BlockDrifted("OFFSETS_OUT_OF_RANGE",
                     absl::StrCat("offset ", found->offset(), " of group ", model_.application_id(),
                                  " is outside partition ", partition.partition(), " of ", input_topic_, " (",
                                  partition.begin_offset(), " to ", partition.end_offset(), ")"),
                     "records between were deleted unread: no position is chosen silently; declare a new model");
        return false;
      }
      v1::PartitionOffset& offset = *bound->Add();
      offset.set_partition(partition.partition());
      offset.set_offset(found->offset());
      offset.set_leader_epoch(found->leader_epoch());
    }
    return true;
  }

  template <typename Runner>
  bool Fill(Runner* runner) {
    runner->set_application_id(model_.application_id());
    runner->set_generation_id(owned_->generation_id());
    runner->set_plan_sha256(owned_->plan_sha256());
    *runner->mutable_input() = Bind(input_topic_);
    *runner->mutable_output() = Bind(model_.topic());
    runner->set_host(owned_->host());
    runner->set_host_id(owned_->host_id());
    return CollectOffsets(runner->mutable_offsets());
  }

  void Start(const v1::GenerationFacts& generation) {
    if (HasMembers()) {
      const bool its_own = group_->members_size() == 1 && generation.has_status() &&
                           group_->members(0).member_id() == generation.status().member_id();
      if (!its_own && !group_->members().empty()) return BlockActive();
      draft_.Warn(
          "GROUP_ACTIVE", model_.resource(),
          absl::StrCat("the runner's ended process is still a member of its group; st-apply waits until its session "
                       "ends (",
                       kSessionSeconds, " s at most by default)"));
    }
    v1::StartRunner start;
    if (!Fill(&start)) return;
    start.set_runner_sha256(owned_->runner_sha256());
    const v1::Action::Cause cause = CauseOf(/*was_running=*/true);
    v1::Action& action = draft_.AddAction(
        model_.resource(), cause,
        absl::StrCat("start runner ", model_.application_id(), ": ",
                     cause == v1::Action::DRIFTED ? absl::StrCat("it ended (", HowItEnded(generation), ")")
                                                  : std::string("the model is declared as running again")));
    *action.mutable_start_runner() = std::move(start);
  }

  void Stop(const v1::GenerationFacts& generation, bool runs) {
    v1::StopRunner stop;
    if (!Fill(&stop)) return;
    std::string reason =
        absl::StrCat("stop runner ", model_.application_id(), ": the model is declared as not running");
    if (!runs) absl::StrAppend(&reason, "; it ended already (", HowItEnded(generation), ")");
    v1::Action& action = draft_.AddAction(model_.resource(), CauseOf(/*was_running=*/false), std::move(reason));
    *action.mutable_stop_runner() = std::move(stop);
  }

  static std::string HowItEnded(const v1::GenerationFacts& generation) {
    if (!generation.has_status()) return "it wrote no status";
    const v1::RunnerStatus& status = generation.status();
    std::string text = v1::RunnerStatus::State_Name(status.state());
    if (status.reason() != v1::RunnerStatus::REASON_UNSPECIFIED) {
      absl::StrAppend(&text, " ", v1::RunnerStatus::Reason_Name(status.reason()));
    }
    if (status.state() == v1::RunnerStatus::RUNNING) text = "killed while it ran";
    return text;
  }

  void WarnAboutHealth(const v1::GenerationFacts& generation) {
    constexpr int64_t kStaleMs = 30'000;
    const v1::RunnerStatus& status = generation.status();
    if (index_.observation().observed_at_ms() - status.updated_at_ms() > kStaleMs) {
      draft_.Warn("STATUS_STALE", model_.resource(),
                  absl::StrCat("runner ", model_.application_id(), " has not written its status for over ",
                               kStaleMs / 1000, " s: look at its log at ", generation.location()));
    }
    if (owned_->runner_sha256() != host_.runner_sha256() && !host_.runner_sha256().empty()) {
      draft_.Warn(
          "RUNNER_OLDER", model_.resource(),
          absl::StrCat("runner ", model_.application_id(), " runs another st-runner than the one beside the tools"));
    }
  }

  Draft& draft_;
  const Index& index_;
  const v1::CompiledModel& model_;
  const std::string input_topic_;
  const v1::HostFacts& host_;
  const v1::OwnedRunner* owned_ = nullptr;
  const v1::GroupFacts* group_ = nullptr;
  const v1::TopicFacts* input_ = nullptr;
  const v1::GroupOffsets* offsets_ = nullptr;
};

}  // namespace

void PlanRunners(Draft* draft) {
  for (const v1::CompiledModel* model : draft->index.RunnersInOrder()) RunnerPlanner(draft, *model).Plan();
}

}  // namespace st::plan
