#include "lib/plan/draft.h"

#include <deque>
#include <utility>

namespace st::plan {
namespace {

template <typename Map, typename Value = typename Map::mapped_type>
const Value& ListOf(const Map& map, std::string_view key) {
  static const Value* const empty = new Value();
  auto it = map.find(key);
  return it == map.end() ? *empty : it->second;
}

template <typename Map>
typename Map::mapped_type PointerOf(const Map& map, std::string_view key) {
  auto it = map.find(key);
  return it == map.end() ? nullptr : it->second;
}

}  // namespace

Index::Index(const v1::ObservedTopology& observed) : observed_(observed) {
  const v1::Observation& o = observed.observation();
  for (const v1::TopicFacts& topic : o.topics()) topics_[topic.name()] = &topic;
  for (const v1::TopicVerdict& verdict : o.verdicts()) verdicts_[verdict.topic()] = &verdict;
  for (const v1::GroupFacts& group : o.groups()) groups_[group.group_id()] = &group;
  for (const v1::OwnedResource& owned : o.state().resources()) owned_[owned.resource()] = &owned;
  for (const v1::VolumeFacts& volume : o.host().volumes()) volumes_.emplace(volume.application_id(), &volume);
  for (const v1::RecordAges& ages : o.record_ages()) ages_[ages.model()] = &ages;
  for (const v1::GenerationFacts& generation : o.host().generations()) {
    generations_[generation.application_id()].push_back(&generation);
  }
  for (const v1::GroupFacts& group : o.groups()) {
    absl::flat_hash_map<std::string_view, bool> on;
    for (const v1::GroupOffsets& offsets : group.topics()) on[offsets.topic()] = true;
    for (const v1::GroupMember& member : group.members()) {
      for (const v1::GroupAssignment& assignment : member.assignments()) on[assignment.topic()] = true;
    }
    for (const auto& [topic, unused] : on) groups_on_[topic].push_back(&group);
  }
  const v1::Topology& t = observed.topology();
  for (const v1::CompiledTopic& topic : t.topics()) declared_[topic.name()] = &topic;
  for (const v1::CompiledSource& source : t.sources()) {
    topic_of_[source.resource()] = source.topic();
    declared_by_[source.topic()] = source.resource();
  }
  for (const v1::CompiledModel& model : t.models()) {
    topic_of_[model.resource()] = model.topic();
    declared_by_[model.topic()] = model.resource();
    if (!model.has_plan()) continue;
    readers_[model.input()].push_back(&model);
    writer_of_[model.topic()] = &model;
  }
  for (const v1::CompiledExposure& exposure : t.exposures()) {
    for (const std::string& resource : exposure.consumes()) consumers_[resource].push_back(&exposure);
    for (const std::string& resource : exposure.produces()) producers_[resource].push_back(&exposure);
  }
}

const v1::TopicFacts* Index::Topic(std::string_view name) const { return PointerOf(topics_, name); }
const v1::TopicVerdict* Index::Verdict(std::string_view topic) const { return PointerOf(verdicts_, topic); }
const v1::GroupFacts* Index::Group(std::string_view id) const { return PointerOf(groups_, id); }
const v1::OwnedResource* Index::Owned(std::string_view resource) const { return PointerOf(owned_, resource); }
const v1::CompiledTopic* Index::DeclaredTopic(std::string_view name) const { return PointerOf(declared_, name); }
const std::vector<const v1::GenerationFacts*>& Index::Generations(std::string_view id) const {
  return ListOf(generations_, id);
}
const v1::VolumeFacts* Index::Volume(std::string_view id) const { return PointerOf(volumes_, id); }
const v1::RecordAges* Index::Ages(std::string_view model) const { return PointerOf(ages_, model); }
const std::vector<const v1::CompiledModel*>& Index::Readers(std::string_view resource) const {
  return ListOf(readers_, resource);
}
const v1::CompiledModel* Index::WriterOf(std::string_view topic) const { return PointerOf(writer_of_, topic); }
const std::vector<const v1::CompiledExposure*>& Index::Consumers(std::string_view resource) const {
  return ListOf(consumers_, resource);
}
const std::vector<const v1::CompiledExposure*>& Index::Producers(std::string_view resource) const {
  return ListOf(producers_, resource);
}
const std::vector<const v1::GroupFacts*>& Index::GroupsOn(std::string_view topic) const {
  return ListOf(groups_on_, topic);
}
std::string_view Index::TopicOf(std::string_view resource) const { return ListOf(topic_of_, resource); }
std::string_view Index::DeclaredBy(std::string_view topic) const { return ListOf(declared_by_, topic); }

std::vector<const v1::CompiledModel*> Index::RunnersInOrder() const {
  // Roots read a source or a topic without SQL; everything else follows what it reads. The graph has no cycles.
  absl::flat_hash_map<std::string_view, bool> has_plan;
  for (const v1::CompiledModel& model : topology().models()) has_plan[model.resource()] = model.has_plan();
  std::deque<const v1::CompiledModel*> ready;
  for (const v1::CompiledModel& model : topology().models()) {
    auto input = has_plan.find(model.input());
    if (model.has_plan() && (input == has_plan.end() || !input->second)) ready.push_back(&model);
  }
  std::vector<const v1::CompiledModel*> order;
  while (!ready.empty()) {
    const v1::CompiledModel* model = ready.front();
    ready.pop_front();
    order.push_back(model);
    for (const v1::CompiledModel* reader : Readers(model->resource())) ready.push_back(reader);
  }
  return order;
}

v1::Action& Draft::AddAction(std::string_view resource, v1::Action::Cause cause, std::string reason) {
  if (index.offline()) reason += " (offline: assuming that nothing exists)";
  v1::Action& action = *plan_->add_actions();
  action.set_index(static_cast<uint32_t>(plan_->actions_size() - 1));
  action.set_resource(std::string(resource));
  action.set_cause(cause);
  action.set_reason(std::move(reason));
  if (const v1::OwnedResource* owned = index.Owned(resource)) *action.mutable_prior() = *owned;
  if (cause == v1::Action::DRIFTED) {
    WorldDrifted();
  } else {
    DeclarationsChanged();
  }
  return action;
}

void Draft::Block(std::string_view code, std::string_view resource, std::string text, std::string way_out) {
  v1::Blocker& blocker = *plan_->add_blockers();
  blocker.set_code(std::string(code));
  blocker.set_resource(std::string(resource));
  blocker.set_text(std::move(text));
  blocker.set_way_out(std::move(way_out));
}

void Draft::Warn(std::string_view code, std::string_view resource, std::string text) {
  v1::PlanWarning& warning = *plan_->add_warnings();
  warning.set_code(std::string(code));
  warning.set_resource(std::string(resource));
  warning.set_text(std::move(text));
}

int Draft::CreatedBy(std::string_view topic) const {
  auto it = created_.find(topic);
  return it == created_.end() ? -1 : it->second;
}

}  // namespace st::plan
