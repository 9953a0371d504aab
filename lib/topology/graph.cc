#include "lib/topology/graph.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace st::topology {
namespace {

constexpr int kUnseen = -1;

}  // namespace

Graph::Graph(int nodes, std::vector<std::pair<int, int>> edges) : first_(static_cast<size_t>(nodes) + 1, 0) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  targets_.reserve(edges.size());
  for (const auto& [from, to] : edges) {
    ++first_[from + 1];
    targets_.push_back(to);
  }
  for (int n = 0; n < nodes; ++n) first_[n + 1] += first_[n];
}

std::vector<int> Graph::Order() const {
  std::vector<int> waiting(static_cast<size_t>(nodes()), 0);
  for (const int target : targets_) ++waiting[target];
  std::vector<int> order;
  order.reserve(waiting.size());
  for (int n = 0; n < nodes(); ++n) {
    if (waiting[n] == 0) order.push_back(n);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (int at = first_[order[i]]; at < first_[order[i] + 1]; ++at) {
      if (--waiting[targets_[at]] == 0) order.push_back(targets_[at]);
    }
  }
  return order;
}

// Tarjan's algorithm ("Depth-first search and linear graph algorithms", 1972) with the call stack as a list.
std::vector<std::vector<int>> Graph::Cycles() const {
  struct Frame {
    int node;
    int edge;
  };
  std::vector<int> number(static_cast<size_t>(nodes()), kUnseen);
  std::vector<int> low(number.size(), 0);
  std::vector<char> on_stack(number.size(), 0);
  std::vector<int> stack;
  std::vector<Frame> frames;
  std::vector<std::vector<int>> groups;
  int next = 0;
  const auto enter = [&](int node) {
    number[node] = low[node] = next++;
    stack.push_back(node);
    on_stack[node] = 1;
    frames.push_back({node, first_[node]});
  };
  const auto leave = [&](int node) {
    if (low[node] != number[node]) return;
    const auto begin = std::find(stack.rbegin(), stack.rend(), node).base() - 1;
    std::vector<int> group(begin, stack.end());
    stack.erase(begin, stack.end());
    for (const int member : group) on_stack[member] = 0;
    const bool self = std::binary_search(targets_.begin() + first_[node], targets_.begin() + first_[node + 1], node);
    if (group.size() == 1 && !self) return;
    std::sort(group.begin(), group.end());
    groups.push_back(std::move(group));
  };
  for (int root = 0; root < nodes(); ++root) {
    if (number[root] != kUnseen) continue;
    enter(root);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const int node = frame.node;
      if (frame.edge < first_[node + 1]) {
        const int target = targets_[frame.edge++];
        if (number[target] == kUnseen) {
          enter(target);
        } else if (on_stack[target] != 0) {
          low[node] = std::min(low[node], number[target]);
        }
        continue;
      }
      frames.pop_back();
      if (!frames.empty()) low[frames.back().node] = std::min(low[frames.back().node], low[node]);
      leave(node);
    }
  }
  std::sort(groups.begin(), groups.end());
  return groups;
}

std::vector<int> Graph::WayBack(int start, const std::vector<int>& group) const {
  // Where each node was first reached from, breadth first.
  absl::flat_hash_map<int, int> from;
  std::vector<int> queue = {start};
  for (size_t i = 0; i < queue.size(); ++i) {
    const int node = queue[i];
    for (int at = first_[node]; at < first_[node + 1]; ++at) {
      const int target = targets_[at];
      if (target == start) {
        std::vector<int> way = {start};
        for (int step = node; step != start; step = from.at(step)) way.push_back(step);
        way.push_back(start);
        std::reverse(way.begin(), way.end());
        return way;
      }
      if (!std::binary_search(group.begin(), group.end(), target)) continue;
      if (from.try_emplace(target, node).second) queue.push_back(target);
    }
  }
  return {};
}

}  // namespace st::topology
