// Where the measurements take place: a broker of its own, a folder, and the means to start contenders on topics of
// their own. All of it is gone with the object, and also when the program is interrupted or aborts.
#ifndef ST_E2E_BENCH_BED_H_
#define ST_E2E_BENCH_BED_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "e2e/bench/contender.h"
#include "e2e/broker.h"
#include "e2e/runner/cluster.h"

namespace st::e2e::bench {

// How Java runs the broker, unless ST_KAFKA_JAVA says it.
inline constexpr char kBrokerJava[] = "-Xms1g -Xmx1g -XX:+UseParallelGC";

class Bed {
 public:
  // One at a time. `hurried`: everything in Java starts fast and runs slowly.
  explicit Bed(bool hurried);
  ~Bed();
  Bed(const Bed&) = delete;
  Bed& operator=(const Bed&) = delete;

  const std::string& servers() const { return broker_->bootstrap(); }
  const std::string& folder() const { return folder_; }
  pid_t broker_pid() const { return broker_pid_; }
  Cluster& cluster() { return *cluster_; }
  Launcher& launcher() { return *launcher_; }

  // A group that stands at `starts` of the input, and an empty output.
  Place NewPlace(Workload workload, const std::string& input, const std::vector<int64_t>& starts);
  // Its output is not needed any more.
  void Drop(const Place& place);

 private:
  std::string folder_;
  std::unique_ptr<Broker> broker_;
  pid_t broker_pid_ = -1;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Launcher> launcher_;
  int places_ = 0;
};

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_BED_H_
