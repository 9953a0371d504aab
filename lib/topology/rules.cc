#include "lib/topology/rules.h"

#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/topology/topics.h"
#include "schemas/st/v1/project.pb.h"

namespace st::topology {
namespace {

class RuleChecker {
 public:
  RuleChecker(const v1::Rules& rules, Report* report) : rules_(rules), report_(*report) {
    if (!rules.topics().has_naming_pattern()) return;
    RE2::Options options;
    options.set_log_errors(false);
    pattern_ = std::make_unique<RE2>(rules.topics().naming_pattern(), options);
    if (pattern_->ok()) return;
    report->Error(
        rules.topics(), "naming_pattern", "RULE_PATTERN",
        absl::StrCat("`rules.topics.naming_pattern` is no regular expression: ", diag::Visible(pattern_->error(), 200)),
        "it is RE2's syntax, and must match the whole name");
    pattern_ = nullptr;
  }

  void CheckTopic(const Declaration& declaration, const v1::CompiledTopic& topic) {
    const v1::TopicRules& rules = rules_.topics();
    if (pattern_ != nullptr && !RE2::FullMatch(topic.name(), *pattern_)) {
      Broken(declaration, "topics.naming_pattern", "the name of its topic does not match");
    }
    for (const std::string& prefix : rules.forbidden_prefixes()) {
      if (!absl::StartsWith(topic.name(), prefix)) continue;
      Broken(declaration, "topics.forbidden_prefixes",
             absl::StrCat("the name of its topic begins with ", Name(prefix)));
    }
    // 0: not said, which is an error of its own.
    const uint32_t partitions = topic.partitions();
    if (rules.has_min_partitions() && partitions != 0 && partitions < rules.min_partitions()) {
      Broken(
          declaration, "topics.min_partitions",
          absl::StrCat("its topic has ", partitions, " partitions, at least ", rules.min_partitions(), " are asked"));
    }
    if (rules.has_max_partitions() && partitions > rules.max_partitions()) {
      Broken(
          declaration, "topics.max_partitions",
          absl::StrCat("its topic has ", partitions, " partitions, at most ", rules.max_partitions(), " are allowed"));
    }
    if (rules.has_min_replication_factor() && topic.replication_factor() < rules.min_replication_factor()) {
      const std::string has = topic.replication_factor() == 0
                                  ? "its topic declares no replication factor"
                                  : absl::StrCat("its topic has the replication factor ", topic.replication_factor());
      Broken(declaration, "topics.min_replication_factor",
             absl::StrCat(has, ", at least ", rules.min_replication_factor(), " is asked"));
    }
    for (const std::string& key : rules.required_config()) {
      const bool set = std::any_of(topic.configs().begin(), topic.configs().end(),
                                   [&](const v1::TopicConfig& config) { return config.name() == key; });
      if (!set) Broken(declaration, "topics.required_config", absl::StrCat("its topic does not set ", Name(key)));
    }
  }

  void CheckModel(const Declaration& declaration, bool has_test) {
    const v1::ModelRules& rules = rules_.models();
    if (rules.require_owner() && declaration.model->owner().empty()) {
      Broken(declaration, "models.require_owner", "it has no `owner`");
    }
    if (rules.require_description() && declaration.model->description().empty()) {
      Broken(declaration, "models.require_description", "it has no `description`");
    }
    if (rules.require_tests() && declaration.has_sql() && !has_test) {
      Broken(declaration, "models.require_tests", "no test in `tests` names it");
    }
  }

 private:
  void Broken(const Declaration& declaration, std::string_view rule, std::string why) {
    report_.Error(*declaration.model, "name", "RULE_BROKEN",
                  absl::StrCat("the model ", Name(declaration.name), " breaks `rules.", rule, "`: ", why));
  }

  const v1::Rules& rules_;
  Report& report_;
  std::unique_ptr<RE2> pattern_;
};

}  // namespace

void CheckRules(const v1::Project& project, const v1::Topology& topology, Catalog* catalog, Report* report) {
  if (!project.has_rules()) return;
  RuleChecker checker(project.rules(), report);
  absl::flat_hash_map<std::string_view, const v1::CompiledTopic*> topics;
  for (const v1::CompiledTopic& topic : topology.topics()) topics.emplace(topic.name(), &topic);
  absl::flat_hash_set<std::string_view> tested;
  for (const v1::Test& test : project.tests()) tested.insert(test.model());
  for (const Declaration& declaration : catalog->all()) {
    if (declaration.model == nullptr || ModeOf(declaration) == v1::EXTERNAL) continue;
    checker.CheckModel(declaration, tested.contains(declaration.name));
    const auto topic = topics.find(declaration.topic);
    if (topic != topics.end()) checker.CheckTopic(declaration, *topic->second);
  }
}

}  // namespace st::topology
