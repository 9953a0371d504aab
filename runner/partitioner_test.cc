#include "runner/partitioner.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace st::runner {
namespace {

struct Case {
  std::string key;
  uint32_t hash;
  int32_t of_three;
};

// Computed with org.apache.kafka.common.utils.Utils of Kafka 4.3.1: murmur2(key), toPositive(hash) % 3.
std::vector<Case> JavaCases() {
  return {
      {"", 275646681u, 0},
      {"a", 2731586172u, 1},
      {"ab", 316155434u, 2},
      {"abc", 479470107u, 0},
      {"abcd", 2971317748u, 2},
      {"abcde", 461995741u, 1},
      {"key-7", 713419675u, 1},
      {"Gr\xc3\xbc\xc3\x9f"
       "e",
       1190824359u, 0},
      {std::string("\0\1", 2), 2182623317u, 0},
      {"a-much-longer-key-of-31-bytes!!", 2878153317u, 1},
      {std::string("\xff\x80\x00\xfe\x81\x90\xa0", 7), 1346069710u, 1},
  };
}

TEST(Partitioner, IsTheJavaClients) {
  const Partitioner partitioner(3, 0);
  for (const Case& one : JavaCases()) {
    EXPECT_EQ(Murmur2(one.key), one.hash) << one.key;
    EXPECT_EQ(partitioner.ForKey(one.key), one.of_three) << one.key;
  }
}

TEST(Partitioner, WithoutKeyStaysForABatchAndThenTakesTheNext) {
  constexpr size_t kRecord = 1000;
  Partitioner partitioner(4, 7);
  std::vector<int32_t> visited;
  int stayed = 0;
  for (int i = 0; i < 2000; ++i) {
    const int32_t partition = partitioner.WithoutKey(kRecord);
    if (visited.empty() || visited.back() != partition) {
      visited.push_back(partition);
    } else {
      ++stayed;
    }
  }
  ASSERT_GE(visited.size(), 5u);
  for (size_t i = 0; i < visited.size(); ++i) EXPECT_EQ(visited[i], static_cast<int32_t>((7 + i) % 4));
  EXPECT_GT(stayed, 1900);
}

TEST(Partitioner, ARecordLargerThanABatchIsPlacedToo) {
  Partitioner partitioner(2, 0);
  std::set<int32_t> visited;
  for (int i = 0; i < 10; ++i) visited.insert(partitioner.WithoutKey(size_t{1} << 30));
  EXPECT_EQ(visited, (std::set<int32_t>{0, 1}));
}

TEST(Partitioner, OnePartition) {
  Partitioner partitioner(1, 12345);
  EXPECT_EQ(partitioner.ForKey("any"), 0);
  EXPECT_EQ(partitioner.WithoutKey(1), 0);
}

}  // namespace
}  // namespace st::runner
