// The tables of CREATE_TOPIC and UPDATE_TOPIC.
#include <algorithm>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/transition/step.h"

namespace st::transition {
namespace {

// A broker answers from its own copy of the metadata, which may lag behind the controller's answer.
constexpr int64_t kMetadataBoundMs = 30'000;

const std::string* FindConfig(const v1::TopicFacts& topic, std::string_view name) {
  for (const v1::TopicConfig& config : topic.configs()) {
    if (config.name() == name) return &config.value();
  }
  return nullptr;
}

Step NotVisible(const v1::TopicFacts& topic) {
  return Blocked("NOT_VISIBLE", absl::StrCat("topic ", topic.name(), " cannot be looked at: ", topic.detail()),
                 "grant the right to describe the topic and its configs");
}

bool IsEmpty(const v1::TopicFacts& topic) {
  return std::all_of(topic.partitions().begin(), topic.partitions().end(),
                     [](const v1::TopicFacts::Partition& p) { return p.end_offset() == 0; });
}

// Partitions, factor and configs are exactly the declared ones.
bool IsAsDeclared(const v1::TopicFacts& topic, const v1::CreateTopic& create) {
  if (static_cast<uint32_t>(topic.partitions_size()) != create.partitions()) return false;
  for (const v1::TopicFacts::Partition& partition : topic.partitions()) {
    if (create.replication_factor() != 0 && partition.replicas() != create.replication_factor()) return false;
  }
  if (topic.configs_size() != create.configs_size()) return false;
  for (const v1::TopicConfig& config : create.configs()) {
    const std::string* reported = FindConfig(topic, config.name());
    if (reported == nullptr || !SameConfigValue(*reported, config.value())) return false;
  }
  return true;
}

Step RecordTopic(const Look& look, const v1::OwnedTopic& prior, const v1::TopicFacts& topic,
                 const google::protobuf::RepeatedPtrField<v1::TopicConfig>& declared) {
  v1::OwnedResource owned;
  v1::OwnedTopic& result = *owned.mutable_topic();
  result.set_name(topic.name());
  result.set_topic_id(topic.topic_id());
  result.set_mode(prior.mode() == v1::OWNERSHIP_MODE_UNSPECIFIED ? v1::MANAGED : prior.mode());
  result.set_partitions(static_cast<uint32_t>(topic.partitions_size()));
  result.set_replication_factor(topic.partitions_size() > 0 ? topic.partitions(0).replicas() : 0);
  result.set_cluster_id(look.facts.cluster.cluster_id());
  for (const v1::TopicConfig& config : declared) {
    v1::OwnedConfig& entry = *result.add_configs();
    entry.set_name(config.name());
    entry.set_declared(config.value());
    const std::string* reported = FindConfig(topic, config.name());
    entry.set_reported(reported == nullptr ? "" : *reported);
  }
  return RecordOwned(look, owned);
}

// Every change shows as it was asked for.
bool ConfigsAreAsDesired(const v1::TopicFacts& topic, const v1::UpdateTopic& update) {
  for (const v1::UpdateTopic::ConfigChange& change : update.configs()) {
    const std::string* reported = FindConfig(topic, change.name());
    if (change.has_value() != (reported != nullptr)) return false;
    if (reported != nullptr && !SameConfigValue(*reported, change.desired())) return false;
  }
  return true;
}

// Something else than what was reviewed and than what is wanted.
const v1::UpdateTopic::ConfigChange* ForeignValue(const v1::TopicFacts& topic, const v1::UpdateTopic& update) {
  for (const v1::UpdateTopic::ConfigChange& change : update.configs()) {
    const std::string* reported = FindConfig(topic, change.name());
    bool as_reviewed =
        change.had_value() == (reported != nullptr) && (reported == nullptr || *reported == change.prior());
    bool as_desired = change.has_value() == (reported != nullptr) &&
                      (reported == nullptr || SameConfigValue(*reported, change.desired()));
    if (!as_reviewed && !as_desired) return &change;
  }
  return nullptr;
}

Step StartUpdate(const Look& look, const v1::UpdateTopic& update, const v1::TopicFacts& topic) {
  if (const v1::UpdateTopic::ConfigChange* change = ForeignValue(topic, update)) {
    return Stale("PREIMAGE_CHANGED",
                 absl::StrCat("config ", change->name(), " of topic ", topic.name(), " was changed after the review"));
  }
  uint32_t partitions = static_cast<uint32_t>(topic.partitions_size());
  if (partitions != update.prior_partitions() && partitions != update.partitions()) {
    return Stale("PREIMAGE_CHANGED", absl::StrCat("topic ", topic.name(), " has ", partitions, " partitions now, ",
                                                  update.prior_partitions(), " were reviewed"));
  }
  return Record(look, v1::Checkpoint::STARTED);
}

}  // namespace

Step NextCreateTopic(const Look& look, const v1::CreateTopic& create) {
  const v1::TopicFacts& topic = look.facts.output;
  if (topic.presence() != v1::ABSENT && topic.presence() != v1::PRESENT) return NotVisible(topic);
  const bool absent = topic.presence() == v1::ABSENT;
  if (look.reached() == v1::Checkpoint::NAME_UNSPECIFIED) {
    if (absent) return Record(look, v1::Checkpoint::STARTED);
    return Blocked("ADOPTION_REQUIRED",
                   absl::StrCat("topic ", create.name(), " was made by someone else after the review"),
                   "declare it as a source, give the model another topic name, or remove the foreign topic");
  }
  const bool created = look.Crossed(Do::kCreateTopic);
  if (absent) {
    // The controller may know of a late first create before the broker that is asked does.
    if (!created && !look.Met(Do::kCreateTopic)) return Cross(Do::kCreateTopic);
    return Wait(look, kMetadataBoundMs, "TOPIC_NOT_SEEN",
                absl::StrCat("topic ", create.name(), created ? " was created" : " exists already",
                             ", and the broker does not show it"),
                "look at the broker's health");
  }
  // Configs that we may not see are not "no configs".
  if (topic.configs_hidden()) return NotVisible(topic);
  // Partitions show one by one while the metadata spreads.
  if (created && static_cast<uint32_t>(topic.partitions_size()) < create.partitions()) {
    return Wait(look, kMetadataBoundMs, "TOPIC_NOT_SEEN",
                absl::StrCat("topic ", create.name(), " does not show all of its partitions"),
                "look at the broker's health");
  }
  if (!created && (!IsEmpty(topic) || !IsAsDeclared(topic, create))) {
    return Blocked(
        "ADOPTION_REQUIRED",
        absl::StrCat("topic ", create.name(), " exists, and is not the empty topic that this operation asks for"),
        "look at the topic: if it is foreign, rename the model's topic");
  }
  return RecordTopic(look, v1::OwnedTopic(), topic, create.configs());
}

Step NextUpdateTopic(const Look& look, const v1::UpdateTopic& update) {
  const v1::TopicFacts& topic = look.facts.output;
  if (topic.presence() != v1::ABSENT && topic.presence() != v1::PRESENT) return NotVisible(topic);
  if (topic.configs_hidden()) return NotVisible(topic);
  if (topic.presence() == v1::ABSENT || topic.topic_id() != update.topic_id()) {
    return Stale("TOPIC_ID_CHANGED",
                 absl::StrCat("topic ", update.name(), " is not the reviewed one (id ", update.topic_id(), "): it is ",
                              topic.presence() == v1::ABSENT ? "gone" : absl::StrCat("now ", topic.topic_id())));
  }
  if (static_cast<uint32_t>(topic.partitions_size()) > update.partitions()) {
    return Stale("PARTITIONS_REDUCED",
                 absl::StrCat("topic ", update.name(), " has ", topic.partitions_size(), " partitions, more than the ",
                              update.partitions(), " that are wanted"),
                 "declare at least as many partitions as there are");
  }
  if (look.reached() == v1::Checkpoint::NAME_UNSPECIFIED) return StartUpdate(look, update, topic);
  if (!ConfigsAreAsDesired(topic, update)) {
    if (!look.Crossed(Do::kAlterConfigs)) return Cross(Do::kAlterConfigs);
    return Wait(look, kMetadataBoundMs, "CONFIG_NOT_SEEN",
                absl::StrCat("the configs of topic ", update.name(), " were set, and the broker shows others"),
                "look at what else sets this topic's configs");
  }
  if (static_cast<uint32_t>(topic.partitions_size()) < update.partitions()) {
    if (!look.Crossed(Do::kCreatePartitions)) return Cross(Do::kCreatePartitions);
    return Wait(look, kMetadataBoundMs, "PARTITIONS_NOT_SEEN",
                absl::StrCat("partitions of topic ", update.name(), " were added, and the broker does not show them"),
                "look at the broker's health");
  }
  return RecordTopic(look, look.action.prior().topic(), topic, update.declared());
}

}  // namespace st::transition
