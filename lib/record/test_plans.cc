#include "lib/record/test_plans.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "absl/strings/escaping.h"
#include "google/protobuf/text_format.h"

namespace st::record {
namespace {

// The value alone on the heap, so that a sanitizer sees a read past either end.
Answer RunExactly(Executor* executor, std::string_view value) {
  const auto exact = std::make_unique<char[]>(value.size());
  if (!value.empty()) std::memcpy(exact.get(), value.data(), value.size());
  Answer answer;
  Fault fault;
  answer.outcome = executor->Run({exact.get(), value.size()}, &answer.out, &fault);
  if (answer.outcome != Outcome::kPoison) return answer;
  answer.fault = v1::FaultKind_Name(static_cast<v1::FaultKind>(fault.kind));
  answer.column = std::string(fault.column);
  return answer;
}

std::shared_ptr<const Program> MustCompile(const v1::RecordPlan& plan) {
  auto program = Program::Compile(plan);
  if (!program.ok()) {
    std::fprintf(stderr, "%s\n%s\n", program.status().ToString().c_str(), plan.DebugString().c_str());
    std::abort();
  }
  return *program;
}

}  // namespace

v1::RecordPlan PlanOf(std::string_view text) {
  v1::RecordPlan plan;
  plan.set_version(1);
  plan.set_input_topic("in");
  plan.set_output_topic("out");
  plan.set_extra_members(v1::refuse);
  if (!google::protobuf::TextFormat::MergeFromString(std::string(text), &plan)) std::abort();
  return plan;
}

v1::RecordPlan AnyPlan() {
  return PlanOf(R"pb(columns { name: "v" member: "v" type: ANY }
                     projections { column: "v" name: "v" })pb");
}

v1::RecordPlan OrdersPlan() {
  return PlanOf(R"pb(
    columns { name: "amount" member: "amount" type: BIGINT }
    columns { name: "id" member: "id" type: STRING required: true }
    columns { name: "note" member: "note" type: STRING }
    columns { name: "paid" member: "paid" type: BOOLEAN required: true }
    columns { name: "ship_to" member: "shipTo" type: ANY }
    projections { column: "id" name: "order_id" }
    projections { column: "amount" name: "amount" }
    projections { column: "ship_to" name: "ship_to" }
    predicates { column: "amount" op: GE bigint_value: 100 }
    predicates { column: "note" op: NE string_value: "skip me" }
    predicates { column: "paid" op: EQ boolean_value: true })pb");
}

std::ostream& operator<<(std::ostream& stream, const Answer& answer) {
  switch (answer.outcome) {
    case Outcome::kPass:
      return stream << "pass " << absl::CHexEscape(answer.out);
    case Outcome::kFiltered:
      return stream << "filtered" << (answer.out.empty() ? "" : " (but with output)");
    case Outcome::kPoison:
      break;
  }
  return stream << "poison " << answer.fault << " '" << absl::CHexEscape(answer.column) << "'"
                << (answer.out.empty() ? "" : " (but with output)");
}

Answer Pass(std::string_view out) { return {Outcome::kPass, std::string(out), "", ""}; }
Answer Filtered() { return {Outcome::kFiltered, "", "", ""}; }
Answer Poison(std::string_view fault, std::string_view column) {
  return {Outcome::kPoison, "", std::string(fault), std::string(column)};
}

Both::Both(const v1::RecordPlan& plan) : plan_(plan), executor_(MustCompile(plan)) {}

Answer Both::Fast(std::string_view value) { return RunExactly(&executor_, value); }

Answer Both::Reference(std::string_view value) const {
  Answer answer;
  Fault fault;
  std::string storage;
  answer.outcome = RunReference(plan_, value, &answer.out, &fault, &storage);
  if (answer.outcome != Outcome::kPoison) return answer;
  answer.fault = v1::FaultKind_Name(static_cast<v1::FaultKind>(fault.kind));
  answer.column = std::string(fault.column);
  return answer;
}

bool Both::Agree(std::string_view value) {
  const Answer fast = Fast(value);
  const Answer reference = Reference(value);
  if (fast.outcome == reference.outcome && fast.out == reference.out) return true;
  std::fprintf(stderr, "they differ on: %s\n", absl::CHexEscape(value.substr(0, 4096)).c_str());
  return false;
}

}  // namespace st::record
