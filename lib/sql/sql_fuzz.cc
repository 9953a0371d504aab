// Any bytes as a statement: no crash, and what the header promises of findings, plans and their order.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <vector>

#include "lib/diag/diag.h"
#include "lib/sql/sql.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace {

void Require(bool truth) {
  if (!truth) abort();
}

const std::vector<st::v1::InputColumn>& Inputs() {
  static const auto* const inputs = [] {
    auto* columns = new std::vector<st::v1::InputColumn>();
    const std::pair<const char*, st::v1::ColumnType> specs[] = {{"a", st::v1::BIGINT},
                                                                {"b", st::v1::BOOLEAN},
                                                                {"c", st::v1::STRING},
                                                                {"d", st::v1::ANY},
                                                                {"id", st::v1::STRING}};
    for (const auto& [name, type] : specs) {
      st::v1::InputColumn& column = columns->emplace_back();
      column.set_name(name);
      column.set_member(name);
      column.set_type(type);
      column.set_required(type == st::v1::STRING);
    }
    return columns;
  }();
  return *inputs;
}

bool CheckFindings(const std::vector<st::sql::Finding>& findings, std::string_view text) {
  bool errors = false;
  size_t count = 0;
  for (const st::sql::Finding& finding : findings) {
    Require(finding.offset <= text.size());
    Require(!finding.code.empty() && !finding.text.empty());
    Require(st::diag::IsUtf8(finding.text) && !st::diag::HasInvisible(finding.text + finding.hint, false));
    errors = errors || !finding.warning;
    count += finding.warning ? 0 : 1;
  }
  Require(count <= st::sql::kMaxErrors + 1);
  return errors;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<st::sql::Finding> findings;
  const auto statement = st::sql::Parse(text, &findings);
  Require(statement.has_value() != CheckFindings(findings, text));
  if (!statement.has_value()) return 0;
  Require(!statement->table().name.empty());
  findings.clear();
  st::v1::RecordPlan plan;
  const auto checked = st::sql::Check(*statement, Inputs(), &plan, &findings);
  Require(checked.has_value() != CheckFindings(findings, text));
  if (!checked.has_value()) return 0;
  Require(plan.projections_size() > 0 && plan.projections_size() == static_cast<int>(checked->columns.size()));
  Require(plan.columns_size() == static_cast<int>(Inputs().size()));
  for (int i = 1; i < plan.predicates_size(); ++i) {
    Require(plan.predicates(i - 1).column() <= plan.predicates(i).column());
  }
  return 0;
}
