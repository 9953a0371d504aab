#include "tools/st-test/declared_tests.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/record/record.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/report.pb.h"
#include "schemas/st/v1/topology.pb.h"
#include "tools/st-test/row_diff.h"

namespace st::test {
namespace {

// Key and value for people and for comparison: `"k1" {"a":1}`, `null {"a":1}`.
std::string ShowRow(const v1::Row& row, std::string_view value) {
  std::string shown;
  if (row.has_key()) {
    record::AppendJsonString(row.key(), &shown);
  } else {
    shown = "null";
  }
  return absl::StrCat(shown, " ", value);
}

// What a record of a model's output is: the output's columns, none of them required, passed on in SELECT order.
v1::RecordPlan OutputPlan(const v1::RecordPlan& plan) {
  std::map<std::string_view, v1::ColumnType> types;
  for (const v1::InputColumn& column : plan.columns()) types[column.name()] = column.type();
  v1::RecordPlan output;
  output.set_version(plan.version());
  output.set_input_topic(plan.input_topic());
  output.set_output_topic(plan.output_topic());
  output.set_extra_members(v1::refuse);
  for (const v1::Projection& projection : plan.projections()) {
    v1::InputColumn* column = output.add_columns();
    column->set_name(projection.name());
    column->set_member(projection.name());
    column->set_type(types[projection.column()]);
    v1::Projection* same = output.add_projections();
    same->set_column(projection.name());
    same->set_name(projection.name());
  }
  std::sort(output.mutable_columns()->begin(), output.mutable_columns()->end(),
            [](const v1::InputColumn& a, const v1::InputColumn& b) { return a.name() < b.name(); });
  return output;
}

// One model, ready to run its tests.
class ModelTests {
 public:
  static absl::StatusOr<std::unique_ptr<ModelTests>> Make(const v1::RecordPlan& plan) {
    auto program = record::Program::Compile(plan);
    if (!program.ok()) return program.status();
    auto output = record::Program::Compile(OutputPlan(plan));
    if (!output.ok()) return output.status();
    return std::make_unique<ModelTests>(*program, *output);
  }

  ModelTests(std::shared_ptr<const record::Program> program, std::shared_ptr<const record::Program> output)
      : model_(std::move(program)), output_(std::move(output)) {}

  void Run(const v1::Test& test, v1::TestReport::Result* result) {
    std::vector<std::string> expected;
    for (const v1::Row& row : test.expect()) expected.push_back(Expected(row));
    std::vector<std::string> got;
    const std::string poison = RunGiven(test, &got);
    result->set_test(test.name());
    result->set_model(test.model());
    result->set_passed(poison.empty() && expected == got);
    if (result->passed()) return;
    for (const std::string& line : RowDiff(expected, got)) result->add_difference(diag::Visible(line));
    if (!poison.empty()) result->add_difference(diag::Visible(poison));
  }

 private:
  // A value that cannot be an output stands as it was written, and so differs from every output.
  std::string Expected(const v1::Row& row) {
    if (!row.has_value()) return ShowRow(row, "(a tombstone)");
    std::string canonical;
    record::Fault fault;
    const bool possible = output_.Run(row.value(), &canonical, &fault) == record::Outcome::kPass;
    if (possible) return ShowRow(row, canonical);
    return ShowRow(row, absl::StrCat(row.value(), "  (no output of this model: ", Describe(fault), ")"));
  }

  // Empty, or the line that says which given row is poison.
  std::string RunGiven(const v1::Test& test, std::vector<std::string>* got) {
    for (int i = 0; i < test.given_size(); ++i) {
      const v1::Row& row = test.given(i);
      if (!row.has_value()) continue;
      std::string value;
      record::Fault fault;
      const record::Outcome outcome = model_.Run(row.value(), &value, &fault);
      if (outcome == record::Outcome::kPass) got->push_back(ShowRow(row, value));
      if (outcome == record::Outcome::kPoison) return absl::StrCat("! given row ", i + 1, ": ", Describe(fault));
    }
    return "";
  }

  static std::string Describe(const record::Fault& fault) {
    const std::string& kind = v1::FaultKind_Name(static_cast<v1::FaultKind>(fault.kind));
    if (fault.column.empty()) return kind;
    std::string column;
    record::AppendJsonString(fault.column, &column);
    return absl::StrCat(kind, " in ", column);
  }

  record::Executor model_;
  record::Executor output_;
};

}  // namespace

absl::Status RunDeclaredTests(const v1::Project& project, const v1::Topology& topology, v1::TestReport* report) {
  std::map<std::string_view, std::unique_ptr<ModelTests>> models;
  for (const v1::CompiledModel& model : topology.models()) {
    if (!model.has_plan()) continue;
    auto made = ModelTests::Make(model.plan());
    if (!made.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("model ", model.name(), ": ", made.status().message()));
    }
    models[model.name()] = *std::move(made);
  }
  std::vector<const v1::Test*> tests;
  for (const v1::Test& test : project.tests()) tests.push_back(&test);
  std::sort(tests.begin(), tests.end(), [](const auto* a, const auto* b) { return a->name() < b->name(); });
  for (const v1::Test* test : tests) {
    const auto model = models.find(test->model());
    if (model == models.end()) {
      return absl::InvalidArgumentError(absl::StrCat("test ", test->name(), ": no plan of the model ", test->model()));
    }
    model->second->Run(*test, report->add_results());
  }
  return absl::OkStatus();
}

}  // namespace st::test
