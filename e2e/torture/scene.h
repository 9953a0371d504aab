// What an episode of the torture works on: a broker behind a proxy, a deployed model, and a producer that feeds it all
// the while.
#ifndef ST_E2E_TORTURE_SCENE_H_
#define ST_E2E_TORTURE_SCENE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "e2e/broker.h"
#include "e2e/pipe.h"
#include "e2e/proxy.h"
#include "e2e/runner/cluster.h"
#include "e2e/torture/feeder.h"
#include "e2e/torture/oracle.h"
#include "lib/state/postgres_bench.h"
#include "lib/state/state.h"

namespace st::e2e {

enum class StateIn { kSqlite, kPostgres };

class Scene {
 public:
  static constexpr int kPartitions = 2;
  static constexpr int kFirstBound = 10;

  // Starts all of it, a server for the state, too; `number` names it among those of one process.
  Scene(int number, StateIn store);

  Broker& broker() { return *broker_; }
  Proxy& proxy() { return proxy_; }
  Pipe& pipe() { return *pipe_; }
  Cluster& cluster() { return *cluster_; }
  Feeder& feeder() { return *feeder_; }
  const std::string& address() const { return address_; }
  const std::string& input() const { return input_; }
  std::string group() const { return pipe_->application_id("big"); }
  int bound() const { return bound_; }
  bool running() const { return running_; }

  // The declarations: the filter keeps n >= `bound`; whether it runs; another value of a topic config.
  void SetBound(int bound);
  void SetRunning(bool running);
  void ChangeConfig();

  bool postgres() const { return server_ != nullptr; }
  // The lock that a killed tool had is free when its server process has noticed. Nobody else may hold it.
  void AwaitUnlocked() const;
  // Ends the session that has the lock; false when nobody has it. For PostgreSQL alone.
  bool TakeLockAway() const;

  std::vector<int64_t> Committed() { return cluster_->Committed(group(), input_, kPartitions); }

  // What does not hold now that nothing is under way: records, journal, plan, generations. Pauses the feeder meanwhile.
  std::vector<std::string> Check();
  // Records of the output that the last check compared and none before it.
  size_t newly_compared() const { return newly_compared_; }

 private:
  void KeepStateInPostgres();
  std::unique_ptr<state::StateStore> OpenStore() const;
  void CheckRecords(std::vector<std::string>* violations);

  Proxy proxy_;
  std::string address_;  // of the proxy
  std::unique_ptr<Broker> broker_;
  std::unique_ptr<state::TestServer> server_;  // null: SQLite
  std::string input_, output_;
  std::unique_ptr<Cluster> cluster_;
  std::unique_ptr<Pipe> pipe_;
  std::unique_ptr<Feeder> feeder_;
  int bound_ = kFirstBound;
  bool running_ = true;
  int64_t retention_ms_ = 86400000;
  uint64_t last_entry_ = 0;
  std::vector<Era> eras_;
  size_t compared_ = 0;
  size_t newly_compared_ = 0;
};

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_SCENE_H_
