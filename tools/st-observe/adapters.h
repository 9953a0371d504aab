// The adapters through which a topology's world is looked at.
#ifndef ST_TOOLS_ST_OBSERVE_ADAPTERS_H_
#define ST_TOOLS_ST_OBSERVE_ADAPTERS_H_

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "lib/observe/observe.h"

namespace st::observe {

// Owns what the world points to.
class Adapters {
 public:
  Adapters(std::unique_ptr<kafka::ClusterReader> cluster, std::unique_ptr<host::RunnerHost> host,
           std::unique_ptr<state::StateStore> store)
      : cluster_(std::move(cluster)), host_(std::move(host)), store_(std::move(store)) {}

  World world() const;

 private:
  std::unique_ptr<kafka::ClusterReader> cluster_;
  std::unique_ptr<host::RunnerHost> host_;
  std::unique_ptr<state::StateStore> store_;
};

// Connects to no broker yet, makes no file. Secrets come from the environment; NotFound names what is not set.
absl::StatusOr<std::unique_ptr<Adapters>> OpenAdapters(const v1::Topology& topology);

}  // namespace st::observe

#endif  // ST_TOOLS_ST_OBSERVE_ADAPTERS_H_
