#include "lib/topology/graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace st::topology {
namespace {

using Edges = std::vector<std::pair<int, int>>;

TEST(GraphTest, OrdersAndFindsCycles) {
  // 0 -> 1 -> 2 -> 0, 2 -> 3, 4 -> 4, 5 -> 6
  const Graph graph(7, Edges{{2, 0}, {1, 2}, {0, 1}, {0, 1}, {2, 3}, {4, 4}, {5, 6}});
  EXPECT_EQ(graph.Cycles(), (std::vector<std::vector<int>>{{0, 1, 2}, {4}}));
  EXPECT_EQ(graph.Order(), (std::vector<int>{5, 6}));
  EXPECT_EQ(graph.WayBack(1, {0, 1, 2}), (std::vector<int>{1, 2, 0, 1}));
  EXPECT_EQ(graph.WayBack(4, {4}), (std::vector<int>{4, 4}));
}

TEST(GraphTest, TakesTheShortestWayBack) {
  const Graph graph(4, Edges{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 0}});
  EXPECT_EQ(graph.WayBack(0, graph.Cycles()[0]), (std::vector<int>{0, 1, 0}));
}

// By the definition: a node is on a cycle if it reaches itself, two are in one group if they reach each other.
TEST(GraphTest, AgreesWithReachability) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    const int nodes = 1 + static_cast<int>(random() % 9);
    Edges edges(random() % 16);
    for (auto& [from, to] : edges) {
      from = static_cast<int>(random() % nodes);
      to = static_cast<int>(random() % nodes);
    }
    std::vector<std::vector<bool>> reaches(nodes, std::vector<bool>(nodes, false));
    for (const auto& [from, to] : edges) reaches[from][to] = true;
    for (int k = 0; k < nodes; ++k) {
      for (int i = 0; i < nodes; ++i) {
        for (int j = 0; j < nodes; ++j) reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
      }
    }
    std::vector<std::vector<int>> groups;
    for (int i = 0; i < nodes; ++i) {
      if (!reaches[i][i]) continue;
      std::vector<int> group;
      for (int j = 0; j < nodes; ++j) {
        if (reaches[i][j] && reaches[j][i]) group.push_back(j);
      }
      if (group[0] == i) groups.push_back(group);
    }
    const Graph graph(nodes, edges);
    ASSERT_EQ(graph.Cycles(), groups);
    for (const std::vector<int>& group : groups) {
      const std::vector<int> way = graph.WayBack(group[0], group);
      ASSERT_GE(way.size(), 2u);
      for (size_t i = 1; i < way.size(); ++i) {
        ASSERT_NE(std::find(edges.begin(), edges.end(), std::make_pair(way[i - 1], way[i])), edges.end());
      }
    }
    // What is behind no cycle is ordered, each after what it comes from.
    const std::vector<int> order = graph.Order();
    size_t free = 0;
    for (int i = 0; i < nodes; ++i) {
      bool behind = reaches[i][i];
      for (int j = 0; j < nodes; ++j) behind = behind || (reaches[j][j] && reaches[j][i]);
      free += behind ? 0 : 1;
    }
    ASSERT_EQ(order.size(), free);
    for (const auto& [from, to] : edges) {
      const auto first = std::find(order.begin(), order.end(), from);
      const auto second = std::find(order.begin(), order.end(), to);
      if (first != order.end() && second != order.end()) {
        ASSERT_LT(first, second);
      }
    }
  }
}

TEST(GraphTest, DeepGraphsDoNotRecurse) {
  constexpr int kNodes = 200'000;
  Edges edges;
  for (int i = 1; i < kNodes; ++i) edges.emplace_back(i - 1, i);
  const Graph chain(kNodes, edges);
  EXPECT_TRUE(chain.Cycles().empty());
  EXPECT_EQ(chain.Order().size(), static_cast<size_t>(kNodes));
  edges.emplace_back(kNodes - 1, 0);
  const Graph ring(kNodes, edges);
  ASSERT_EQ(ring.Cycles().size(), 1u);
  EXPECT_EQ(ring.WayBack(0, ring.Cycles()[0]).size(), static_cast<size_t>(kNodes) + 1);
}

}  // namespace
}  // namespace st::topology
