// The plan while it is made: an index over what was observed, and what was found. Internal to lib/plan.
#ifndef ST_LIB_PLAN_DRAFT_H_
#define ST_LIB_PLAN_DRAFT_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/plan/start_at.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::plan {

// Everything that is looked up by name, once. Points into the ObservedTopology, which must outlive it.
class Index {
 public:
  explicit Index(const v1::ObservedTopology& observed);

  const v1::Topology& topology() const { return observed_.topology(); }
  const v1::Observation& observation() const { return observed_.observation(); }
  bool offline() const { return observation().offline(); }

  // Null when it was not observed (or owned, or declared).
  const v1::TopicFacts* Topic(std::string_view name) const;
  const v1::TopicVerdict* Verdict(std::string_view topic) const;
  const v1::GroupFacts* Group(std::string_view id) const;
  const v1::OwnedResource* Owned(std::string_view resource) const;
  const v1::CompiledTopic* DeclaredTopic(std::string_view name) const;
  const v1::RecordAges* Ages(std::string_view model) const;
  const std::vector<const v1::GenerationFacts*>& Generations(std::string_view application_id) const;
  const v1::VolumeFacts* Volume(std::string_view application_id) const;
  const std::vector<const v1::CompiledModel*>& Readers(std::string_view resource) const;
  // Exposures that consume, or produce, a source or model.
  const std::vector<const v1::CompiledExposure*>& Consumers(std::string_view resource) const;
  const std::vector<const v1::CompiledExposure*>& Producers(std::string_view resource) const;
  // The model with SQL whose output a topic is.
  const v1::CompiledModel* WriterOf(std::string_view topic) const;
  // Groups that have offsets or assignments on a topic.
  const std::vector<const v1::GroupFacts*>& GroupsOn(std::string_view topic) const;
  // Topic of a source or model, and the source or model of a topic.
  std::string_view TopicOf(std::string_view resource) const;
  std::string_view DeclaredBy(std::string_view topic) const;

  // Every model with SQL, upstream before downstream, by name where the order is free.
  std::vector<const v1::CompiledModel*> RunnersInOrder() const;

 private:
  template <typename T>
  using ByName = absl::flat_hash_map<std::string_view, T>;

  const v1::ObservedTopology& observed_;
  ByName<const v1::TopicFacts*> topics_;
  ByName<const v1::TopicVerdict*> verdicts_;
  ByName<const v1::GroupFacts*> groups_;
  ByName<const v1::OwnedResource*> owned_;
  ByName<const v1::CompiledTopic*> declared_;
  ByName<std::string_view> topic_of_;
  ByName<std::string_view> declared_by_;
  ByName<std::vector<const v1::GenerationFacts*>> generations_;
  ByName<const v1::VolumeFacts*> volumes_;
  ByName<const v1::RecordAges*> ages_;
  ByName<std::vector<const v1::CompiledModel*>> readers_;
  ByName<const v1::CompiledModel*> writer_of_;
  ByName<std::vector<const v1::CompiledExposure*>> consumers_;
  ByName<std::vector<const v1::CompiledExposure*>> producers_;
  ByName<std::vector<const v1::GroupFacts*>> groups_on_;
};

class Draft {
 public:
  Draft(const Index& observed, const StartAt& start_at, v1::Plan* plan)
      : index(observed), start_at_(start_at), plan_(plan) {}

  v1::Action& AddAction(std::string_view resource, v1::Action::Cause cause, std::string reason);
  void Block(std::string_view code, std::string_view resource, std::string text, std::string way_out);
  void Warn(std::string_view code, std::string_view resource, std::string text);
  void DeclarationsChanged() { plan_->set_declarations_changed(true); }
  void WorldDrifted() { plan_->set_world_drifted(true); }
  const v1::Plan& plan() const { return *plan_; }
  v1::Plan& plan() { return *plan_; }
  const StartAt& start_at() const { return start_at_; }

  // Index of the CREATE_TOPIC of that topic in this plan, or -1.
  int CreatedBy(std::string_view topic) const;
  void RememberCreated(std::string_view topic, uint32_t action) { created_[topic] = static_cast<int>(action); }

  const Index& index;

 private:
  const StartAt& start_at_;
  v1::Plan* plan_;
  absl::flat_hash_map<std::string_view, int> created_;
};

void PlanTopics(Draft* draft);
void PlanRunners(Draft* draft);
// Last: reads the actions.
void AddImpacts(Draft* draft);

}  // namespace st::plan

#endif  // ST_LIB_PLAN_DRAFT_H_
