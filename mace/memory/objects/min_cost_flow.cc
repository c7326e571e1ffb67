// objects/MINCOSTFLOW: assigns sequences of records to objects by a minimum
// cost flow.
// SPDX-License-Identifier: Apache-2.0
//
//            .--- left 0      right 0 ---.      left i -> right j: the object
//            of
//   source --+--- left 1 ---> right 1 ---+-- sink   record i passes to j, which
//       |    '--- left 2 -->  right 2 ---'          costs what it has to grow
//       '------ cost size(j) -> right j             (source -> right j: a new
//                                                    object)

#include <algorithm>
#include <deque>
#include <limits>
#include <numeric>

#include "mace/base/sort.h"
#include "mace/memory/objects/objects.h"

namespace mace::memory {
namespace {

constexpr int64_t kMinCostFlowInfinity = std::numeric_limits<int64_t>::max();

struct Edge {
  int32_t to;
  int64_t cost;
  bool free;  // its single unit of capacity is unused
};

class Flow {
 public:
  explicit Flow(const Problem& p) : p_(p), n_(p.records.size()) {
    out_.resize(2 * n_ + 2);
    // The records that have ended, by last step, then by id.
    std::vector<int32_t> dead;
    std::vector<std::pair<int64_t, int32_t>> live;
    order_.resize(n_);
    std::iota(order_.begin(), order_.end(), 0);
    StableSort(&order_, [&](int32_t a, int32_t b) {
      return p.records[a].first < p.records[b].first;
    });
    for (int32_t j : order_) {
      StableSort(&live);
      const auto first_live = std::find_if(
          live.begin(), live.end(),
          [&](const auto& l) { return l.first >= p.records[j].first; });
      for (auto it = live.begin(); it != first_live; ++it) {
        dead.push_back(it->second);
      }
      live.erase(live.begin(), first_live);
      live.push_back({p.records[j].last, j});

      AddEdge(source(), j, 0);
      AddEdge(right(j), sink(), 0);
      AddEdge(source(), right(j), SizeOf(j));
      for (int32_t i : dead) {
        AddEdge(i, right(j), std::max<int64_t>(0, SizeOf(j) - SizeOf(i)));
      }
    }
  }

  // Augments along successive shortest paths.
  void Run() {
    while (FindPath()) {
      for (int32_t at = sink(); at != source();) {
        const int32_t e = last_edge_[at];
        edges_[e].free = false;
        edges_[e ^ 1].free = true;
        at = edges_[e ^ 1].to;
      }
    }
  }

  // The records by first step, so that the first user of an object comes first.
  const std::vector<int32_t>& order() const { return order_; }

  // Returns the record that takes over the object of record i, or kNone.
  int32_t NextUser(int32_t i) const {
    for (int32_t e : out_[i]) {
      if (e % 2 == 0 && !edges_[e].free) return edges_[e].to - n_;
    }
    return kNone;
  }

 private:
  int32_t right(int32_t j) const { return n_ + j; }
  int32_t source() const { return 2 * n_; }
  int32_t sink() const { return 2 * n_ + 1; }
  int64_t SizeOf(int32_t i) const { return p_.records[i].size.extent[0]; }

  // Adds an edge and, at the next index, which is odd, its reverse.
  void AddEdge(int32_t from, int32_t to, int64_t cost) {
    out_[from].push_back(static_cast<int32_t>(edges_.size()));
    edges_.push_back({to, cost, true});
    out_[to].push_back(static_cast<int32_t>(edges_.size()));
    edges_.push_back({from, -cost, false});
  }

  // Finds a shortest path, by Bellman-Ford with a queue.
  bool FindPath() {
    std::vector<int64_t> distance(out_.size(), kMinCostFlowInfinity);
    std::vector<bool> queued(out_.size(), false);
    last_edge_.assign(out_.size(), kNone);
    std::deque<int32_t> queue = {source()};
    distance[source()] = 0;
    while (!queue.empty()) {
      const int32_t at = queue.front();
      queue.pop_front();
      queued[at] = false;
      for (int32_t e : out_[at]) {
        const Edge& edge = edges_[e];
        if (!edge.free || distance[at] + edge.cost >= distance[edge.to]) {
          continue;
        }
        distance[edge.to] = distance[at] + edge.cost;
        last_edge_[edge.to] = e;
        if (!queued[edge.to]) {
          queued[edge.to] = true;
          queue.push_back(edge.to);
        }
      }
    }
    return distance[sink()] != kMinCostFlowInfinity;
  }

  const Problem& p_;
  const int32_t n_;
  std::vector<int32_t> order_;
  std::vector<Edge> edges_;
  std::vector<std::vector<int32_t>> out_;  // edges from each vertex
  std::vector<int32_t> last_edge_;  // last edge of the path to each vertex
};

}  // namespace

Result<Plan> ObjectsMinCostFlow(const Problem& p, const Options&) {
  if (p.records.size() > kMaxObjectRecords) {
    return InvalidArgument(
        "MINCOSTFLOW takes ", kMaxObjectRecords, " tensors, this plan has ",
        p.records.size(), "; another strategy, such as AUTO, takes any number");
  }
  Flow flow(p);
  flow.Run();
  Plan plan;
  plan.object_ids.assign(p.records.size(), kNone);
  for (int32_t i : flow.order()) {
    if (plan.object_ids[i] != kNone) continue;
    const auto object = static_cast<int32_t>(plan.object_sizes.size());
    plan.object_sizes.push_back(0);
    int64_t& bytes = plan.object_sizes.back().extent[0];
    for (int32_t j = i; j != kNone; j = flow.NextUser(j)) {
      plan.object_ids[j] = object;
      bytes = std::max(bytes, p.records[j].size.extent[0]);
    }
  }
  return plan;
}

}  // namespace mace::memory
