// What is in the store after a kill, a power loss or an error at each single call that SQLite makes below a write:
// the state before the write or the state after it, and the answer says which.
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "lib/state/faulty_vfs.h"
#include "lib/state/sqlite.h"

namespace st::state {
namespace {

using ::absl_testing::IsOk;

constexpr char kAddress[] = "shop/dev";

enum class Op { kAcquire, kBegin, kAppend, kComplete };

std::string Summary(StateStore* store) {
  absl::StatusOr<Snapshot> snapshot = store->Read(kAddress);
  if (!snapshot.ok()) return snapshot.status().ToString();
  // A log whose chain does not hold is no state.
  absl::StatusOr<std::vector<HistoryEntry>> log = store->History(kAddress);
  if (!log.ok()) return log.status().ToString();
  return absl::StrCat(snapshot->revision, " ", log->size(), " serial ", snapshot->serial, " '",
                      snapshot->ownership.size(), "' open '", snapshot->operation_id, "' intent '",
                      snapshot->intent.size(), "' frames ", snapshot->frames.size(), " receipt '",
                      snapshot->last_receipt, "'");
}

// Thousands of syncs: in memory where that can be had. What a disk would lose is the faulty layer's business.
std::string NewFolder() {
  std::string name = (access("/dev/shm", W_OK) == 0 ? "/dev/shm" : testing::TempDir()) + "/st-fault-XXXXXX";
  return mkdtemp(name.data()) == nullptr ? "" : name;
}

// A store in its own folder, brought to where `op` is next.
class Scene {
 public:
  explicit Scene(Op op) : op_(op), folder_(NewFolder()) {
    std::error_code error;
    std::filesystem::copy_file(Prepared(op) + "/state.db", path(), error);
    EXPECT_FALSE(error);
    Open();
    if (op != Op::kAcquire) {
      EXPECT_THAT(Drive(Op::kAcquire), IsOk());
    }
    revision_ = store_->Read(kAddress)->revision;
    before_ = Summary(store_.get());
  }
  ~Scene() {
    Close();
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
    EXPECT_FALSE(error);
  }

  void Open() {
    absl::StatusOr<std::unique_ptr<StateStore>> store = OpenSqlite(path(), Access::kReadWrite);
    EXPECT_THAT(store, IsOk());
    if (store.ok()) store_ = *std::move(store);
  }
  void Close() {
    lease_.reset();
    store_.reset();
  }
  // Payloads of several pages each, so that a write has several places to be cut at.
  absl::Status Drive(Op op) {
    const std::string large(20'000, 'x');
    absl::StatusOr<uint64_t> done;
    switch (op) {
      case Op::kAcquire: {
        absl::StatusOr<std::unique_ptr<Lease>> lease = store_->Acquire(kAddress);
        if (lease.ok()) lease_ = *std::move(lease);
        return lease.status();
      }
      case Op::kBegin:
        done = store_->Begin(*lease_, revision_, absl::StrCat("op-", revision_), large);
        break;
      case Op::kAppend:
        done = store_->Append(*lease_, revision_, {Frame::Kind::kCheckpoint, large});
        break;
      case Op::kComplete:
        done = store_->Complete(*lease_, revision_, large + std::to_string(revision_), "receipt");
        break;
    }
    if (done.ok()) revision_ = *done;
    return done.status();
  }
  absl::Status Drive() { return Drive(op_); }
  std::string Now() { return Summary(store_.get()); }
  const std::string& before() const { return before_; }
  std::string path() const { return folder_ + "/state.db"; }

 private:
  Scene(Op op, std::string folder) : op_(op), folder_(std::move(folder)) {}

  // The folder of a store that all scenes of `op` begin with; made once, and left to the test's end.
  static const std::string& Prepared(Op op) {
    static std::map<Op, std::unique_ptr<Scene>> prepared;
    std::unique_ptr<Scene>& scene = prepared[op];
    if (scene == nullptr) {
      scene.reset(new Scene(op, NewFolder()));
      scene->Open();
      for (const Op step : {Op::kAcquire, Op::kBegin, Op::kComplete}) EXPECT_THAT(scene->Drive(step), IsOk());
      if (op == Op::kAppend || op == Op::kComplete) {
        for (const Op step : {Op::kBegin, Op::kAppend}) EXPECT_THAT(scene->Drive(step), IsOk());
      }
      scene->Close();
    }
    return scene->folder_;
  }

  Op op_;
  std::string folder_;
  std::unique_ptr<StateStore> store_;
  std::unique_ptr<Lease> lease_;
  uint64_t revision_ = 0;
  std::string before_;
};

std::string After(Op op) {
  Scene scene(op);
  EXPECT_THAT(scene.Drive(), IsOk());
  return scene.Now();
}

// In a child: the write, cut at call `nth` (or, when it has fewer, right after it returned).
[[noreturn]] void WriteAndDie(Scene* scene, Op op, int nth, PowerLoss loss, int answers) {
  // Tracks from the first opening on what a disk would hold.
  ArmVfs(VfsFault::kPowerLoss, 1'000'000, loss);
  scene->Open();
  if (op != Op::kAcquire && !scene->Drive(Op::kAcquire).ok()) _exit(3);
  ArmVfs(VfsFault::kPowerLoss, nth, loss);
  if (!scene->Drive().ok()) _exit(4);
  if (write(answers, "k", 1) != 1) _exit(5);
  LosePower(loss);
}

// True when the write had returned before the power went.
bool Crash(Scene* scene, Op op, int nth, PowerLoss loss) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) WriteAndDie(scene, op, nth, loss, ends[1]);
  close(ends[1]);
  char answer = 0;
  const bool returned = read(ends[0], &answer, 1) == 1;
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  return returned;
}

class Crashes : public testing::TestWithParam<Op> {};

TEST_P(Crashes, LeaveTheOldStateOrTheNewOne) {
  const Op op = GetParam();
  const std::string after = After(op);
  for (const PowerLoss loss : {PowerLoss{false, false}, {true, false}, {false, true}, {true, true}}) {
    int old_ones = 0;
    int new_ones = 0;
    bool returned = false;
    for (int nth = 1; !returned; ++nth) {
      ASSERT_LT(nth, 200);
      Scene scene(op);
      scene.Close();
      returned = Crash(&scene, op, nth, loss);
      // Who comes first may be an observer.
      const std::string seen = Summary(OpenSqlite(scene.path(), Access::kReadOnly)->get());
      scene.Open();
      const std::string now = scene.Now();
      EXPECT_EQ(seen, now);
      ASSERT_TRUE(now == scene.before() || now == after) << now;
      if (returned) {
        EXPECT_EQ(now, after) << "an answered write was lost";
      }
      ++(now == after ? new_ones : old_ones);
    }
    // The write makes a journal, writes and syncs it, writes and syncs the pages, and deletes the journal.
    if (op != Op::kAcquire) {
      EXPECT_GE(old_ones, 8);
      EXPECT_GE(new_ones, 1);
    }
  }
}

class Errors : public testing::TestWithParam<Op> {};

struct Counts {
  int done = 0;
  int refused = 0;
  int unknown = 0;
};

Counts FailEach(Op op, VfsFault fault) {
  const std::string after = After(op);
  Counts counts;
  for (int nth = 1;; ++nth) {
    EXPECT_LT(nth, 500);
    Scene scene(op);
    ArmVfs(fault, nth);
    const absl::Status answer = scene.Drive();
    DisarmVfs();
    const bool hit = VfsFaultHit();
    const std::string same_handle = scene.Now();
    scene.Close();
    scene.Open();
    EXPECT_EQ(scene.Now(), same_handle);
    if (answer.ok()) {
      EXPECT_EQ(same_handle, after) << nth;
      ++counts.done;
    } else if (absl::IsUnknown(answer)) {
      EXPECT_TRUE(same_handle == scene.before() || same_handle == after) << nth << same_handle;
      ++counts.unknown;
    } else {
      EXPECT_EQ(answer.code(), absl::StatusCode::kUnavailable) << answer;
      EXPECT_EQ(same_handle, scene.before()) << nth << ": " << answer;
      ++counts.refused;
    }
    if (!hit || nth >= 500) return counts;
  }
}

TEST_P(Errors, OnceBeforeACallAreAnsweredTruly) {
  const Counts counts = FailEach(GetParam(), VfsFault::kErrorOnce);
  EXPECT_GE(counts.refused, 8);
  EXPECT_EQ(counts.unknown, 0);
}

TEST_P(Errors, OnceAfterACallAreAnsweredTruly) {
  const Counts counts = FailEach(GetParam(), VfsFault::kErrorAfterOnce);
  EXPECT_GE(counts.refused, 8);
  EXPECT_EQ(counts.unknown, 0);
  // The journal was deleted, and SQLite was told that it was not: the write took place, and is found.
  if (GetParam() != Op::kAcquire) {
    EXPECT_GE(counts.done, 2);
  }
}

TEST_P(Errors, ThatStayAreAnsweredTruly) {
  const Counts counts = FailEach(GetParam(), VfsFault::kErrorForever);
  EXPECT_GE(counts.refused, 1);
  if (GetParam() != Op::kAcquire) {
    EXPECT_GE(counts.unknown, 1);
  }
}

TEST_P(Errors, AFullDiskWritesNothing) {
  const Counts counts = FailEach(GetParam(), VfsFault::kFull);
  EXPECT_GE(counts.refused, 5);
  EXPECT_EQ(counts.done, 1);
}

const auto kNames = [](const testing::TestParamInfo<Op>& info) {
  static constexpr const char* kOps[] = {"Acquire", "Begin", "Append", "Complete"};
  return std::string(kOps[static_cast<int>(info.param)]);
};
INSTANTIATE_TEST_SUITE_P(Sqlite, Crashes, testing::Values(Op::kAcquire, Op::kBegin, Op::kAppend, Op::kComplete),
                         kNames);
INSTANTIATE_TEST_SUITE_P(Sqlite, Errors, testing::Values(Op::kAcquire, Op::kBegin, Op::kAppend, Op::kComplete), kNames);

}  // namespace
}  // namespace st::state

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  st::state::InstallFaultyVfs();
  return RUN_ALL_TESTS();
}
