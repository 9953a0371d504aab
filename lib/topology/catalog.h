// Every source, model and exposure by its one name, and what the stages of the compiler find out about each.
#ifndef ST_LIB_TOPOLOGY_CATALOG_H_
#define ST_LIB_TOPOLOGY_CATALOG_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "lib/sql/sql.h"
#include "lib/topology/report.h"
#include "schemas/st/v1/record_plan.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::v1 {
class Exposure;
class Model;
class Source;
}  // namespace st::v1

namespace st::topology {

enum class Kind { kSource, kModel, kExposure };
std::string_view KindName(Kind kind);  // as in resource names

inline constexpr int kNone = -1;

struct Declaration {
  Kind kind = Kind::kSource;
  std::string_view name;
  // Exactly one is set.
  const v1::Source* source = nullptr;
  const v1::Model* model = nullptr;
  const v1::Exposure* exposure = nullptr;

  // Of sources and models; empty when it is wrong.
  std::string_view topic;

  // Of models with SQL. `input` indexes the catalog, and so do the lists of exposures.
  std::optional<sql::Statement> statement;
  int input = kNone;
  std::unique_ptr<v1::RecordPlan> plan;

  // What a source or a model produces, by name. Not known when an error stands in the way: then nothing that builds
  // on it is checked.
  bool columns_known = false;
  std::vector<v1::CompiledColumn> columns;

  // Of exposures, sorted, each once.
  std::vector<int> consumes;
  std::vector<int> produces;

  const google::protobuf::Message& message() const;
  bool has_sql() const;
};

// What a reference may mean.
enum class Wanted { kSource, kModel, kAny };

struct Resolution {
  int index = kNone;
  // When nothing was found and it should be said.
  std::string code, text, hint;
};

class Catalog {
 public:
  // Reports names that are declared twice; of these the first by place is kept.
  Catalog(const v1::Project& project, Report* report);

  // By name; indices are stable.
  std::vector<Declaration>& all() { return all_; }
  Declaration& at(int index) { return all_[static_cast<size_t>(index)]; }
  int size() const { return static_cast<int>(all_.size()); }

  // A reference by name; suggests the nearest name when there is none.
  Resolution Resolve(Wanted wanted, std::string_view name, Report* report);

 private:
  void DropDuplicates(Report* report);
  // A name that fits `wanted`, else one of another kind; empty when none is near.
  std::string Nearest(Wanted wanted, std::string_view name, Report* report);

  std::vector<Declaration> all_;
  absl::flat_hash_map<std::string_view, int> by_name_;
};

// Exposures' references into `consumes` and `produces`.
void ResolveExposures(Catalog* catalog, Report* report);

// Tests name models that have SQL, each under one name of its own.
void CheckTests(const v1::Project& project, Catalog* catalog, Report* report);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_CATALOG_H_
