// A directed graph of numbered nodes: order, cycles. Nothing recurses; time is linear in nodes and edges, and every
// answer depends on the numbers alone, not on the order of the edges.
#ifndef ST_LIB_TOPOLOGY_GRAPH_H_
#define ST_LIB_TOPOLOGY_GRAPH_H_

#include <utility>
#include <vector>

namespace st::topology {

class Graph {
 public:
  // `edges` as (from, to), in any order, repeats allowed; numbers below `nodes`.
  Graph(int nodes, std::vector<std::pair<int, int>> edges);

  // Each node after all that it has edges from. Nodes on a cycle, and all behind one, are left out.
  std::vector<int> Order() const;

  // The strongly connected groups that hold a cycle, each sorted, by their first node.
  std::vector<std::vector<int>> Cycles() const;

  // A shortest way from `start` back to it, which begins and ends with it, through nodes of `group` only. `start` must
  // be in `group`, one of Cycles().
  std::vector<int> WayBack(int start, const std::vector<int>& group) const;

 private:
  int nodes() const { return static_cast<int>(first_.size()) - 1; }

  // Targets of node n: targets_[first_[n]] up to targets_[first_[n + 1]], sorted.
  std::vector<int> first_;
  std::vector<int> targets_;
};

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_GRAPH_H_
