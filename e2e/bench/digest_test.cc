#include "e2e/bench/digest.h"

#include <gtest/gtest.h>

#include <tuple>

namespace st::e2e::bench {
namespace {

using Entry = std::tuple<int32_t, int64_t, std::string, std::string>;

Digest Of(const std::vector<Entry>& entries) {
  Digest digest;
  for (const auto& [partition, timestamp_ms, key, value] : entries) digest.Add(partition, timestamp_ms, key, value);
  return digest;
}

const std::vector<Entry> kExpected = {{0, 1, "k1", "v1"}, {0, 3, "k2", "v2"}, {1, 2, "k3", "v3"}};

TEST(DigestTest, PartitionsAreReadInAnyOrder) {
  const Digest same = Of({{1, 2, "k3", "v3"}, {0, 1, "k1", "v1"}, {0, 3, "k2", "v2"}});
  EXPECT_EQ(same.Difference(Of(kExpected)), "");
  EXPECT_EQ(same.records(), 3);
  EXPECT_EQ(same.value_bytes(), 6);
}

TEST(DigestTest, EverythingElseIsSeen) {
  const struct {
    const char* what;
    std::vector<Entry> entries;
  } cases[] = {
      {"missing", {{0, 1, "k1", "v1"}, {1, 2, "k3", "v3"}}},
      {"twice", {{0, 1, "k1", "v1"}, {0, 1, "k1", "v1"}, {0, 3, "k2", "v2"}, {1, 2, "k3", "v3"}}},
      {"one instead of another", {{0, 1, "k1", "v1"}, {0, 1, "k1", "v1"}, {1, 2, "k3", "v3"}}},
      {"out of order", {{0, 3, "k2", "v2"}, {0, 1, "k1", "v1"}, {1, 2, "k3", "v3"}}},
      {"another partition", {{1, 1, "k1", "v1"}, {0, 3, "k2", "v2"}, {1, 2, "k3", "v3"}}},
      {"another timestamp", {{0, 2, "k1", "v1"}, {0, 3, "k2", "v2"}, {1, 2, "k3", "v3"}}},
      {"another key", {{0, 1, "k2", "v1"}, {0, 3, "k2", "v2"}, {1, 2, "k3", "v3"}}},
      {"another value", {{0, 1, "k1", "v2"}, {0, 3, "k2", "v2"}, {1, 2, "k3", "v3"}}},
  };
  for (const auto& one : cases) EXPECT_NE(Of(one.entries).Difference(Of(kExpected)), "") << one.what;
}

}  // namespace
}  // namespace st::e2e::bench
