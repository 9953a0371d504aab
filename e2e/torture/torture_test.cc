// A deployed model on a real broker under random changes, kills and meddling: after each episode every record came out
// once, by the filter of the generation that read it, and plan, journal and host agree. Short here; for as long as one
// likes with tools/dev/torture. Chances are drawn from ST_TEST_SEED, which is printed; times are the machine's own.
#include <stdlib.h>

#include <algorithm>
#include <iostream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/torture/episode.h"
#include "e2e/torture/scene.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::e2e {
namespace {

constexpr uint64_t kFixedSeed = 5;
constexpr int kManyEpisodes = 30;

uint64_t FromEnvironment(const char* name, uint64_t otherwise) {
  const char* given = getenv(name);
  EXPECT_TRUE(given == nullptr || absl::SimpleAtoi(given, &otherwise)) << name;
  return otherwise;
}

// One scene, and each kind of episode on it once, in random order. False at the first violation.
bool Round(int number, StateIn store, uint64_t seed, int kinds, absl::Time until, Tally* tally) {
  std::seed_seq mixed{seed, static_cast<uint64_t>(number)};
  std::mt19937_64 random(mixed);
  std::vector<int> order(static_cast<size_t>(kinds));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  Scene scene(number, store);
  for (int kind : order) {
    if (absl::Now() > until) return true;
    Episode episode(&scene, &random, tally);
    const std::vector<std::string> violations = episode.Run(static_cast<Kind>(kind));
    if (violations.empty()) continue;
    ADD_FAILURE() << "seed " << seed << ", round " << number << ":\n  " << absl::StrJoin(violations, "\n  ") << "\n"
                  << absl::StrJoin(episode.log(), "\n");
    return false;
  }
  return true;
}

void Print(uint64_t seed, StateIn store, const Tally& tally) {
  const auto counts = absl::PairFormatter(": ");
  std::cout << "kinds: " << absl::StrJoin(tally.kinds, ", ", counts) << "\n"
            << "faults that struck: " << absl::StrJoin(tally.hits, ", ", counts) << "\n"
            << "changes: " << absl::StrJoin(tally.changes, ", ", counts) << "\n"
            << "kills by what they left behind: " << absl::StrJoin(tally.kills, ", ", counts) << "\n"
            << "figure: torture, state in " << (store == StateIn::kPostgres ? "PostgreSQL" : "SQLite") << ": "
            << tally.episodes << " episodes, " << tally.Kills() << " kills survived, " << tally.records
            << " records compared, violations " << (testing::Test::HasFailure() ? 1 : 0) << ", seed " << seed
            << std::endl;
}

// Each episode but one of a kind is made so that its fault strikes; what is left to chance is demanded of many.
void ExpectHits(StateIn store, Tally tally) {
  for (int i = 0; i < kKinds; ++i) {
    const std::string name = Name(static_cast<Kind>(i));
    const int episodes = tally.kinds[name];
    const bool chance = i == static_cast<int>(Kind::kKilledAtRandom);
    if (episodes >= (chance ? kManyEpisodes : 1)) {
      EXPECT_GE(tally.hits[name], chance ? 1 : episodes) << name;
    }
  }
  if (store == StateIn::kPostgres && tally.kinds[Name(Kind::kPaused)] >= kManyEpisodes) {
    EXPECT_GE(tally.hits[kPausedPastItsLock], 1);
  }
}

TEST(TortureTest, EachKindOfEpisodeOnce) {
  Tally tally;
  Round(0, StateIn::kSqlite, kFixedSeed, kKinds, absl::InfiniteFuture(), &tally);
  Print(kFixedSeed, StateIn::kSqlite, tally);
  EXPECT_THAT(tally.kinds, testing::SizeIs(kKinds));
  ExpectHits(StateIn::kSqlite, tally);
  EXPECT_GE(tally.Kills(), 3);
  EXPECT_GT(tally.records, 500u);
}

TEST(TortureTest, AsTheSeedHasIt) {
  const uint64_t seed = FromEnvironment("ST_TEST_SEED", std::random_device{}());
  const uint64_t minutes = FromEnvironment("ST_TORTURE_MINUTES", 0);
  const char* named = getenv("ST_TORTURE_STORE");
  const StateIn store = named != nullptr && std::string(named) == "sqlite" ? StateIn::kSqlite : StateIn::kPostgres;
  std::cout << "ST_TEST_SEED=" << seed << std::endl;
  const absl::Time until = minutes == 0 ? absl::InfiniteFuture() : absl::Now() + absl::Minutes(minutes);
  const int kinds = minutes == 0 ? kQuickKinds : kKinds;
  Tally tally;
  int round = 1;
  while (Round(round, store, seed, kinds, until, &tally) && minutes > 0 && absl::Now() < until) {
    std::cout << "round " << round++ << ": " << tally.episodes << " episodes, " << tally.Kills() << " kills"
              << std::endl;
  }
  if (!HasFailure()) ExpectHits(store, tally);
  Print(seed, store, tally);
  if (minutes == 0 && !HasFailure()) {
    EXPECT_THAT(tally.kinds, testing::SizeIs(kQuickKinds));
  }
}

}  // namespace
}  // namespace st::e2e
