#include "runner/arena.h"

#include <gtest/gtest.h>

#include <string_view>
#include <utility>
#include <vector>

namespace st::runner {
namespace {

TEST(Arena, WhatItHoldsNeverMoves) {
  Arena arena;
  std::vector<std::pair<std::string_view, char>> values;
  for (int i = 0; i < 5000; ++i) {
    const size_t size = static_cast<size_t>(i) % 1700;
    std::string* out = arena.Room(size);
    const size_t begin = out->size();
    const char letter = static_cast<char>('a' + i % 26);
    out->append(size, letter);
    values.emplace_back(std::string_view(*out).substr(begin), letter);
  }
  for (const auto& [value, letter] : values) {
    EXPECT_EQ(value.find_first_not_of(letter), std::string_view::npos);
  }
}

TEST(Arena, CountsWhatATransactionHolds) {
  Arena arena;
  EXPECT_EQ(arena.UsedBytes(), 0u);
  arena.Room(100)->append(100, 'x');
  arena.Charge(50);
  EXPECT_EQ(arena.UsedBytes(), 150u);
  arena.Room(size_t{5} << 20)->append(size_t{5} << 20, 'x');
  EXPECT_GE(arena.UsedBytes(), size_t{5} << 20);
  arena.Reset();
  EXPECT_EQ(arena.UsedBytes(), 0u);
}

TEST(Arena, UsesItsMemoryAgain) {
  Arena arena;
  std::string* first = arena.Room(10);
  first->append("0123456789");
  const char* memory = first->data();
  arena.Reset();
  std::string* again = arena.Room(10);
  EXPECT_TRUE(again->empty());
  again->append("abc");
  EXPECT_EQ(again->data(), memory);
}

}  // namespace
}  // namespace st::runner
