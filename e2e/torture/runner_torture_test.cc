// A runner on a real broker under faults of every kind, many models at once: after each episode its output is the input
// put through the model, once, in order, or it stopped with the right reason at the right offset. Short here; for as
// long as one likes with tools/dev/torture --runner. All chances of an episode come from ST_TEST_SEED and its number.
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/log/absl_check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/torture/fire_brokers.h"
#include "e2e/torture/runner_episode.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/fs/memory_disk.h"

namespace st::e2e {
namespace {

constexpr uint64_t kFixedSeed = 6;
constexpr uint64_t kFewEpisodes = 10;
// Most of an episode is waiting for a group's session to end.
constexpr uint64_t kLanes = 10;

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* given = getenv(name);
  EXPECT_TRUE(given == nullptr || absl::SimpleAtoi(given, &otherwise)) << name;
  return otherwise;
}

struct KindTally {
  int episodes = 0;
  double seconds = 0;
  double longest = 0;
};

// Episodes side by side, until their numbers or the time are over or something does not hold.
class Lanes {
 public:
  Lanes(FireBrokers* brokers, uint64_t seed, bool all_kinds) : brokers_(*brokers), seed_(seed), all_kinds_(all_kinds) {}

  // With the numbers from `first` to before `end`.
  void Run(uint64_t first, uint64_t end, absl::Time until, uint64_t lanes) {
    next_ = first;
    std::vector<std::thread> threads;
    for (uint64_t i = 0; i < lanes; ++i) {
      threads.emplace_back([=, this] {
        for (uint64_t number = next_++; number < end && !failed_ && absl::Now() < until; number = next_++) One(number);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  void Print() const {
    const absl::MutexLock lock(&mu_);
    int episodes = 0;
    for (const auto& [name, kind] : kinds_) {
      episodes += kind.episodes;
      std::cout << absl::StreamFormat("%5d %-18s %6.1f s each, %6.1f s at most\n", kind.episodes, name,
                                      kind.seconds / kind.episodes, kind.longest);
    }
    std::cout << absl::StreamFormat(
                     "figure: runner under fire: %d episodes in %.0f s, %d records compared, violations %d, seed %d",
                     episodes, absl::ToDoubleSeconds(absl::Now() - begun_), records_, failed_ ? 1 : 0, seed_)
              << std::endl;
  }

  int kinds() const {
    const absl::MutexLock lock(&mu_);
    return static_cast<int>(kinds_.size());
  }
  int64_t records() const {
    const absl::MutexLock lock(&mu_);
    return records_;
  }

 private:
  Fire Choose(uint64_t number, std::mt19937_64* random) const {
    return all_kinds_ ? static_cast<Fire>((number + static_cast<uint64_t>(Fire::kOverslept)) % kFires)
                      : DrawFire(random);
  }

  void One(uint64_t number) {
    std::seed_seq mixed{seed_, number};
    std::mt19937_64 random(mixed);
    const Fire fire = Choose(number, &random);
    const absl::Time begun = absl::Now();
    RunnerEpisode episode(&brokers_, absl::StrCat(all_kinds_ ? "each" : "fire", number), &random);
    const std::vector<std::string> violations = episode.Run(fire);
    const double seconds = absl::ToDoubleSeconds(absl::Now() - begun);
    const absl::MutexLock lock(&mu_);
    KindTally& kind = kinds_[Name(fire)];
    ++kind.episodes;
    kind.seconds += seconds;
    kind.longest = std::max(kind.longest, seconds);
    records_ += episode.records();
    if (!all_kinds_) std::cout << absl::StreamFormat("%d %s %.1f s", number, Name(fire), seconds) << std::endl;
    if (violations.empty()) return;
    failed_ = true;
    ADD_FAILURE() << "seed " << seed_ << ", episode " << number << ", " << Name(fire) << ":\n  "
                  << absl::StrJoin(violations, "\n  ") << "\n"
                  << absl::StrJoin(episode.log(), "\n");
  }

  FireBrokers& brokers_;
  const uint64_t seed_;
  const bool all_kinds_;
  const absl::Time begun_ = absl::Now();
  std::atomic<uint64_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  mutable absl::Mutex mu_;
  std::map<std::string, KindTally> kinds_ ABSL_GUARDED_BY(mu_);
  int64_t records_ ABSL_GUARDED_BY(mu_) = 0;
};

class RunnerTortureTest : public testing::Test {
 protected:
  // Mounts and network namespaces go with this process.
  static void SetUpTestSuite() { ABSL_CHECK_OK(fs::EnterMountNamespace()); }
  static FireBrokers& Brokers() {
    static FireBrokers brokers;
    return brokers;
  }
};

TEST_F(RunnerTortureTest, EachKindOfEpisodeOnce) {
  Lanes lanes(&Brokers(), kFixedSeed, /*all_kinds=*/true);
  lanes.Run(0, kFires, absl::InfiniteFuture(), kLanes);
  lanes.Print();
  if (HasFailure()) return;
  EXPECT_EQ(lanes.kinds(), kFires);
  EXPECT_GT(lanes.records(), 10000);
}

TEST_F(RunnerTortureTest, AsTheSeedHasIt) {
  const uint64_t seed = FromEnvironment("ST_TEST_SEED", std::random_device{}());
  const uint64_t first = FromEnvironment("ST_TORTURE_EPISODE", 0);
  const uint64_t minutes = FromEnvironment("ST_TORTURE_MINUTES", 0);
  const uint64_t end = FromEnvironment("ST_TORTURE_EPISODES", minutes == 0 ? kFewEpisodes : uint64_t{1} << 32);
  std::cout << "ST_TEST_SEED=" << seed << std::endl;
  Lanes lanes(&Brokers(), seed, /*all_kinds=*/false);
  lanes.Run(first, first + end, minutes == 0 ? absl::InfiniteFuture() : absl::Now() + absl::Minutes(minutes),
            FromEnvironment("ST_TORTURE_LANES", kLanes));
  lanes.Print();
  EXPECT_GT(lanes.kinds(), 0) << "no episode was asked for";
}

}  // namespace
}  // namespace st::e2e
