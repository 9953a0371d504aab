#include "e2e/runner/plans.h"

#include "absl/strings/str_cat.h"

namespace st::e2e {
namespace {

v1::RecordPlan NewPlan(const std::string& input, const std::string& output) {
  v1::RecordPlan plan;
  plan.set_version(1);
  plan.set_input_topic(input);
  plan.set_output_topic(output);
  plan.set_extra_members(v1::refuse);
  return plan;
}

void AddColumn(v1::RecordPlan* plan, const std::string& name, v1::ColumnType type) {
  auto* column = plan->add_columns();
  column->set_name(name);
  column->set_member(name);
  column->set_type(type);
  column->set_required(true);
}

void AddProjection(v1::RecordPlan* plan, const std::string& column, const std::string& name) {
  auto* projection = plan->add_projections();
  projection->set_column(column);
  projection->set_name(name);
}

}  // namespace

v1::RecordPlan LateFlights(const std::string& input, const std::string& output) {
  constexpr int kLate = 60;
  v1::RecordPlan plan = NewPlan(input, output);
  AddColumn(&plan, "date", v1::STRING);
  AddColumn(&plan, "delay", v1::BIGINT);
  AddColumn(&plan, "destination", v1::STRING);
  AddColumn(&plan, "distance", v1::BIGINT);
  AddColumn(&plan, "origin", v1::STRING);
  AddProjection(&plan, "origin", "origin");
  AddProjection(&plan, "destination", "destination");
  AddProjection(&plan, "date", "departed");
  AddProjection(&plan, "delay", "delay_minutes");
  auto* predicate = plan.add_predicates();
  predicate->set_column("delay");
  predicate->set_op(v1::Predicate::GE);
  predicate->set_bigint_value(kLate);
  return plan;
}

v1::RecordPlan Kept(const std::string& input, const std::string& output) {
  v1::RecordPlan plan = NewPlan(input, output);
  AddColumn(&plan, "id", v1::BIGINT);
  AddColumn(&plan, "keep", v1::BOOLEAN);
  AddColumn(&plan, "text", v1::STRING);
  AddProjection(&plan, "id", "id");
  AddProjection(&plan, "text", "text");
  auto* predicate = plan.add_predicates();
  predicate->set_column("keep");
  predicate->set_op(v1::Predicate::EQ);
  predicate->set_boolean_value(true);
  return plan;
}

v1::RecordPlan AtLeast(const std::string& input, const std::string& output, int64_t at_least) {
  v1::RecordPlan plan = NewPlan(input, output);
  AddColumn(&plan, "k", v1::STRING);
  AddColumn(&plan, "n", v1::BIGINT);
  AddProjection(&plan, "k", "k");
  AddProjection(&plan, "n", "number");
  auto* predicate = plan.add_predicates();
  predicate->set_column("n");
  predicate->set_op(v1::Predicate::GE);
  predicate->set_bigint_value(at_least);
  return plan;
}

std::string KeptValue(int64_t id, bool keep, const std::string& text) {
  return absl::StrCat("{\"id\":", id, ",\"keep\":", keep ? "true" : "false", ",\"text\":\"", text, "\"}");
}

std::string KeptOutput(int64_t id, const std::string& text) {
  return absl::StrCat("{\"id\":", id, ",\"text\":\"", text, "\"}");
}

}  // namespace st::e2e
