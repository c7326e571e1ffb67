// objects/NAIVE, EQUALITY, GREEDY_IN_ORDER and GROW_IN_ORDER: one pass in order
// of execution.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

#include "mace/base/sort.h"
#include "mace/memory/objects/objects.h"

namespace mace::memory {
namespace {

// The objects in use, soonest free first: (last step, object id).
class InUse {
 public:
  void Push(int64_t last, int32_t object) { queue_.push({last, object}); }

  // Calls free(object) for each object whose last use is before `step`.
  template <typename F>
  void FreeBefore(int64_t step, const F& free) {
    while (!queue_.empty() && queue_.top().first < step) {
      free(queue_.top().second);
      queue_.pop();
    }
  }

 private:
  using Entry = std::pair<int64_t, int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue_;
};

int32_t NewObject(const Size& size, Plan* plan) {
  plan->object_sizes.push_back(size);
  return static_cast<int32_t>(plan->object_sizes.size()) - 1;
}

// Returns ids by first step, then by id, which is usually the order of the
// records.
std::vector<int32_t> ByFirstStep(const Problem& p) {
  std::vector<int32_t> order(p.records.size());
  std::iota(order.begin(), order.end(), 0);
  StableSort(&order, [&](int32_t a, int32_t b) {
    return p.records[a].first < p.records[b].first;
  });
  return order;
}

bool IsNd(const Problem& p) {
  return !p.records.empty() &&
         (p.records[0].size.rank == 2 || p.records[0].size.rank == 3);
}

bool MayFollow(const Options& options, int32_t before, int32_t after) {
  if (options.may_follow == nullptr) return true;
  if (before >= static_cast<int32_t>(options.may_follow->size())) return false;
  const std::vector<int32_t>& ids = (*options.may_follow)[before];
  return std::binary_search(ids.begin(), ids.end(), after);
}

// Returns the free object nearest to `size`, or the end of an empty pool.
using Pool = std::set<std::pair<int64_t, int32_t>>;  // (size, object id)
Pool::iterator NearestInSize(Pool* pool, int64_t size) {
  auto larger = pool->lower_bound({size, 0});
  if (larger == pool->begin()) return larger;
  const auto smaller = std::prev(larger);
  if (larger == pool->end() || size - smaller->first < larger->first - size) {
    return smaller;
  }
  return larger;
}

Plan InOrderBytes(const Problem& p, const Options& options) {
  Plan plan;
  plan.object_ids.assign(p.records.size(), kNone);
  Pool pool;
  InUse in_use;
  std::vector<int32_t> last_user;  // of each object
  for (int32_t id : ByFirstStep(p)) {
    const Record& r = p.records[id];
    const int64_t size = r.size.extent[0];
    in_use.FreeBefore(r.first, [&](int32_t o) {
      pool.insert({plan.object_sizes[o].extent[0], o});
    });
    auto it = pool.end();
    if (options.may_follow == nullptr) {
      it = NearestInSize(&pool, size);
    } else {
      for (auto at = pool.begin(); at != pool.end(); ++at) {
        if (MayFollow(options, last_user[at->second], id) &&
            (it == pool.end() ||
             std::abs(at->first - size) < std::abs(it->first - size))) {
          it = at;
        }
      }
    }
    int32_t object;
    if (it == pool.end()) {
      object = NewObject(r.size, &plan);
      last_user.push_back(id);
    } else {
      object = it->second;
      plan.object_sizes[object] = std::max(it->first, size);
      last_user[object] = id;
      pool.erase(it);
    }
    plan.object_ids[id] = object;
    in_use.Push(r.last, object);
  }
  return plan;
}

bool Covers(const Size& object, const Size& size) {
  for (int k = 0; k < size.rank; ++k) {
    if (object.extent[k] < size.extent[k]) return false;
  }
  return true;
}

// With `grow`, an object may grow to the size of a record that covers it.
Plan InOrderImages(const Problem& p, const Options& options, bool grow) {
  Plan plan;
  plan.object_ids.assign(p.records.size(), kNone);
  std::vector<int32_t> pool;  // in order of freeing
  InUse in_use;
  std::vector<int32_t> last_user;
  for (int32_t id : ByFirstStep(p)) {
    const Record& r = p.records[id];
    in_use.FreeBefore(r.first, [&](int32_t o) { pool.push_back(o); });
    const auto waste = [&](int32_t o) {
      return std::abs(plan.object_sizes[o].count() - r.size.count());
    };
    auto best = pool.end();
    for (auto at = pool.begin(); at != pool.end(); ++at) {
      if ((Covers(plan.object_sizes[*at], r.size) ||
           (grow && Covers(r.size, plan.object_sizes[*at]))) &&
          MayFollow(options, last_user[*at], id) &&
          (best == pool.end() || waste(*at) < waste(*best))) {
        best = at;
      }
    }
    int32_t object;
    if (best == pool.end()) {
      object = NewObject(r.size, &plan);
      last_user.push_back(id);
    } else {
      object = *best;
      last_user[object] = id;
      pool.erase(best);
      if (Covers(r.size, plan.object_sizes[object])) {
        plan.object_sizes[object] = r.size;
      }
    }
    plan.object_ids[id] = object;
    in_use.Push(r.last, object);
  }
  return plan;
}

}  // namespace

Result<Plan> ObjectsNaive(const Problem& p, const Options&) {
  Plan plan;
  for (const Record& r : p.records) {
    plan.object_ids.push_back(NewObject(r.size, &plan));
  }
  return plan;
}

Result<Plan> ObjectsEquality(const Problem& p, const Options&) {
  Plan plan;
  plan.object_ids.assign(p.records.size(), kNone);
  InUse in_use;
  const bool lowest_id = IsNd(p);
  std::map<std::array<int64_t, 4>, std::vector<int32_t>> free;
  for (int32_t id : ByFirstStep(p)) {
    const Record& r = p.records[id];
    in_use.FreeBefore(r.first, [&](int32_t o) {
      free[plan.object_sizes[o].extent].push_back(o);
    });
    std::vector<int32_t>& same = free[r.size.extent];
    int32_t object;
    if (same.empty()) {
      object = NewObject(r.size, &plan);
    } else {
      const auto it = lowest_id ? std::min_element(same.begin(), same.end())
                                : std::prev(same.end());
      object = *it;
      same.erase(it);
    }
    plan.object_ids[id] = object;
    in_use.Push(r.last, object);
  }
  return plan;
}

Result<Plan> ObjectsGreedyInOrder(const Problem& p, const Options& options) {
  return IsNd(p) ? InOrderImages(p, options, /*grow=*/false)
                 : InOrderBytes(p, options);
}

Result<Plan> ObjectsGrowInOrder(const Problem& p, const Options& options) {
  return InOrderImages(p, options, /*grow=*/true);
}

ObjectLayout ObjectsToOffsets(const std::vector<int32_t>& object_ids,
                              const std::vector<Size>& object_sizes) {
  std::vector<int64_t> starts;
  ObjectLayout layout;
  for (const Size& size : object_sizes) {
    starts.push_back(layout.total);
    layout.total += size.extent[0];
  }
  for (int32_t object : object_ids) {
    layout.offsets.push_back(object == kNone ? 0 : starts[object]);
  }
  return layout;
}

std::vector<std::vector<int32_t>> ReallocationGraph(
    const std::vector<std::vector<int32_t>>& dependants) {
  const size_t n = dependants.size();
  // later[i][j]: j is computed from i, directly or indirectly.
  std::vector<std::vector<bool>> later(n, std::vector<bool>(n, false));
  for (size_t i = 0; i < n; ++i) {
    std::vector<int32_t> stack = dependants[i];
    while (!stack.empty()) {
      const int32_t j = stack.back();
      stack.pop_back();
      if (later[i][j]) continue;
      later[i][j] = true;
      stack.insert(stack.end(), dependants[j].begin(), dependants[j].end());
    }
  }
  const auto dead_before = [&](size_t i, size_t j) {
    for (int32_t d : dependants[i]) {
      if (!later[d][j]) return false;
    }
    return !dependants[i].empty();
  };
  std::vector<std::vector<int32_t>> graph(n);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j) {
      if (dead_before(i, j) || dead_before(j, i)) {
        graph[i].push_back(static_cast<int32_t>(j));
      }
    }
  }
  return graph;
}

}  // namespace mace::memory
