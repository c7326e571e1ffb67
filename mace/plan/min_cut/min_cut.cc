// Computes a maximum flow by levels (Dinic's algorithm).
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/min_cut/min_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace mace {
namespace {

constexpr double kUnit = 1000;  // costs are rounded to thousandths
constexpr int64_t kMax = std::numeric_limits<int64_t>::max() / 4;

}  // namespace

int MinCut::AddVertex() {
  edges_of_.emplace_back();
  return static_cast<int>(edges_of_.size()) - 1;
}

void MinCut::AddEdge(int from, int to, double cost) {
  const int64_t left =
      cost >= 1e12 ? kMax : static_cast<int64_t>(std::llround(cost * kUnit));
  edges_of_[from].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({to, left});
  edges_of_[to].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({from, 0});
}

bool MinCut::FindLevels(int source, int sink) {
  level_.assign(edges_of_.size(), -1);
  level_[source] = 0;
  std::vector<int> queue = {source};
  for (size_t i = 0; i < queue.size(); ++i) {
    for (int e : edges_of_[queue[i]]) {
      const Edge& edge = edges_[e];
      if (edge.left == 0 || level_[edge.to] >= 0) continue;
      level_[edge.to] = level_[queue[i]] + 1;
      queue.push_back(edge.to);
    }
  }
  return level_[sink] >= 0;
}

// Sends flow along one path of rising levels. Returns 0 if there is none left.
// The path is in a vector instead of on the stack, because graphs may be deep.
int64_t MinCut::Augment(int source, int sink) {
  std::vector<int> path;
  int at = source;
  while (at != sink) {
    if (next_[at] == edges_of_[at].size()) {
      if (at == source) return 0;
      level_[at] = -1;  // a dead end
      at = edges_[path.back() ^ 1].to;
      path.pop_back();
      continue;
    }
    const int e = edges_of_[at][next_[at]];
    if (edges_[e].left > 0 && level_[edges_[e].to] == level_[at] + 1) {
      path.push_back(e);
      at = edges_[e].to;
    } else {
      ++next_[at];
    }
  }
  int64_t flow = kMax;
  for (int e : path) flow = std::min(flow, edges_[e].left);
  for (int e : path) {
    edges_[e].left -= flow;
    edges_[e ^ 1].left += flow;
  }
  return flow;
}

std::vector<bool> MinCut::SourceSide(int source, int sink) {
  while (FindLevels(source, sink)) {
    next_.assign(edges_of_.size(), 0);
    while (Augment(source, sink) > 0) {
    }
  }
  // The vertices that cannot reach the sink any more are the largest source
  // side.
  std::vector<bool> reaches(edges_of_.size(), false);
  reaches[sink] = true;
  std::vector<int> queue = {sink};
  for (size_t i = 0; i < queue.size(); ++i) {
    for (int e : edges_of_[queue[i]]) {
      const int from = edges_[e].to;  // e ^ 1 leads from there to here
      if (edges_[e ^ 1].left == 0 || reaches[from]) continue;
      reaches[from] = true;
      queue.push_back(from);
    }
  }
  reaches.flip();
  return reaches;
}

}  // namespace mace
