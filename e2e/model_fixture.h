// What the tests of a model's life on a broker share: a broker, a model `big` that keeps n >= 10 of its input, what is
// fed to it and what must come out.
#ifndef ST_E2E_MODEL_FIXTURE_H_
#define ST_E2E_MODEL_FIXTURE_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "e2e/broker.h"
#include "e2e/pipe.h"
#include "gtest/gtest.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/operation.pb.h"

namespace st::e2e {

// One broker for all tests of a suite; each test has a model, topics and an operator of its own.
class ModelFixture : public testing::Test {
 protected:
  static constexpr int kPartitions = 2;
  static constexpr int kKilled = 128 + 9;

  static void SetUpTestSuite();
  static void TearDownTestSuite();
  ~ModelFixture() override;

  // An empty input topic and a project on it; nothing is deployed. Both are named `prefix` and a number.
  void Declare(const std::string& prefix);
  // The model as it is then, and 40 records.
  void DeployAndFeed();

  // Records `r<i>` with n = i % 20, i counted through. Any thread.
  void Feed(int count);
  // The same filter never twice in a row.
  void ChangeFilter();
  // The changed filter, planned; the plan is file `p`.
  void PlanAnotherFilter();

  // Committed offsets of the group, partition by partition; -1: none.
  std::vector<int64_t> Committed();
  std::map<int, int64_t> Now();
  static std::map<int, int64_t> Start() { return {{0, 0}, {1, 0}}; }
  // False: not within a minute.
  bool AwaitAllRead();
  // False: one still runs after a minute.
  bool AwaitNoRunner() const;
  std::vector<std::string> Output(size_t wanted) { return AwaitOutput(broker_->bootstrap(), output_, wanted, 60); }

  // One filter from here on, partition by partition.
  struct Era {
    std::map<int, int64_t> from;
    int at_least = 0;
  };
  // Output equals input through the filters of `eras`, each record once, in order per partition.
  void ExpectOutput(const std::vector<Era>& eras);
  static std::map<int, int64_t> Vector(const v1::Checkpoint& checkpoint);

  // One generation, and one process of it.
  void ExpectOneRunner() const;
  // The same, no operation is open, and nothing is left to do.
  void ExpectWhole() const;

  // Of an operation that cut-offs may have left open, or of the plan `p`; must succeed.
  void CarryOn() const;

  static Broker* broker_;
  std::string id_;
  std::string input_;
  std::string output_;
  std::string group_;
  std::unique_ptr<Pipe> pipe_;
  std::unique_ptr<kafka::ClusterAdmin> admin_;
  std::atomic<int> fed_ = 0;
  int filter_ = 10;

 private:
  struct InputRecord {
    int partition = 0;
    int64_t offset = 0;
    std::string name;
    int n = 0;
  };
  std::vector<InputRecord> Input();
};

// Where a replacement can be cut off: each boundary that it crosses, before and after. `first` is the tool's first
// write to the store.
std::vector<std::string> CrashPoints(const std::string& first);

}  // namespace st::e2e

#endif  // ST_E2E_MODEL_FIXTURE_H_
