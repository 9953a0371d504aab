#include "e2e/bench/workload.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace st::e2e::bench {
namespace {

constexpr int64_t kLeastAmount = 5000;
constexpr int64_t kKeys = 5000;

struct Column {
  const char* name;
  v1::ColumnType type;
};

// In the order in which they stand in a value. The first three are the narrow records.
constexpr Column kColumns[] = {
    {"id", v1::BIGINT},      {"amount", v1::BIGINT}, {"country", v1::STRING},   {"customer", v1::STRING},
    {"status", v1::STRING},  {"paid", v1::BOOLEAN},  {"placed_at", v1::STRING}, {"quantity", v1::BIGINT},
    {"product", v1::STRING}, {"note", v1::STRING},
};
// In the order in which the model selects them.
constexpr size_t kNarrowSelect[] = {1, 2, 0};
constexpr size_t kWideSelect[] = {3, 0, 6, 8, 7, 1, 2, 5, 4, 9};

struct Shape {
  const char* name;
  size_t columns;
  const size_t* select;
};
constexpr Shape kShapes[] = {{"narrow", std::size(kNarrowSelect), kNarrowSelect},
                             {"wide", std::size(kWideSelect), kWideSelect}};

const Shape& ShapeOf(Workload workload) { return kShapes[static_cast<size_t>(workload)]; }

// Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (SplitMix64).
uint64_t Mixed(int64_t n) {
  uint64_t z = static_cast<uint64_t>(n) + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// Their lengths add up to the same for every n.
std::string FieldOf(size_t column, int64_t n) {
  const auto m = static_cast<int64_t>(Mixed(n) >> 8);
  switch (column) {
    case 0:
      return absl::StrCat(10000000 + n);
    case 1:
      return absl::StrCat(Passes(n) ? kLeastAmount + m % 5000 : 1000 + m % 4000);
    case 2:
      return m % 2 == 0 ? R"("FR")" : R"("DE")";
    case 3:
      return absl::StrCat("\"c-", 10000000 + m % 80000000, "\"");
    case 4:
      return m % 4 == 0 ? R"("cancelled")" : R"("delivered")";
    case 5:
      return m % 8 == 0 ? "false" : "true";
    case 6:
      return absl::StrCat("\"2026-11-", 10 + m % 20, "T12:", 10 + m % 50, ":30Z\"");
    case 7:
      // One byte less where `paid` has one more.
      return absl::StrCat(m % 8 == 0 ? 1 + m % 9 : 10 + m % 90);
    case 8:
      return absl::StrCat("\"steel bolts in size ", 100 + m % 900, " mm\"");
    default:
      // A few have something to unescape.
      return m % 8 == 1 ? R"("to be left with \"neighbour\", on floor 2")"
                        : R"("to be left with the neighbour, on floor 2")";
  }
}

// The first `columns` members, or those that `select` says.
std::string ObjectOf(const Shape& shape, const size_t* select, int64_t n) {
  std::string text;
  for (size_t i = 0; i < shape.columns; ++i) {
    const size_t column = select == nullptr ? i : select[i];
    absl::StrAppend(&text, i == 0 ? "{\"" : ",\"", kColumns[column].name, "\":", FieldOf(column, n));
  }
  return text + "}";
}

v1::RecordPlan WithColumns(const Shape& shape) {
  v1::RecordPlan plan;
  plan.set_version(1);
  plan.set_extra_members(v1::refuse);
  std::vector<Column> sorted(kColumns, kColumns + shape.columns);
  std::sort(sorted.begin(), sorted.end(),
            [](const Column& a, const Column& b) { return std::string_view(a.name) < b.name; });
  for (const Column& column : sorted) {
    auto* input = plan.add_columns();
    input->set_name(column.name);
    input->set_member(column.name);
    input->set_type(column.type);
    input->set_required(true);
  }
  for (size_t i = 0; i < shape.columns; ++i) {
    auto* projection = plan.add_projections();
    projection->set_column(kColumns[shape.select[i]].name);
    projection->set_name(kColumns[shape.select[i]].name);
  }
  auto* predicate = plan.add_predicates();
  predicate->set_column("amount");
  predicate->set_op(v1::Predicate::GE);
  predicate->set_bigint_value(kLeastAmount);
  return plan;
}

const char* JavaTypeOf(v1::ColumnType type) {
  return type == v1::BIGINT ? "bigint" : type == v1::BOOLEAN ? "boolean" : "string";
}

}  // namespace

std::string_view NameOf(Workload workload) { return ShapeOf(workload).name; }

bool Passes(int64_t n) { return Mixed(n) % 2 == 0; }

std::string KeyOf(int64_t n) { return absl::StrCat("k", 1000 + Mixed(n) / 2 % kKeys); }

std::string ValueOf(Workload workload, int64_t n) { return ObjectOf(ShapeOf(workload), nullptr, n); }

std::string OutputOf(Workload workload, int64_t n) { return ObjectOf(ShapeOf(workload), ShapeOf(workload).select, n); }

v1::RecordPlan PlanOf(Workload workload, const std::string& input, const std::string& output) {
  v1::RecordPlan plan = WithColumns(ShapeOf(workload));
  plan.set_input_topic(input);
  plan.set_output_topic(output);
  return plan;
}

v1::RecordPlan CheckOnlyPlanOf(Workload workload) {
  v1::RecordPlan plan = PlanOf(workload, "in", "out");
  plan.mutable_predicates(0)->set_op(v1::Predicate::LT);
  plan.mutable_predicates(0)->set_bigint_value(0);
  return plan;
}

std::vector<std::string> JavaPlanOf(Workload workload) {
  const Shape& shape = ShapeOf(workload);
  std::vector<std::string> columns, select;
  for (size_t i = 0; i < shape.columns; ++i) {
    columns.push_back(absl::StrCat(kColumns[i].name, ":", JavaTypeOf(kColumns[i].type)));
    select.push_back(kColumns[shape.select[i]].name);
  }
  return {absl::StrCat("columns=", absl::StrJoin(columns, ",")), absl::StrCat("select=", absl::StrJoin(select, ",")),
          "where=amount", absl::StrCat("least=", kLeastAmount)};
}

}  // namespace st::e2e::bench
