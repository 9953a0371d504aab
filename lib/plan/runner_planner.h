// One model with SQL against what runs and what we own. Internal to lib/plan.
#ifndef ST_LIB_PLAN_RUNNER_PLANNER_H_
#define ST_LIB_PLAN_RUNNER_PLANNER_H_

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "lib/plan/draft.h"
#include "lib/plan/record_change.h"

namespace st::plan {

// A foreign member that was killed stays in its group until its session ends: the default session.timeout.ms.
inline constexpr int kSessionSeconds = 45;

class RunnerPlanner {
 public:
  RunnerPlanner(Draft* draft, const v1::CompiledModel& model);
  void Plan();

 private:
  void PlanOne();
  void Block(std::string_view code, std::string text, std::string way_out);
  void BlockDeclared(std::string_view code, std::string text, std::string way_out);
  void BlockDrifted(std::string_view code, std::string text, std::string way_out);
  v1::Action::Cause CauseOf(bool was_running) const;
  bool CheckHost();
  bool CheckTopics();
  bool CheckGroupVisible();
  bool HasMembers() const;
  // Names a member that is not `own`.
  void BlockActive(std::string_view own = "");
  v1::TopicBinding Bind(std::string_view topic) const;
  bool CheckNew();
  // The binary, or image and network, that a generation is made of.
  bool CheckMeans();
  bool CheckImage();
  bool CheckNetwork();
  void Create();
  void WarnAboutSize(const v1::TopicFacts& output);
  std::string TopicResource() const;
  // What a deployed model may not change, each by name; then, whether its input is still what it was made for.
  bool CheckChange(const RecordChange& change);
  std::vector<std::string> ChangedSettings() const;
  // For a sentence: its id and place, or why it has none.
  static std::string Named(const v1::GenerationFacts& generation);
  const v1::GenerationFacts* FindGeneration();
  // As committed; null: none.
  const v1::GroupOffset* CommittedOn(int32_t partition) const;
  // The input got it since the runner was made, nothing of it is gone, and neither the last status nor what we own
  // names it: nobody has read it, and the runner takes it over from 0.
  bool IsNew(const v1::TopicFacts::Partition& partition) const;
  // Where a start may go on from; false: blocked. A partition that is unstable is left out: st-apply waits for it; so
  // is a new one.
  bool CollectOffsets(bool may_restore, google::protobuf::RepeatedPtrField<v1::PartitionOffset>* bound);
  // A partition whose committed offset is of no use.
  struct Lacking;
  Lacking LackingOf(const v1::GenerationFacts& generation, const v1::TopicFacts::Partition& partition,
                    int64_t committed) const;
  // Of going on there, as the end of a sentence.
  std::string Consequence(v1::RestoreOffsets::From from, const std::vector<Lacking>& all) const;
  std::string Choices(const std::vector<Lacking>& all) const;
  // Adds RESTORE_OFFSETS; false: blocked, with what can be chosen.
  bool Restore(const v1::GenerationFacts& generation, const std::vector<Lacking>& all,
               google::protobuf::RepeatedPtrField<v1::PartitionOffset>* bound);
  // The next action of this runner starts from what was restored.
  void FollowRestored(v1::Action* action) const;
  // Last: a choice that changed nothing would be taken for one that did.
  void RefuseNeedlessChoice();
  // What becomes of the partitions that the input got since the runner was made. Returns those at which it stops: they
  // have no offset and are not new.
  std::vector<int32_t> WarnAboutGrowth(const v1::GenerationFacts& generation);
  // Of a runner that reads on from there; partitions that are not named, from their beginning.
  void WarnAboutOldRecords(const google::protobuf::RepeatedPtrField<v1::PartitionOffset>& from);
  // Of one that ended: by the time of its last status, as the cluster does not say when it saw a group's last member.
  void WarnIfOffsetsExpireSoon(const v1::GenerationFacts& generation);
  // Nothing ran since it closed, or since its last status: neither did its offsets move.
  bool CheckNotMoved(const v1::GenerationFacts& generation,
                     const google::protobuf::RepeatedPtrField<v1::PartitionOffset>& offsets);
  // What every action on an owned generation binds; false: blocked.
  template <typename Runner>
  bool Fill(Runner* runner);
  // False: somebody else is in the group of a runner that ended. Its own member is waited for.
  bool CheckMemberLeaves(const v1::GenerationFacts& generation);
  // False: somebody else is in the group of a runner that runs.
  bool CheckAlone(const v1::GenerationFacts& generation);
  void Start(const v1::GenerationFacts& generation);
  void Stop(const v1::GenerationFacts& generation, bool runs);
  // Another record plan on the same topics and offsets.
  void Replace(const v1::GenerationFacts& generation, const RecordChange& change);
  void WarnIfStale(const v1::GenerationFacts& generation);
  void WarnIfOlder();

  Draft& draft_;
  const Index& index_;
  const v1::CompiledModel& model_;
  const std::string input_topic_;
  const v1::HostFacts& host_;
  const v1::OwnedRunner* owned_ = nullptr;
  const v1::GroupFacts* group_ = nullptr;
  const v1::TopicFacts* input_ = nullptr;
  const v1::GroupOffsets* offsets_ = nullptr;
  const v1::GenerationFacts* ended_ = nullptr;  // the owned generation, when nothing runs
  bool lacks_offsets_ = false;
  std::optional<v1::OwnedResource> restored_ = {};  // as RESTORE_OFFSETS of this plan leaves it
};

template <typename Runner>
bool RunnerPlanner::Fill(Runner* runner) {
  runner->set_application_id(model_.application_id());
  runner->set_generation_id(owned_->generation_id());
  runner->set_plan_sha256(owned_->plan_sha256());
  *runner->mutable_input() = Bind(input_topic_);
  *runner->mutable_output() = Bind(model_.topic());
  runner->set_host(owned_->host());
  runner->set_host_id(owned_->host_id());
  constexpr bool kMayRestore = !std::is_same_v<Runner, v1::StopRunner>;
  if (!CollectOffsets(kMayRestore, runner->mutable_offsets())) return false;
  if constexpr (kMayRestore) runner->set_offsets_restored(restored_.has_value());
  return true;
}

}  // namespace st::plan

#endif  // ST_LIB_PLAN_RUNNER_PLANNER_H_
