// Compares greedy strategies and the minimum-cost flow with their published
// rules.
// SPDX-License-Identifier: Apache-2.0
//
// Here, each strategy is computed as the rules state it, over all objects and
// all pairs of records, and compared on random records. The rules, with their
// tie-breaks, are those of tflite_gpu_cases.json, whose own cases
// conformance_gpu_test.cc checks.

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/testing/object_pool.h"

namespace mace::memory {
namespace {

Pool ByBreadth(const Problem& p) {
  Pool pool{p};
  std::vector<std::tuple<int64_t, int64_t>> tasks;
  for (int64_t step = 0; step < 20; ++step) {
    int64_t breadth = 0;
    for (const Record& r : p.records) {
      if (r.first <= step && step <= r.last) breadth += r.size.extent[0];
    }
    tasks.push_back({-breadth, step});
  }
  std::sort(tasks.begin(), tasks.end());
  for (const auto& [breadth, step] : tasks) {
    std::vector<int32_t> live;
    for (int32_t id = 0; id < static_cast<int32_t>(p.records.size()); ++id) {
      const Record& r = p.records[id];
      if (r.first <= step && step <= r.last) live.push_back(id);
    }
    std::stable_sort(live.begin(), live.end(), [&](int32_t a, int32_t b) {
      return BytesOf(p, a) > BytesOf(p, b);
    });
    for (int32_t id : live) {
      if (pool.ids[id] != kNone) continue;
      const size_t none = pool.users.size();
      size_t smallest = none, largest = none;
      for (size_t o = 0; o < none; ++o) {
        if (!pool.IsFree(o, id)) continue;
        const int64_t bytes = pool.sizes[o].extent[0];
        if (bytes >= BytesOf(p, id) &&
            (smallest == none || bytes < pool.sizes[smallest].extent[0])) {
          smallest = o;
        }
        if (largest == none || bytes > pool.sizes[largest].extent[0]) {
          largest = o;
        }
      }
      pool.Give(id, smallest != none ? smallest : largest);
    }
  }
  return pool;
}

TEST(GreedyRules, GreedyByBreadth) {
  std::mt19937 rng(5);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, 16);
    ExpectSame(ByBreadth(p), ObjectsGreedyByBreadth(p, Options()));
    if (HasFatalFailure()) return;
  }
}

// Returns the steps between a record and the nearest one of the object;
// kForever if they live together.
int64_t DistanceTo(const Pool& pool, size_t object, int32_t id) {
  int64_t least = kForever;
  const Record& r = pool.p.records[id];
  for (int32_t user : pool.users[object]) {
    const Record& u = pool.p.records[user];
    if (LiveTogether(r, u)) return kForever;
    least =
        std::min(least, u.last < r.first ? r.first - u.last : u.first - r.last);
  }
  return least;
}

// Returns false if two objects are equally near: the order in which they were
// found is not computed here.
bool BySize(Pool* pool) {
  const Problem& p = pool->p;
  const std::vector<int64_t> maxima = PositionalMaxima(p);
  const auto position_of = [&](int32_t id) {
    int64_t position = -1;
    for (size_t k = 0; k < maxima.size(); ++k) {
      if (maxima[k] >= BytesOf(p, id)) position = static_cast<int64_t>(k);
    }
    return position;
  };
  const auto n = static_cast<int32_t>(p.records.size());
  for (int32_t done = 0; done < n; ++done) {
    std::tuple<int64_t, int64_t, int64_t, int32_t> next = {kForever, 0, 0, 0};
    size_t object_of_next = 0;
    bool ties_of_next = false;
    for (int32_t id = 0; id < n; ++id) {
      if (pool->ids[id] != kNone) continue;
      int64_t nearest = kForever;
      size_t object = pool->users.size();
      bool ties = false;
      for (size_t o = 0; o < pool->users.size(); ++o) {
        const int64_t distance = DistanceTo(*pool, o, id);
        if (distance == kForever) continue;
        ties = distance == nearest || (ties && distance > nearest);
        if (distance < nearest) {
          nearest = distance;
          object = o;
        }
      }
      const auto key =
          std::tuple(position_of(id), nearest, -BytesOf(p, id), id);
      if (key < next) {
        next = key;
        object_of_next = object;
        ties_of_next = ties;
      }
    }
    if (ties_of_next) return false;
    pool->Give(std::get<3>(next), object_of_next);
  }
  return true;
}

// Records over many steps, so that few distances are equal.
Problem RandomLongRecords(std::mt19937* rng) {
  Problem p = RandomSmallProblem(rng, 14);
  for (Record& r : p.records) {
    r.first = (*rng)() % 500;
    r.last = r.first + (*rng)() % 150;
  }
  std::sort(p.records.begin(), p.records.end(),
            [](const Record& a, const Record& b) { return a.first < b.first; });
  return p;
}

TEST(GreedyRules, GreedyBySize) {
  std::mt19937 rng(6);
  int compared = 0, records = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomLongRecords(&rng);
    Pool pool{p};
    if (!BySize(&pool)) continue;
    ++compared;
    records += static_cast<int>(p.records.size());
    ExpectSame(pool, ObjectsGreedyBySize(p, Options()));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(compared, 2500);
  EXPECT_GT(records, 5 * compared);
}

int64_t TotalOf(const Plan& plan) {
  int64_t total = 0;
  for (const Size& size : plan.object_sizes) total += size.extent[0];
  return total;
}

TEST(GreedyRules, GreedyBestIsTheBetterOfTwo) {
  std::mt19937 rng(7);
  int by_size = 0, by_breadth = 0, different = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, 16);
    const Plan size = *ObjectsGreedyBySize(p, Options());
    const Plan breadth = *ObjectsGreedyByBreadth(p, Options());
    const Plan best = *ObjectsGreedyBest(p, Options());
    by_size += TotalOf(size) < TotalOf(breadth);
    by_breadth += TotalOf(breadth) < TotalOf(size);
    different += TotalOf(breadth) == TotalOf(size) &&
                 size.object_ids != breadth.object_ids;
    const Plan& want = TotalOf(breadth) < TotalOf(size) ? breadth : size;
    ASSERT_EQ(best.object_ids, want.object_ids);
  }
  EXPECT_GT(by_size, 30);
  EXPECT_GT(by_breadth, 30);
  EXPECT_GT(different, 100);
}

// Returns the bytes of the objects: the sizes of their first records, and by
// how much each later record is larger than the one before.
int64_t ChainCost(const Problem& p, const std::vector<int32_t>& ids) {
  int64_t cost = 0;
  std::vector<int64_t> before(ids.size(), 0);
  for (size_t i = 0; i < ids.size(); ++i) {
    const int64_t bytes = p.records[i].size.extent[0];
    cost += std::max<int64_t>(0, bytes - before[ids[i]]);
    before[ids[i]] = bytes;
  }
  return cost;
}

int64_t LeastChainCost(Pool* pool, int32_t id) {
  if (id == static_cast<int32_t>(pool->ids.size())) {
    return ChainCost(pool->p, pool->ids);
  }
  int64_t least = kForever;
  for (size_t o = 0; o <= pool->users.size(); ++o) {
    if (o < pool->users.size() && !pool->IsFree(o, id)) continue;
    Pool with = *pool;
    with.Give(id, o);
    least = std::min(least, LeastChainCost(&with, id + 1));
  }
  return least;
}

TEST(GreedyRules, MinCostFlowRefusesManyRecords) {
  Problem p;
  p.records.resize(2049);
  const auto plan = ObjectsMinCostFlow(p, Options());
  EXPECT_EQ(plan.status().code(), MaceStatus::MACE_INVALID_ARGS);
}

TEST(GreedyRules, MinCostFlowChainsAtTheLeastCost) {
  std::mt19937 rng(8);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, 7);
    Pool pool{p};
    const Plan plan = *ObjectsMinCostFlow(p, Options());
    ASSERT_EQ(ChainCost(p, plan.object_ids), LeastChainCost(&pool, 0));
    // Objects are numbered by their first record, and are as large as their
    // largest.
    Pool again{p};
    for (size_t i = 0; i < plan.object_ids.size(); ++i) {
      ASSERT_LE(static_cast<size_t>(plan.object_ids[i]), again.users.size());
      ASSERT_TRUE(static_cast<size_t>(plan.object_ids[i]) ==
                      again.users.size() ||
                  again.IsFree(plan.object_ids[i], static_cast<int32_t>(i)));
      again.Give(static_cast<int32_t>(i), plan.object_ids[i]);
    }
    ASSERT_EQ(plan.object_sizes, again.sizes);
  }
}

}  // namespace
}  // namespace mace::memory
