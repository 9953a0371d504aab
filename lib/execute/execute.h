// Carries a plan's actions out through the journal. Apply and resume are one loop; resume starts from a later
// checkpoint. It decides nothing: lib/transition says what may be done, this does it.
#ifndef ST_LIB_EXECUTE_EXECUTE_H_
#define ST_LIB_EXECUTE_EXECUTE_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lib/base/clock.h"
#include "lib/host/host.h"
#include "lib/kafka/admin.h"
#include "lib/state/state.h"

namespace st::v1 {
class ApplyReport;
class OperationStatus;
class Plan;
class Topology;
}  // namespace st::v1

namespace st::execute {

struct World {
  kafka::ClusterAdmin* cluster = nullptr;
  host::RunnerHost* host = nullptr;  // null when no action needs one
  state::StateStore* store = nullptr;
  base::Clock* clock = nullptr;
  std::string client_properties;  // for new generations; secret
  std::vector<host::ClientFile> client_files;
  std::string by;  // user@host
  // Called at each named boundary, before (`before:<name>`) and after (`after:<name>`) it is crossed; tests kill here.
  std::function<void(std::string_view)> boundary = [](std::string_view) {};
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

// What needs no look outside: an offline or blocked plan, a project that changed after the review.
std::optional<v1::ApplyReport> RefuseOnPaper(const v1::Plan& plan, const v1::Topology& current);

// The plan must be verified. A refusal begins nothing; see v1::ApplyReport::Outcome for the answers.
absl::StatusOr<v1::ApplyReport> Apply(const v1::Plan& plan, const v1::Topology& current, const World& world);

absl::StatusOr<v1::ApplyReport> Resume(const v1::Plan& plan, const v1::Topology& current,
                                       const std::string& operation_id, const World& world);

// Reads only. `address` is <project>/<environment>.
absl::StatusOr<v1::OperationStatus> Status(const std::string& address, const World& world);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_EXECUTE_H_
