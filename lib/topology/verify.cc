// A Topology that came from outside: what later stages take for granted is looked at once, here.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/base/id.h"
#include "lib/topology/graph.h"
#include "lib/topology/predicates.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::topology {
namespace {

constexpr uint32_t kPlanVersion = 1;
constexpr std::string_view kHint = "compile the project again with this version of the tools";

class Verifier {
 public:
  Verifier(const v1::Topology& topology, diag::Diagnostics* diagnostics)
      : topology_(topology), diagnostics_(*diagnostics) {}

  void Run() {
    CheckOrder();
    CheckSettings();
    for (const v1::CompiledTopic& topic : topology_.topics()) CheckTopic(topic);
    for (const v1::CompiledSource& source : topology_.sources()) CheckSource(source);
    for (const v1::CompiledModel& model : topology_.models()) CheckDeclared(model, "model");
    for (const v1::CompiledModel& model : topology_.models()) CheckModel(model);
    for (const v1::CompiledExposure& exposure : topology_.exposures()) CheckExposure(exposure);
    CheckCycles();
    if (topology_.topics_size() != topology_.sources_size() + topology_.models_size()) {
      Wrong("TOPOLOGY_REFERENCE", "list of topics", "", "is not that of its sources and models");
    }
  }

 private:
  // What a source or a model gives to its readers.
  struct Input {
    std::string_view topic;
    const google::protobuf::RepeatedPtrField<v1::CompiledColumn>* columns;
    v1::ExtraMembers extra_members;
  };

  void Wrong(std::string_view code, std::string_view what, std::string_view name, std::string_view why) {
    const std::string named = name.empty() ? "" : absl::StrCat(" `", diag::Visible(name, 100), "`");
    diagnostics_.Error({}, code, absl::StrCat("the topology's ", what, named, " ", why), std::string(kHint));
  }

  // Strictly growing, so unique too.
  template <typename List, typename Key>
  void CheckSorted(const List& list, std::string_view what, Key key) {
    for (int i = 0; i < list.size(); ++i) {
      const std::string_view name = key(list[i]);
      if (name.empty()) Wrong("TOPOLOGY_ORDER", what, name, "has no name");
      if (i > 0 && key(list[i - 1]) >= name) Wrong("TOPOLOGY_ORDER", what, name, "stands out of order or twice");
    }
  }

  void CheckOrder() {
    const auto name = [](const auto& item) -> std::string_view { return item.name(); };
    const auto text = [](const std::string& item) -> std::string_view { return item; };
    CheckSorted(topology_.connection().properties(), "client property", name);
    CheckSorted(topology_.topics(), "topic", name);
    CheckSorted(topology_.sources(), "source", name);
    CheckSorted(topology_.models(), "model", name);
    CheckSorted(topology_.exposures(), "exposure", name);
    for (const v1::CompiledTopic& topic : topology_.topics()) CheckSorted(topic.configs(), "topic config", name);
    for (const v1::CompiledExposure& exposure : topology_.exposures()) {
      CheckSorted(exposure.consumes(), "reference", text);
      CheckSorted(exposure.produces(), "reference", text);
      CheckColumns(exposure.columns());
    }
  }

  void CheckColumns(const google::protobuf::RepeatedPtrField<v1::CompiledColumn>& columns) {
    CheckSorted(columns, "column", [](const auto& column) -> std::string_view { return column.name(); });
    for (const v1::CompiledColumn& column : columns) {
      if (column.type() == v1::COLUMN_TYPE_UNSPECIFIED || !v1::ColumnType_IsValid(column.type())) {
        Wrong("TOPOLOGY_VALUE", "column", column.name(), "has no known type");
      }
    }
  }

  void CheckSettings() {
    if (topology_.project().empty() || topology_.environment().empty()) {
      Wrong("TOPOLOGY_VALUE", "project or environment", "", "has no name");
    }
    for (const v1::ClientProperty& property : topology_.connection().properties()) {
      if (property.content_case() == v1::ClientProperty::CONTENT_NOT_SET) {
        Wrong("TOPOLOGY_VALUE", "client property", property.name(), "has neither a value nor a variable");
      }
    }
    const v1::RunnerSettings& runner = topology_.runner();
    if (!v1::HostKind_IsValid(runner.host()) || !v1::InitialOffset_IsValid(runner.initial_offset()) ||
        !v1::StateSettings::Backend_IsValid(topology_.state().backend())) {
      Wrong("TOPOLOGY_VALUE", "settings", "", "hold a value that is not known");
    }
    const bool runs = std::any_of(topology_.models().begin(), topology_.models().end(),
                                  [](const v1::CompiledModel& model) { return model.has_plan(); });
    if (runs &&
        (runner.host() == v1::HOST_KIND_UNSPECIFIED || runner.initial_offset() == v1::INITIAL_OFFSET_UNSPECIFIED)) {
      Wrong("TOPOLOGY_VALUE", "runner", "", "has no host or no initial offset");
    }
  }

  std::string Resource(std::string_view kind, std::string_view name) const {
    return base::Resource(topology_.project(), topology_.environment(), kind, name);
  }

  void CheckTopic(const v1::CompiledTopic& topic) {
    topics_.emplace(topic.name(), topic.resource());
    if (topic.mode() == v1::OWNERSHIP_MODE_UNSPECIFIED || !v1::OwnershipMode_IsValid(topic.mode())) {
      Wrong("TOPOLOGY_VALUE", "topic", topic.name(), "has no known owner");
    }
    if ((topic.mode() == v1::EXTERNAL) != (topic.partitions() == 0)) {
      Wrong("TOPOLOGY_VALUE", "topic", topic.name(), "has partitions that do not fit its owner");
    }
  }

  // What sources and models have in common.
  template <typename Declared>
  void CheckDeclared(const Declared& declared, std::string_view kind) {
    if (declared.resource() != Resource(kind, declared.name())) {
      Wrong("TOPOLOGY_REFERENCE", kind, declared.name(), "has another resource than its name says");
    }
    const auto topic = topics_.find(declared.topic());
    if (topic == topics_.end() || topic->second != Resource("topic", declared.name())) {
      Wrong("TOPOLOGY_REFERENCE", kind, declared.name(), "names a topic that is not there, or another's");
    }
    CheckColumns(declared.columns());
    const v1::ExtraMembers extra =
        declared.extra_members() == v1::EXTRA_MEMBERS_UNSPECIFIED ? v1::refuse : declared.extra_members();
    inputs_.emplace(declared.resource(), Input{declared.topic(), &declared.columns(), extra});
  }

  void CheckSource(const v1::CompiledSource& source) { CheckDeclared(source, "source"); }

  void CheckModel(const v1::CompiledModel& model) {
    if (!model.has_plan()) {
      if (!model.input().empty() || !model.plan_sha256().empty() || !model.application_id().empty()) {
        Wrong("TOPOLOGY_PLAN", "model", model.name(), "has an input or an application and no plan");
      }
      return;
    }
    const v1::RecordPlan& plan = model.plan();
    if (model.plan_sha256() != base::Checksum(plan)) {
      Wrong("TOPOLOGY_PLAN", "model", model.name(), "has a plan that its hash does not match");
    }
    if (model.application_id() != base::ApplicationId(topology_.project(), topology_.environment(), model.name())) {
      Wrong("TOPOLOGY_PLAN", "model", model.name(), "has another application id than its name says");
    }
    const auto input = inputs_.find(model.input());
    if (input == inputs_.end() || model.input() == model.resource()) {
      return Wrong("TOPOLOGY_REFERENCE", "model", model.name(), "reads something that is not there");
    }
    if (plan.version() != kPlanVersion || plan.input_topic() != input->second.topic ||
        plan.output_topic() != model.topic() || plan.extra_members() != input->second.extra_members ||
        !SameColumns(plan, *input->second.columns)) {
      Wrong("TOPOLOGY_PLAN", "model", model.name(), "has a plan that does not fit its input or its topic");
    }
    if (!ProducesItsColumns(model)) {
      Wrong("TOPOLOGY_PLAN", "model", model.name(), "has a plan that does not produce its columns");
    }
    if (!ArePredicatesCanonical(plan)) {
      Wrong("TOPOLOGY_PLAN", "model", model.name(), "has predicates that are out of order, repeated or not known");
    }
  }

  static bool SameColumns(const v1::RecordPlan& plan,
                          const google::protobuf::RepeatedPtrField<v1::CompiledColumn>& columns) {
    return std::equal(plan.columns().begin(), plan.columns().end(), columns.begin(), columns.end(),
                      [](const v1::InputColumn& a, const v1::CompiledColumn& b) {
                        return a.name() == b.name() && a.type() == b.type() && a.required() == b.required() &&
                               a.member() == b.member();
                      });
  }

  static bool ProducesItsColumns(const v1::CompiledModel& model) {
    absl::flat_hash_map<std::string_view, v1::ColumnType> inputs;
    for (const v1::InputColumn& column : model.plan().columns()) inputs.emplace(column.name(), column.type());
    absl::flat_hash_map<std::string_view, v1::ColumnType> outputs;
    for (const v1::Projection& projection : model.plan().projections()) {
      const auto input = inputs.find(projection.column());
      if (input == inputs.end() || !outputs.emplace(projection.name(), input->second).second) return false;
    }
    if (outputs.empty() || outputs.size() != static_cast<size_t>(model.columns_size())) return false;
    return std::all_of(model.columns().begin(), model.columns().end(), [&](const v1::CompiledColumn& column) {
      const auto output = outputs.find(column.name());
      return output != outputs.end() && output->second == column.type();
    });
  }

  void CheckExposure(const v1::CompiledExposure& exposure) {
    if (exposure.resource() != Resource("exposure", exposure.name())) {
      Wrong("TOPOLOGY_REFERENCE", "exposure", exposure.name(), "has another resource than its name says");
    }
    for (const auto* list : {&exposure.consumes(), &exposure.produces()}) {
      for (const std::string& resource : *list) {
        if (inputs_.contains(resource)) continue;
        Wrong("TOPOLOGY_REFERENCE", "exposure", exposure.name(), "refers to something that is not there");
      }
    }
  }

  // Later stages follow inputs upstream.
  void CheckCycles() {
    absl::flat_hash_map<std::string_view, int> numbers;
    for (int i = 0; i < topology_.models_size(); ++i) numbers.emplace(topology_.models(i).resource(), i);
    std::vector<std::pair<int, int>> edges;
    for (int i = 0; i < topology_.models_size(); ++i) {
      const auto input = numbers.find(topology_.models(i).input());
      if (input != numbers.end()) edges.emplace_back(input->second, i);
    }
    for (const std::vector<int>& group : Graph(topology_.models_size(), std::move(edges)).Cycles()) {
      Wrong("TOPOLOGY_CYCLE", "model", topology_.models(group[0]).name(), "reads what it writes");
    }
  }

  const v1::Topology& topology_;
  diag::Diagnostics& diagnostics_;
  absl::flat_hash_map<std::string_view, std::string_view> topics_;  // to their resources
  absl::flat_hash_map<std::string_view, Input> inputs_;
};

}  // namespace

bool Verify(const v1::Topology& topology, diag::Diagnostics* diagnostics) {
  const int errors_before = diagnostics->errors();
  if (topology.version() != kTopologyVersion) {
    diagnostics->Error(
        {}, "TOPOLOGY_VERSION",
        absl::StrCat("the topology has version ", topology.version(), ", this tool knows version ", kTopologyVersion),
        "compile and plan with one version of the tools");
    return false;
  }
  if (base::ChecksumWithout(v1::Topology::kChecksumFieldNumber, topology) != topology.checksum()) {
    diagnostics->Error({}, "TOPOLOGY_CHECKSUM", "the topology does not match its checksum: it was edited or damaged",
                       std::string(kHint));
    return false;
  }
  Verifier(topology, diagnostics).Run();
  return diagnostics->errors() == errors_before;
}

}  // namespace st::topology
