#include "lib/topology/contracts.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/topology/cycles.h"
#include "lib/topology/models.h"
#include "schemas/st/v1/project.pb.h"

namespace st::topology {
namespace {

constexpr int kStepsShown = 6;

class Contract {
 public:
  Contract(int exposure, int consumed, Catalog* catalog, Report* report)
      : exposure_index_(exposure), consumed_index_(consumed), catalog_(*catalog), report_(*report) {}

  void Check() {
    const v1::Exposure& exposure = *catalog_.at(exposure_index_).exposure;
    const Declaration& consumed = Consumed();
    if (!consumed.columns_known || exposure.columns().empty()) return;
    if (consumed.columns.empty()) {
      report_.Error(exposure, "columns", "CONTRACT_UNKNOWN",
                    absl::StrCat(Who(), " needs columns of ", Name(consumed.name), ", and that ",
                                 KindName(consumed.kind), " declares none", Way()),
                    "list its `columns` where it is declared");
      return;
    }
    for (const v1::Column& column : exposure.columns()) {
      if (!column.name().empty() && column.type() != v1::COLUMN_TYPE_UNSPECIFIED) CheckColumn(column);
    }
  }

 private:
  const Declaration& Consumed() const { return catalog_.at(consumed_index_); }

  // Whose contract it is.
  std::string Who() const {
    const v1::Exposure& exposure = *catalog_.at(exposure_index_).exposure;
    return absl::StrCat(
        "the contract of the exposure ", Name(exposure.name()),
        exposure.owner().empty() ? " (no owner)" : absl::StrCat(" (owner ", diag::Visible(exposure.owner(), 100), ")"),
        " breaks: it");
  }

  std::string Way() const {
    std::vector<int> way = {exposure_index_};
    int step = consumed_index_;
    for (; step != kNone && way.size() < kStepsShown; step = catalog_.at(step).input) way.push_back(step);
    std::reverse(way.begin(), way.end());
    return absl::StrCat("; path ", step == kNone ? "" : "... -> ", FormatWay(&catalog_, way));
  }

  void CheckColumn(const v1::Column& needed) {
    const Declaration& consumed = Consumed();
    const v1::CompiledColumn* produced = FindColumn(consumed.columns, needed.name());
    const std::string start =
        absl::StrCat(Who(), " needs the column ", Name(needed.name()), " of ", Name(consumed.name));
    if (produced == nullptr) {
      const std::string near = report_.Suggest(needed.name(), consumed.columns,
                                               [](const auto& column) -> std::string_view { return column.name(); });
      report_.Error(needed, "name", "CONTRACT_COLUMN_MISSING", absl::StrCat(start, ", which does not have it", Way()),
                    near.empty() ? "produce it again, or agree with the owner that it goes"
                                 : absl::StrCat("the nearest is ", Name(near)));
      return;
    }
    if (produced->type() != needed.type()) {
      report_.Error(needed, "type", "CONTRACT_COLUMN_TYPE",
                    absl::StrCat(start, " as ", v1::ColumnType_Name(needed.type()), ", and it is ",
                                 v1::ColumnType_Name(produced->type()), Way()),
                    "no type is converted: agree with the owner on one");
    }
    if (needed.required() && !produced->required()) {
      report_.Error(
          needed, "required", "CONTRACT_COLUMN_NULLABLE",
          absl::StrCat(start, " as never null, and it may be null", Way()),
          consumed.has_sql() ? "filter it: column IS NOT NULL" : "write `required: true` where it is declared");
    }
  }

  int exposure_index_;
  int consumed_index_;
  Catalog& catalog_;
  Report& report_;
};

}  // namespace

void CheckContracts(Catalog* catalog, Report* report) {
  for (int i = 0; i < catalog->size(); ++i) {
    for (const int consumed : catalog->at(i).consumes) Contract(i, consumed, catalog, report).Check();
  }
}

}  // namespace st::topology
