// MinCut: finds a cheapest cut between two vertices of a graph.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MIN_CUT_MIN_CUT_H_
#define MACE_PLAN_MIN_CUT_MIN_CUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mace {

// Dinic, "Algorithm for solution of a problem of maximum flow in networks with
// power estimation" (1970); the maximum flow gives the cut. Takes O(vertices^2
// * edges) at worst; the stack does not grow with the graph.
class MinCut {
 public:
  // The cost of an edge that is never cut. Any cost from 1e12 on counts as
  // infinite.
  static constexpr double kInfinite = 1e18;

  explicit MinCut(int num_vertices) : edges_of_(num_vertices) {}

  // Returns the id of the new vertex. The first ones are 0 to num_vertices - 1.
  int AddVertex();
  // Adds an edge that costs `cost`, rounded to thousandths, if `from` is on the
  // source's side and `to` is not. REQUIRES: cost >= 0.
  void AddEdge(int from, int to, double cost);

  // Returns, by vertex, whether it is on the side of `source`. If there are
  // several cheapest cuts, takes the one for which this side is largest. Call
  // this once per object.
  std::vector<bool> SourceSide(int source, int sink);

 private:
  // Costs are integers inside, so that flows cancel exactly.
  struct Edge {
    int to;
    int64_t left;
  };
  // Numbers the vertices by their distance from `source`. Returns whether
  // `sink` can be reached.
  bool FindLevels(int source, int sink);
  // Sends flow along one path of rising levels. Returns how much, or 0 if no
  // path is left.
  int64_t Augment(int source, int sink);

  // Edges e and e ^ 1 are each other's reverse. `left` is the capacity that the
  // flow leaves.
  std::vector<Edge> edges_;
  // By vertex: the edges that begin there, its level (-1: not reached), and the
  // edge that Augment tries next.
  std::vector<std::vector<int>> edges_of_;
  std::vector<int> level_;
  std::vector<size_t> next_;
};

}  // namespace mace

#endif  // MACE_PLAN_MIN_CUT_MIN_CUT_H_
