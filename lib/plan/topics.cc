// What is to be done about topics.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/plan/draft.h"

namespace st::plan {
namespace {

const std::string* FindConfig(const v1::TopicFacts& facts, std::string_view name) {
  for (const v1::TopicConfig& config : facts.configs()) {
    if (config.name() == name) return &config.value();
  }
  return nullptr;
}

constexpr char kGrant[] = "grant the right to describe the topic and its configs; it is never taken for absent";

// One declared, managed topic against what is there and what we own.
class TopicPlanner {
 public:
  TopicPlanner(Draft* draft, const v1::CompiledTopic& topic)
      : draft_(*draft), topic_(topic), facts_(draft->index.Topic(topic.name())) {
    const v1::OwnedResource* owned = draft->index.Owned(topic.resource());
    owned_ = owned == nullptr ? nullptr : &owned->topic();
  }

  void Plan() {
    if (owned_ != nullptr && owned_->name() != topic_.name()) {
      draft_.DeclarationsChanged();
      return Block("UNSUPPORTED_TOPIC_CHANGE",
                   absl::StrCat("its topic is ", owned_->name(), " and would become ", topic_.name()),
                   "a topic cannot be renamed: declare a new model beside this one and move its consumers");
    }
    const bool absent = draft_.index.offline() || (facts_ != nullptr && facts_->presence() == v1::ABSENT);
    if (!absent && (facts_ == nullptr || facts_->presence() != v1::PRESENT)) {
      return Block("NOT_VISIBLE",
                   absl::StrCat("topic ", topic_.name(), " cannot be looked at",
                                facts_ == nullptr ? "" : absl::StrCat(": ", facts_->detail())),
                   kGrant);
    }
    if (owned_ == nullptr) return absent ? Create() : Foreign();
    if (!absent && facts_->configs_hidden()) {
      return Block("NOT_VISIBLE", absl::StrCat("topic ", topic_.name(), " cannot be looked at: ", facts_->detail()),
                   kGrant);
    }
    if (absent || facts_->topic_id() != owned_->topic_id()) {
      draft_.WorldDrifted();
      return Block(
          "TOPIC_ID_CHANGED",
          absl::StrCat("topic ", topic_.name(), " was made by this project with id ", owned_->topic_id(), ", and ",
                       absent ? "is gone" : absl::StrCat("is another one now, with id ", facts_->topic_id())),
          "somebody deleted it, and its records with it; nothing is put in its place silently: declare the model under "
          "another name, which gets a topic of its own");
    }
    CheckReplication();
    Update();
  }

 private:
  void Block(std::string_view code, std::string text, std::string way_out) {
    draft_.Block(code, topic_.resource(), std::move(text), std::move(way_out));
  }

  bool RefusedByBroker() {
    const v1::TopicVerdict* verdict = draft_.index.Verdict(topic_.name());
    if (verdict == nullptr || !verdict->refused()) return false;
    Block("REFUSED_BY_BROKER",
          absl::StrCat("the broker would refuse topic ", topic_.name(), ": ", verdict->code(), ": ", verdict->words()),
          "change the declaration as the broker's words say");
    return true;
  }

  void Foreign() {
    draft_.DeclarationsChanged();
    for (const v1::OwnedResource& owned : draft_.index.observation().state().resources()) {
      if (owned.topic().name() != topic_.name() || owned.topic().topic_id() != facts_->topic_id()) continue;
      return Block("UNSUPPORTED_TOPIC_CHANGE",
                   absl::StrCat("topic ", topic_.name(), " is owned by this project as ", owned.resource()),
                   "a deployed model cannot be renamed: give it its old name back");
    }
    Block("ADOPTION_REQUIRED",
          absl::StrCat("topic ", topic_.name(), " exists on the cluster, and this project does not own it"),
          "declare it as a source if it belongs to someone else, or give the model another topic name");
  }

  void Create() {
    if (RefusedByBroker()) return draft_.DeclarationsChanged();
    const std::string factor = topic_.replication_factor() == 0
                                   ? std::string("the broker's default replication factor")
                                   : absl::StrCat("replication factor ", topic_.replication_factor());
    v1::Action& action =
        draft_.AddAction(topic_.resource(), v1::Action::DECLARED,
                         absl::StrCat("create topic ", topic_.name(), " (", topic_.partitions(), " partitions, ",
                                      factor, "): it is declared and does not exist"));
    v1::CreateTopic& create = *action.mutable_create_topic();
    create.set_name(topic_.name());
    create.set_partitions(topic_.partitions());
    create.set_replication_factor(topic_.replication_factor());
    *create.mutable_configs() = topic_.configs();
    draft_.RememberCreated(topic_.name(), action.index());
  }

  void CheckReplication() {
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    for (const v1::TopicFacts::Partition& partition : facts_->partitions()) {
      least = std::min(least, partition.replicas());
      most = std::max(most, partition.replicas());
    }
    if (facts_->partitions().empty()) return;
    if (least != most) {
      return draft_.Warn("REPLICATION_UNEVEN", topic_.resource(),
                         absl::StrCat("partitions of topic ", topic_.name(), " have ", least, " to ", most,
                                      " replicas: a move is under way"));
    }
    if (topic_.replication_factor() == 0 || topic_.replication_factor() == most) return;
    draft_.DeclarationsChanged();
    Block("REPLICATION_CHANGED",
          absl::StrCat("topic ", topic_.name(), " has replication factor ", most, ", ", topic_.replication_factor(),
                       " is declared"),
          "declare what is there; moving replicas is the cluster's own business");
  }

  // False: it was refused.
  bool PlanPartitions(bool* drifted, std::vector<std::string>* reasons) {
    const uint32_t now = static_cast<uint32_t>(facts_->partitions_size());
    if (topic_.partitions() < now) {
      (owned_->partitions() == now) ? draft_.DeclarationsChanged() : draft_.WorldDrifted();
      Block("PARTITIONS_REDUCED",
            absl::StrCat("topic ", topic_.name(), " has ", now, " partitions, ", topic_.partitions(), " are declared"),
            absl::StrCat("Kafka cannot take partitions away: declare ", now, " or more"));
      return false;
    }
    if (topic_.partitions() == now) return true;
    if (!CheckNoRunnerReads() || !CheckNoRunnerWrites()) return false;
    *drifted = *drifted || owned_->partitions() == topic_.partitions();
    reasons->push_back(absl::StrCat("partitions ", now, " -> ", topic_.partitions()));
    return true;
  }

  // A runner is bound to the number of partitions whose offsets were written when it was made.
  bool CheckNoRunnerReads() {
    bool free = true;
    for (const v1::CompiledModel* reader : draft_.index.Readers(draft_.index.DeclaredBy(topic_.name()))) {
      if (draft_.index.Owned(reader->resource()) == nullptr) continue;
      draft_.DeclarationsChanged();
      Block("PARTITIONS_UNDER_RUNNER",
            absl::StrCat("runner ", reader->application_id(), " reads topic ", topic_.name(),
                         " and was made for its present partitions"),
            "leave the number of partitions as it is");
      free = false;
    }
    return free;
  }

  // A keyed record's partition follows from their number, so it never changes under a runner.
  bool CheckNoRunnerWrites() {
    const v1::CompiledModel* writer = draft_.index.WriterOf(topic_.name());
    if (writer == nullptr) return true;
    for (const v1::GenerationFacts* generation : draft_.index.Generations(writer->application_id())) {
      if (generation->state() != v1::GenerationFacts::RUNNING) continue;
      draft_.DeclarationsChanged();
      Block("PARTITIONS_UNDER_RUNNER",
            absl::StrCat("runner ", writer->application_id(), " writes to topic ", topic_.name(),
                         ", whose partitions would grow under it"),
            "declare the model as running: false and apply that; then add partitions; then start it again");
      return false;
    }
    return true;
  }

  v1::UpdateTopic::ConfigChange& AddChange(v1::UpdateTopic* update, const std::string& name) {
    v1::UpdateTopic::ConfigChange& change = *update->add_configs();
    change.set_name(name);
    const std::string* now = FindConfig(*facts_, name);
    change.set_had_value(now != nullptr);
    if (now != nullptr) change.set_prior(*now);
    return change;
  }

  void PlanConfigs(v1::UpdateTopic* update, bool* drifted, bool* declared, std::vector<std::string>* reasons) {
    for (const v1::TopicConfig& config : topic_.configs()) {
      const v1::OwnedConfig* owned = FindOwned(config.name());
      const std::string* now = FindConfig(*facts_, config.name());
      const bool as_declared = owned != nullptr && owned->declared() == config.value();
      if (as_declared && now != nullptr && *now == owned->reported()) continue;
      const bool as_deployed = owned == nullptr || (now != nullptr && *now == owned->reported());
      if (!as_declared) *declared = true;
      if (!as_deployed) *drifted = true;
      v1::UpdateTopic::ConfigChange& change = AddChange(update, config.name());
      change.set_has_value(true);
      change.set_desired(config.value());
      reasons->push_back(
          now != nullptr && *now == config.value()
              ? absl::StrCat(config.name(), " stays ", *now, ", as it is declared now")
              : absl::StrCat(config.name(), " ", now == nullptr ? "(unset)" : *now, " -> ", config.value()));
    }
    for (const v1::OwnedConfig& owned : owned_->configs()) {
      const bool still_declared =
          std::any_of(topic_.configs().begin(), topic_.configs().end(),
                      [&](const v1::TopicConfig& config) { return config.name() == owned.name(); });
      if (still_declared) continue;
      *declared = true;
      const std::string* now = FindConfig(*facts_, owned.name());
      AddChange(update, owned.name()).set_has_value(false);
      reasons->push_back(absl::StrCat(owned.name(), " ", now == nullptr ? "(unset)" : *now, " -> (unset)"));
    }
    std::sort(update->mutable_configs()->begin(), update->mutable_configs()->end(),
              [](const auto& a, const auto& b) { return a.name() < b.name(); });
  }

  const v1::OwnedConfig* FindOwned(std::string_view name) const {
    for (const v1::OwnedConfig& owned : owned_->configs()) {
      if (owned.name() == name) return &owned;
    }
    return nullptr;
  }

  void Update() {
    bool drifted = false;
    bool declared = false;
    std::vector<std::string> reasons;
    v1::UpdateTopic update;
    if (!PlanPartitions(&drifted, &reasons)) return;
    declared = !reasons.empty() && !drifted;
    PlanConfigs(&update, &drifted, &declared, &reasons);
    if (reasons.empty()) return;
    if (RefusedByBroker()) {
      if (drifted) draft_.WorldDrifted();
      if (declared) draft_.DeclarationsChanged();
      return;
    }
    update.set_name(topic_.name());
    update.set_topic_id(facts_->topic_id());
    update.set_prior_partitions(static_cast<uint32_t>(facts_->partitions_size()));
    update.set_partitions(topic_.partitions());
    *update.mutable_declared() = topic_.configs();
    v1::Action& action =
        draft_.AddAction(topic_.resource(), declared ? v1::Action::DECLARED : v1::Action::DRIFTED,
                         absl::StrCat("update topic ", topic_.name(), ": ", absl::StrJoin(reasons, ", "),
                                      drifted ? "; it was changed outside" : ""));
    *action.mutable_update_topic() = std::move(update);
    if (drifted) draft_.WorldDrifted();
  }

  Draft& draft_;
  const v1::CompiledTopic& topic_;
  const v1::TopicFacts* facts_;
  const v1::OwnedTopic* owned_;
};

}  // namespace

void PlanTopics(Draft* draft) {
  // Upstream before downstream: what no runner writes comes first.
  for (const v1::CompiledTopic& topic : draft->index.topology().topics()) {
    if (topic.mode() == v1::EXTERNAL || draft->index.WriterOf(topic.name()) != nullptr) continue;
    TopicPlanner(draft, topic).Plan();
  }
  for (const v1::CompiledModel* model : draft->index.RunnersInOrder()) {
    const v1::CompiledTopic* topic = draft->index.DeclaredTopic(model->topic());
    if (topic != nullptr && topic->mode() != v1::EXTERNAL) TopicPlanner(draft, *topic).Plan();
  }
}

}  // namespace st::plan
