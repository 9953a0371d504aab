// The example `orders` in containers: one operator, one broker, the model `large_orders` and those that a test adds to
// it. It writes the orders, and knows what must come out: each close that the journal records is where one filter ends.
// For end-to-end tests.
#ifndef ST_E2E_DOCKER_DEPLOYMENT_H_
#define ST_E2E_DOCKER_DEPLOYMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "e2e/command.h"
#include "e2e/docker/ground.h"
#include "e2e/docker/operator.h"
#include "e2e/runner/cluster.h"
#include "e2e/torture/oracle.h"
#include "lib/state/postgres_bench.h"
#include "lib/state/state.h"
#include "schemas/st/v1/operation.pb.h"

namespace st::e2e {

// Exit code of a tool that SIGKILL ended.
inline constexpr int kKilled = 128 + 9;

// $ST_EVERY_CELL is set: a test strikes what takes too long for each day, too (docs/faults.md).
bool EveryCell();

// Not thread-safe. Failures are those of the test that calls; a failure of the machinery ends it at once.
class Deployment {
 public:
  static constexpr char kInput[] = "orders.v1";
  static constexpr int kPartitions = 3;  // of every topic

  enum class Store { kSqlite, kPostgres };

  // Deployed and running, and nothing written yet. Its state is in `store`, a server of its own.
  explicit Deployment(const Ground& ground, Store store = Store::kSqlite);

  BrokerContainer& broker() { return broker_; }
  Operator& user() { return operator_; }
  Cluster& cluster() { return cluster_; }
  // Of the model `large_orders`, as are container and volume.
  const std::string& application() const { return models_.front().application_id; }
  std::string Container() const { return ContainerOf(application()); }
  std::string Volume() const;
  const std::string& output() const { return models_.front().topic; }
  // The only one, whatever its state.
  std::string ContainerOf(const std::string& application_id) const;

  // Orders to each partition by turns; the last one in each passes every filter, so that it is committed at once.
  // `padding`: so many bytes more in each.
  void Feed(int count = 20, size_t padding = 0);
  // Until the model has committed all that there is.
  void AwaitAllRead() const;

  // In the declarations: `large_orders` keeps orders of 150 units, or of 100. Each change is to be carried out.
  void ChangeFilter();
  // In the declarations: one more model of the same orders, of 100 units. Its application id.
  std::string AddModel(const std::string& name);
  // In the declarations: another model in the place of `large_orders`, with a topic, an application and a volume of its
  // own; from here on it is the model of all these calls. Of an operation that was settled, the journal has no close.
  void Redeclare(const std::string& name);
  // Awaits all read, changes the filter and plans that, into the file `plan`.
  void PlanChange();
  // st-apply of `plan`, cut off there.
  CommandResult ApplyCutOff(const std::string& at);
  // st-apply of `plan`, or st-resume when an operation is given, with SIGKILL after so many seconds. The lock that it
  // had is free afterwards.
  CommandResult KillAfter(double seconds, const std::string& operation) const;
  // st-resume of `plan`.
  CommandResult Resume(const std::string& operation) const { return operator_.Resume("plan", operation); }
  v1::OperationStatus Status() const;

  // What a container is made of, without what names it or its moment: alike for alike models.
  std::string Made(const std::string& application_id) const;
  // All is as a deployment leaves it that nobody disturbed: nothing is open, left or to be changed; every model's one
  // generation runs; every order came out of it once, in order, by the filter of the generation that read it.
  void ExpectWhole();

 private:
  struct Model {
    std::string application_id;
    std::string topic;
    std::vector<Era> eras;
  };

  void KeepStateInPostgres();
  std::unique_ptr<state::StateStore> OpenStore() const;
  void AwaitUnlocked() const;
  std::string VolumeInstance() const;
  // What the journal says since the last look.
  Told ReadJournal();
  // The closes since then, and what does not hold.
  void CheckJournal();
  void ExpectOneGeneration(const Model& model) const;
  void ExpectOutput(const Model& model);

  const Ground& ground_;
  std::unique_ptr<state::TestServer> server_;  // of PostgreSQL
  BrokerContainer broker_;
  Operator operator_;
  Cluster cluster_;
  std::vector<Model> models_;
  std::string name_ = "large_orders";
  std::string volume_instance_;  // empty: not looked at yet
  int fed_ = 0;
  int filter_ = 100;
  std::vector<int> changes_;  // filters that the journal has no close for yet
  uint64_t last_entry_ = 0;   // of the journal
};

}  // namespace st::e2e

#endif  // ST_E2E_DOCKER_DEPLOYMENT_H_
