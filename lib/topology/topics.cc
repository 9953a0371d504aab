#include "lib/topology/topics.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "schemas/st/v1/project.pb.h"

namespace st::topology {
namespace {

constexpr size_t kMaxTopicBytes = 249;
constexpr std::array<std::string_view, 4> kBrokerTopics = {"__cluster_metadata", "__consumer_offsets",
                                                           "__share_group_state", "__transaction_state"};

// Where the topic's name stands: a message and a field of it.
std::pair<const google::protobuf::Message*, std::string_view> NamePlace(const Declaration& declaration) {
  if (declaration.source != nullptr) return {declaration.source, "topic"};
  if (declaration.model->topic().has_name()) return {&declaration.model->topic(), "name"};
  return {declaration.model, "name"};
}

std::string_view DeclaredTopic(const Declaration& declaration) {
  if (declaration.source != nullptr) return declaration.source->topic();
  return declaration.model->topic().has_name() ? declaration.model->topic().name() : declaration.model->name();
}

bool IsBrokers(std::string_view topic) {
  return std::find(kBrokerTopics.begin(), kBrokerTopics.end(), topic) != kBrokerTopics.end();
}

// Empty when the name is good.
std::string WhyRefused(std::string_view topic) {
  if (topic.size() > kMaxTopicBytes) return absl::StrCat("has ", topic.size(), " bytes, the limit is 249");
  if (topic == "." || topic == "..") return "is not allowed by Kafka";
  const bool legal = std::all_of(topic.begin(), topic.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
  });
  if (!legal) return "has characters that Kafka does not allow";
  return IsBrokers(topic) ? "is one of the broker's own" : "";
}

std::string Described(const Declaration& declaration, Report* report) {
  const auto [message, field] = NamePlace(declaration);
  return absl::StrCat("the ", KindName(declaration.kind), " ", Name(declaration.name), " at ",
                      report->Place(*message, field));
}

struct Named {
  std::string collision;
  std::string_view topic;
  int index;
};

// `a.b` and `a_b` cannot both exist: the broker refuses the second.
std::string Collision(std::string_view topic) { return absl::StrReplaceAll(topic, {{".", "_"}}); }

void RefuseSecond(const Named& first, const Named& second, Catalog* catalog, Report* report) {
  const Declaration& declaration = catalog->at(second.index);
  const auto [message, field] = NamePlace(declaration);
  const std::string other = Described(catalog->at(first.index), report);
  const std::string quoted = report->Quote(*message, field, second.topic);
  if (first.topic == second.topic) {
    report->Error(*message, field, "TOPIC_DECLARED_TWICE",
                  absl::StrCat("the topic ", quoted, " is declared by ", other, " already"),
                  "one topic has one declaration: refer to that one");
  } else {
    report->Error(*message, field, "TOPIC_CLASH",
                  absl::StrCat("the topic ", quoted, " clashes with the topic of ", other,
                               ": Kafka takes `.` and `_` for the same"),
                  "name one of them otherwise");
  }
}

// `group`: topics that the broker would not hold side by side, or the same one several times.
void CheckCollisions(std::vector<Named> group, Catalog* catalog, Report* report) {
  const auto place = [&](const Named& named) {
    const auto [message, field] = NamePlace(catalog->at(named.index));
    const diag::Position position = report->At(*message, field);
    return std::make_tuple(position.file, position.line, position.column);
  };
  std::stable_sort(group.begin(), group.end(), [&](const Named& a, const Named& b) { return place(a) < place(b); });
  for (auto second = group.begin() + 1; second != group.end(); ++second) {
    const auto same = std::find_if(group.begin(), second, [&](const Named& n) { return n.topic == second->topic; });
    const Named& first = same == second ? group.front() : *same;
    // Said by CheckInputIsNotOutput.
    const bool own_input = same != second && (catalog->at(second->index).input == first.index ||
                                              catalog->at(first.index).input == second->index);
    if (!own_input) RefuseSecond(first, *second, catalog, report);
  }
}

}  // namespace

void CheckTopicNames(Catalog* catalog, Report* report) {
  std::vector<Named> named;
  for (int i = 0; i < catalog->size(); ++i) {
    Declaration& declaration = catalog->at(i);
    if (declaration.exposure != nullptr) continue;
    const std::string_view topic = DeclaredTopic(declaration);
    if (topic.empty()) continue;  // the loader's finding
    const std::string why = WhyRefused(topic);
    if (!why.empty()) {
      const auto [message, field] = NamePlace(declaration);
      report->Error(*message, field, "TOPIC_NAME",
                    absl::StrCat("the topic name ", report->Quote(*message, field, topic), " ", why),
                    IsBrokers(topic) ? "name a topic of your own"
                                     : "a topic's name is 1 to 249 of a-z, A-Z, 0-9, `.`, `_` and `-`");
      continue;
    }
    declaration.topic = topic;
    named.push_back({Collision(topic), topic, i});
  }
  std::sort(named.begin(), named.end(), [](const Named& a, const Named& b) {
    return std::tie(a.collision, a.index) < std::tie(b.collision, b.index);
  });
  for (auto begin = named.begin(); begin != named.end();) {
    const auto end = std::find_if(begin, named.end(), [&](const Named& n) { return n.collision != begin->collision; });
    if (end - begin > 1) CheckCollisions({begin, end}, catalog, report);
    begin = end;
  }
}

void CheckInputIsNotOutput(Catalog* catalog, Report* report) {
  for (const Declaration& declaration : catalog->all()) {
    if (declaration.input == kNone || declaration.topic.empty()) continue;
    const Declaration& input = catalog->at(declaration.input);
    // A model that reads itself is a cycle.
    if (&input == &declaration || input.topic != declaration.topic) continue;
    const auto [message, field] = NamePlace(declaration);
    report->Error(*message, field, "INPUT_IS_OUTPUT",
                  absl::StrCat("the model ", Name(declaration.name), " writes the topic that it reads: that of the ",
                               KindName(input.kind), " ", Name(input.name)),
                  "give the output a topic of its own");
  }
}

v1::OwnershipMode ModeOf(const Declaration& declaration) {
  if (declaration.source != nullptr) return v1::EXTERNAL;
  const std::string& mode = declaration.model->ownership().mode();
  if (mode == "external") return v1::EXTERNAL;
  return mode == "adopted" ? v1::ADOPTED : v1::MANAGED;
}

namespace {

void CompileConfigs(const Declaration& declaration, Report* report, v1::CompiledTopic* topic) {
  std::vector<const v1::ConfigEntry*> entries;
  for (const v1::ConfigEntry& entry : declaration.model->topic().config()) {
    entries.push_back(&entry);
    const bool compacts = entry.key() == "cleanup.policy" && absl::StrContains(entry.value(), "compact");
    if (!compacts || !declaration.has_sql()) continue;
    report->Warning(entry, "value", "COMPACTED_OUTPUT",
                    absl::StrCat("the output of ", Name(declaration.name),
                                 " is compacted, and a runner drops tombstones: nothing is ever forgotten there"),
                    "use `cleanup.policy: delete`, unless keys are never deleted");
  }
  std::sort(entries.begin(), entries.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
  for (const v1::ConfigEntry* entry : entries) {
    v1::TopicConfig* config = topic->add_configs();
    config->set_name(entry->key());
    config->set_value(entry->value());
  }
}

void RefuseExternalSettings(const v1::Model& model, Report* report) {
  const v1::Topic& topic = model.topic();
  if (!topic.has_partitions() && !topic.has_replication_factor() && topic.config().empty()) return;
  report->Error(model, "topic", "EXTERNAL_TOPIC_SETTINGS",
                absl::StrCat("the topic of ", Name(model.name()), " is external, and nobody here makes or changes it"),
                "remove `partitions`, `replication_factor` and `config`");
}

}  // namespace

void CompileTopic(const v1::Project& project, const Declaration& declaration, Report* report,
                  v1::CompiledTopic* topic) {
  topic->set_name(std::string(declaration.topic));
  topic->set_mode(ModeOf(declaration));
  if (declaration.source != nullptr) {
    topic->set_owner(declaration.source->owner());
    return;
  }
  const v1::Model& model = *declaration.model;
  topic->set_owner(model.owner());
  if (topic->mode() == v1::EXTERNAL) {
    if (declaration.has_sql()) {
      report->Error(model.ownership(), "mode", "EXTERNAL_WITH_SQL",
                    absl::StrCat("the model ", Name(model.name()), " is external, and this project runs its SQL"),
                    "write `managed`; what belongs to someone else is a source");
    }
    return RefuseExternalSettings(model, report);
  }
  const v1::TopicDefaults& defaults = project.defaults().topic();
  topic->set_partitions(model.topic().has_partitions() ? model.topic().partitions() : defaults.partitions());
  topic->set_replication_factor(model.topic().has_replication_factor() ? model.topic().replication_factor()
                                                                       : defaults.replication_factor());
  CompileConfigs(declaration, report, topic);
  const bool written = report->IsWritten(model.topic(), "partitions") || report->IsWritten(defaults, "partitions");
  if (written || !report->complete()) return;
  const google::protobuf::Message* where = &model;
  if (model.has_topic()) where = &model.topic();
  report->Error(*where, {}, "PARTITIONS_MISSING",
                absl::StrCat("how many partitions the topic of ", Name(model.name()), " has is not said"),
                "write `topic: {partitions: 3}` here, or once in `defaults`");
}

}  // namespace st::topology
