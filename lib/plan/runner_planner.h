// One model with SQL against what runs and what we own. Internal to lib/plan.
#ifndef ST_LIB_PLAN_RUNNER_PLANNER_H_
#define ST_LIB_PLAN_RUNNER_PLANNER_H_

#include <string>
#include <string_view>
#include <vector>

#include "lib/plan/draft.h"

namespace st::plan {

// A foreign member that was killed stays in its group until its session ends: the default session.timeout.ms.
inline constexpr int kSessionSeconds = 45;

class RunnerPlanner {
 public:
  RunnerPlanner(Draft* draft, const v1::CompiledModel& model);
  void Plan();

 private:
  void Block(std::string_view code, std::string text, std::string way_out);
  void BlockDeclared(std::string_view code, std::string text, std::string way_out);
  void BlockDrifted(std::string_view code, std::string text, std::string way_out);
  v1::Action::Cause CauseOf(bool was_running) const;
  bool CheckHost();
  bool CheckTopics();
  bool CheckGroupVisible();
  bool HasMembers() const;
  void BlockActive();
  v1::TopicBinding Bind(std::string_view topic) const;
  bool CheckNew();
  bool CheckImage();
  bool CheckNetwork();
  void Create();
  void WarnAboutSize(const v1::TopicFacts& output);
  std::string TopicResource() const;
  // What a running model may not change in this version; each by name.
  bool CheckUnchanged();
  std::vector<std::string> ChangedSettings() const;
  // For a sentence: its id and place, or why it has none.
  static std::string Named(const v1::GenerationFacts& generation);
  const v1::GenerationFacts* FindGeneration();
  // Where a start may go on from; false: blocked. A partition that is unstable is left out: st-apply waits for it.
  bool CollectOffsets(google::protobuf::RepeatedPtrField<v1::PartitionOffset>* bound);
  // Nothing ran since it closed, or since its last status: neither did its offsets move.
  bool CheckNotMoved(const v1::GenerationFacts& generation,
                     const google::protobuf::RepeatedPtrField<v1::PartitionOffset>& offsets);
  template <typename Runner>
  bool Fill(Runner* runner);
  static std::string HowItEnded(const v1::GenerationFacts& generation);
  void Start(const v1::GenerationFacts& generation);
  void Stop(const v1::GenerationFacts& generation, bool runs);
  void WarnAboutHealth(const v1::GenerationFacts& generation);

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

}  // namespace st::plan

#endif  // ST_LIB_PLAN_RUNNER_PLANNER_H_
