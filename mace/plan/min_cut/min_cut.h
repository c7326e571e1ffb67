// MinCut: finds a cheapest cut between two vertices of a graph.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MIN_CUT_MIN_CUT_H_
#define MACE_PLAN_MIN_CUT_MIN_CUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mace {

// Dinic, "Algorithm for solution of a problem of maximum flow in networks with
// power estimation" (1970); the maximum flow gives the cut.
class MinCut {
 public:
  static constexpr double kInfinite = 1e18;

  explicit MinCut(int num_vertices) : edges_of_(num_vertices) {}

  int AddVertex();
  // Adds an edge that costs `cost` if `from` is on the source's side and `to`
  // is not.
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
  bool FindLevels(int source, int sink);
  int64_t Augment(int source, int sink);

  std::vector<Edge> edges_;  // an edge and its reverse are neighbours
  std::vector<std::vector<int>> edges_of_;
  std::vector<int> level_;
  std::vector<size_t> next_;
};

}  // namespace mace

#endif  // MACE_PLAN_MIN_CUT_MIN_CUT_H_
