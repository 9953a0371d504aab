#include "lib/topology/models.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "schemas/st/v1/project.pb.h"

namespace st::topology {
namespace {

using DeclaredColumns = google::protobuf::RepeatedPtrField<v1::Column>;

Wanted WantedBy(const sql::TableReference& table) {
  switch (table.kind) {
    case sql::TableReference::Kind::kSource:
      return Wanted::kSource;
    case sql::TableReference::Kind::kRef:
      return Wanted::kModel;
    case sql::TableReference::Kind::kName:
      break;
  }
  return Wanted::kAny;
}

void ReportFindings(const v1::Model& model, std::vector<sql::Finding> findings, Report* report) {
  for (sql::Finding& finding : findings) {
    report->InSql(model, finding.offset, finding.warning, finding.code, std::move(finding.text),
                  std::move(finding.hint));
  }
}

void ByName(std::vector<v1::CompiledColumn>* columns) {
  std::sort(columns->begin(), columns->end(), [](const auto& a, const auto& b) { return a.name() < b.name(); });
}

// False when one of them has the loader's finding.
bool Compile(const DeclaredColumns& declared, std::vector<v1::CompiledColumn>* columns) {
  bool whole = true;
  absl::flat_hash_set<std::string_view> names;
  columns->reserve(static_cast<size_t>(declared.size()));
  for (const v1::Column& column : declared) {
    whole = whole && !column.name().empty() && column.type() != v1::COLUMN_TYPE_UNSPECIFIED &&
            names.insert(column.name()).second;
    v1::CompiledColumn& compiled = columns->emplace_back();
    compiled.set_name(column.name());
    compiled.set_type(column.type());
    compiled.set_required(column.required());
    compiled.set_member(column.has_member() ? column.member() : column.name());
  }
  ByName(columns);
  return whole;
}

std::vector<v1::InputColumn> InputColumns(const std::vector<v1::CompiledColumn>& columns) {
  std::vector<v1::InputColumn> inputs;
  inputs.reserve(columns.size());
  for (const v1::CompiledColumn& column : columns) {
    v1::InputColumn& input = inputs.emplace_back();
    input.set_name(column.name());
    input.set_member(column.member());
    input.set_type(column.type());
    input.set_required(column.required());
  }
  return inputs;
}

v1::ExtraMembers ExtraMembersOf(const Declaration& input) {
  v1::ExtraMembers extra = v1::EXTRA_MEMBERS_UNSPECIFIED;
  if (input.source != nullptr) extra = input.source->extra_members();
  if (input.model != nullptr && !input.has_sql()) extra = input.model->extra_members();
  return extra == v1::EXTRA_MEMBERS_UNSPECIFIED ? v1::refuse : extra;
}

// One declared column of a model against what its SQL gives.
void CheckAgainstSql(const v1::Column& column, const Declaration& declaration, Report* report) {
  const v1::CompiledColumn* produced = FindColumn(declaration.columns, column.name());
  if (produced == nullptr) {
    const std::string near = report->Suggest(column.name(), declaration.columns,
                                             [](const auto& other) -> std::string_view { return other.name(); });
    report->Error(
        column, "name", "COLUMN_NOT_PRODUCED",
        absl::StrCat("the SQL of ", Name(declaration.name), " does not produce the column ", Name(column.name())),
        near.empty() ? "add it to SELECT, or remove it here" : absl::StrCat("did you mean ", Name(near), "?"));
    return;
  }
  if (column.type() != v1::COLUMN_TYPE_UNSPECIFIED && column.type() != produced->type()) {
    report->Error(column, "type", "COLUMN_TYPE",
                  absl::StrCat("the SQL of ", Name(declaration.name), " produces ", Name(column.name()), " as ",
                               v1::ColumnType_Name(produced->type()), ", not as ", v1::ColumnType_Name(column.type())),
                  "no type is converted: declare the one that the input has");
  }
  if (column.required() && !produced->required()) {
    report->Error(column, "required", "COLUMN_NULLABLE",
                  absl::StrCat("the column ", Name(column.name()), " of ", Name(declaration.name),
                               " is declared as never null, and its SQL lets null through"),
                  "filter it: column IS NOT NULL");
  }
}

// A list of columns beside SQL is the same set of names, in any order.
void CheckDeclaredColumns(const Declaration& declaration, Report* report) {
  const v1::Model& model = *declaration.model;
  if (model.columns().empty()) return;
  absl::flat_hash_set<std::string_view> names;
  for (const v1::Column& column : model.columns()) {
    if (column.name().empty()) continue;
    names.insert(column.name());
    CheckAgainstSql(column, declaration, report);
  }
  for (const v1::CompiledColumn& produced : declaration.columns) {
    if (names.contains(produced.name())) continue;
    report->Error(model, "columns", "COLUMN_UNDECLARED",
                  absl::StrCat("the SQL of ", Name(declaration.name), " produces the column ", Name(produced.name()),
                               ", which `columns` does not list"),
                  "list all of them or none");
  }
}

void CheckModel(Declaration* declaration, Catalog* catalog, Report* report) {
  const v1::Model& model = *declaration->model;
  const Declaration& input = catalog->at(declaration->input);
  if (!input.columns_known) return;
  if (input.columns.empty()) {
    report->InSql(model, declaration->statement->table().offset, false, "INPUT_WITHOUT_COLUMNS",
                  absl::StrCat("the ", KindName(input.kind), " ", Name(input.name),
                               " declares no columns, so there is nothing to select"),
                  "list its `columns` where it is declared");
    return;
  }
  auto plan = std::make_unique<v1::RecordPlan>();
  std::vector<sql::Finding> findings;
  std::optional<sql::Checked> checked =
      sql::Check(*declaration->statement, InputColumns(input.columns), plan.get(), &findings);
  ReportFindings(model, std::move(findings), report);
  if (!checked.has_value()) return;
  plan->set_input_topic(std::string(input.topic));
  plan->set_output_topic(std::string(declaration->topic));
  plan->set_extra_members(ExtraMembersOf(input));
  declaration->plan = std::move(plan);
  for (sql::OutputColumn& column : checked->columns) {
    v1::CompiledColumn& compiled = declaration->columns.emplace_back();
    compiled.set_type(static_cast<v1::ColumnType>(column.type));
    compiled.set_required(column.required);
    compiled.set_member(column.name);
    compiled.set_name(std::move(column.name));
  }
  ByName(&declaration->columns);
  declaration->columns_known = true;
  CheckDeclaredColumns(*declaration, report);
}

}  // namespace

const v1::CompiledColumn* FindColumn(const std::vector<v1::CompiledColumn>& columns, std::string_view name) {
  const auto found =
      std::lower_bound(columns.begin(), columns.end(), name,
                       [](const auto& column, std::string_view wanted) { return column.name() < wanted; });
  return found != columns.end() && found->name() == name ? &*found : nullptr;
}

void ParseModels(Catalog* catalog, Report* report) {
  for (Declaration& declaration : catalog->all()) {
    // A file that could not be read has the loader's finding.
    if (declaration.model == nullptr || !declaration.model->has_sql()) continue;
    const v1::Model& model = *declaration.model;
    std::vector<sql::Finding> findings;
    declaration.statement = sql::Parse(model.sql(), &findings);
    ReportFindings(model, std::move(findings), report);
    if (!declaration.statement.has_value()) continue;
    const sql::TableReference& table = declaration.statement->table();
    Resolution resolution = catalog->Resolve(WantedBy(table), table.name, report);
    declaration.input = resolution.index;
    if (!resolution.code.empty()) {
      report->InSql(model, table.offset, false, resolution.code, std::move(resolution.text),
                    std::move(resolution.hint));
    }
  }
}

void TakeDeclaredColumns(Catalog* catalog) {
  for (Declaration& declaration : catalog->all()) {
    if (declaration.source != nullptr) {
      declaration.columns_known = Compile(declaration.source->columns(), &declaration.columns);
    } else if (declaration.model != nullptr && !declaration.has_sql()) {
      declaration.columns_known = Compile(declaration.model->columns(), &declaration.columns);
    }
  }
}

void CheckModels(const std::vector<int>& order, Catalog* catalog, Report* report) {
  for (const int index : order) {
    Declaration& declaration = catalog->at(index);
    if (declaration.input != kNone) CheckModel(&declaration, catalog, report);
    declaration.statement.reset();
  }
}

}  // namespace st::topology
