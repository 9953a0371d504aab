// The stages of the compiler in their order, and the document that they fill.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/base/digest.h"
#include "lib/base/id.h"
#include "lib/topology/catalog.h"
#include "lib/topology/contracts.h"
#include "lib/topology/cycles.h"
#include "lib/topology/models.h"
#include "lib/topology/rules.h"
#include "lib/topology/settings.h"
#include "lib/topology/topics.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::topology {
namespace {

// Fills the lists of `topology` from a checked catalog.
class Writer {
 public:
  Writer(Catalog* catalog, v1::Topology* topology) : catalog_(*catalog), topology_(*topology) {}

  // The catalog is by name, so every list but that of the topics is too.
  void Write() {
    for (Declaration& declaration : catalog_.all()) {
      if (declaration.source != nullptr) WriteSource(&declaration, topology_.add_sources());
      if (declaration.model != nullptr) WriteModel(&declaration, topology_.add_models());
      if (declaration.exposure != nullptr) WriteExposure(declaration, topology_.add_exposures());
    }
  }

 private:
  std::string Resource(const Declaration& declaration) const {
    return base::Resource(topology_.project(), topology_.environment(), KindName(declaration.kind), declaration.name);
  }

  template <typename Compiled>
  static void MoveColumns(Declaration* declaration, Compiled* compiled) {
    compiled->mutable_columns()->Reserve(static_cast<int>(declaration->columns.size()));
    for (v1::CompiledColumn& column : declaration->columns) *compiled->add_columns() = std::move(column);
  }

  static v1::ExtraMembers Said(v1::ExtraMembers extra) {
    return extra == v1::EXTRA_MEMBERS_UNSPECIFIED ? v1::refuse : extra;
  }

  void WriteSource(Declaration* declaration, v1::CompiledSource* compiled) const {
    compiled->set_name(std::string(declaration->name));
    compiled->set_resource(Resource(*declaration));
    compiled->set_topic(std::string(declaration->topic));
    compiled->set_owner(declaration->source->owner());
    compiled->set_extra_members(Said(declaration->source->extra_members()));
    MoveColumns(declaration, compiled);
  }

  void WriteModel(Declaration* declaration, v1::CompiledModel* compiled) const {
    const v1::Model& model = *declaration->model;
    compiled->set_name(model.name());
    compiled->set_resource(Resource(*declaration));
    compiled->set_topic(std::string(declaration->topic));
    compiled->set_owner(model.owner());
    compiled->set_description(model.description());
    MoveColumns(declaration, compiled);
    if (declaration->plan == nullptr) {
      compiled->set_extra_members(Said(model.extra_members()));
      return;
    }
    compiled->set_input(Resource(catalog_.at(declaration->input)));
    compiled->set_plan_sha256(base::Checksum(*declaration->plan));
    compiled->set_allocated_plan(declaration->plan.release());
    compiled->set_application_id(base::ApplicationId(topology_.project(), topology_.environment(), declaration->name));
    compiled->set_running(!model.has_running() || model.running());
  }

  void WriteExposure(const Declaration& declaration, v1::CompiledExposure* compiled) const {
    const v1::Exposure& exposure = *declaration.exposure;
    compiled->set_name(exposure.name());
    compiled->set_resource(Resource(declaration));
    compiled->set_type(exposure.type());
    compiled->set_owner(exposure.owner());
    compiled->set_repository(exposure.repository());
    compiled->set_consumer_group(exposure.consumer_group());
    for (const int consumed : declaration.consumes) compiled->add_consumes(Resource(catalog_.at(consumed)));
    for (const int produced : declaration.produces) compiled->add_produces(Resource(catalog_.at(produced)));
    std::sort(compiled->mutable_consumes()->begin(), compiled->mutable_consumes()->end());
    std::sort(compiled->mutable_produces()->begin(), compiled->mutable_produces()->end());
    for (const v1::Column& column : exposure.columns()) {
      v1::CompiledColumn* needed = compiled->add_columns();
      needed->set_name(column.name());
      needed->set_type(column.type());
      needed->set_required(column.required());
    }
    std::sort(compiled->mutable_columns()->begin(), compiled->mutable_columns()->end(),
              [](const auto& a, const auto& b) { return a.name() < b.name(); });
  }

  Catalog& catalog_;
  v1::Topology& topology_;
};

void CompileTopics(const v1::Project& project, Catalog* catalog, Report* report, v1::Topology* topology) {
  for (const Declaration& declaration : catalog->all()) {
    if (declaration.exposure != nullptr) continue;
    v1::CompiledTopic* topic = topology->add_topics();
    topic->set_resource(base::Resource(topology->project(), topology->environment(), "topic", declaration.name));
    CompileTopic(project, declaration, report, topic);
  }
  std::sort(topology->mutable_topics()->pointer_begin(), topology->mutable_topics()->pointer_end(),
            [](const auto* a, const auto* b) { return a->name() < b->name(); });
}

}  // namespace

bool Compile(const project::Loaded& loaded, v1::Topology* topology, diag::Diagnostics* diagnostics) {
  const v1::Project& project = *loaded.project;
  Report report(loaded, diagnostics);
  topology->Clear();
  topology->set_version(kTopologyVersion);
  topology->set_project(project.project().name());
  topology->set_environment(loaded.environment);
  topology->set_project_version(project.project().version());

  Catalog catalog(project, &report);
  const bool has_sql = std::any_of(catalog.all().begin(), catalog.all().end(),
                                   [](const Declaration& declaration) { return declaration.has_sql(); });
  CompileConnection(project, &report, topology);
  CompileRunner(project, has_sql, &report, topology);
  CompileStateAndSafety(project, &report, topology);

  ParseModels(&catalog, &report);
  ResolveExposures(&catalog, &report);
  CheckTopicNames(&catalog, &report);
  CheckInputIsNotOutput(&catalog, &report);
  const std::vector<int> order = CheckCycles(&catalog, &report);
  TakeDeclaredColumns(&catalog);
  CheckModels(order, &catalog, &report);
  CheckContracts(&catalog, &report);
  CheckTests(project, &catalog, &report);
  CompileTopics(project, &catalog, &report, topology);
  CheckRules(project, *topology, &catalog, &report);

  if (diagnostics->HasErrors()) {
    topology->Clear();
    return false;
  }
  Writer(&catalog, topology).Write();
  topology->set_checksum(base::Checksum(*topology));
  return true;
}

}  // namespace st::topology
