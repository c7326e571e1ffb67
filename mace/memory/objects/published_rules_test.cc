// The strategies of TensorFlow Lite's GPU delegate by their published rules.
// SPDX-License-Identifier: Apache-2.0
//
// Each strategy is played here as the rules state it, over all objects and all
// pairs of records, and compared on random records. The rules, with their
// tie-breaks, are those of tflite_gpu_cases.json, whose own cases
// conformance_gpu_test.cc checks.

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {
namespace {

constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

// In the order of execution, as the rules take them.
Problem RandomRecords(std::mt19937* rng, int n) {
  Problem p = RandomSmallProblem(rng, n);
  std::stable_sort(
      p.records.begin(), p.records.end(),
      [](const Record& a, const Record& b) { return a.first < b.first; });
  return p;
}

Problem RandomImages(std::mt19937* rng, int n, int rank) {
  Problem p = RandomRecords(rng, n);
  const auto pick = [&] {
    return std::uniform_int_distribution<int64_t>(1, 3)(*rng);
  };
  for (Record& r : p.records) {
    r.size = rank == 2   ? Size(pick(), pick())
             : rank == 3 ? Size(pick(), pick(), pick())
                         : Size(pick(), pick(), pick(), pick());
  }
  return p;
}

// Objects as they fill up.
struct Pool {
  const Problem& p;
  std::vector<std::vector<int32_t>> users = {};
  std::vector<Size> sizes = {};
  std::vector<int32_t> ids = std::vector<int32_t>(p.records.size(), kNone);

  bool IsFree(size_t object, int32_t id) const {
    return std::none_of(users[object].begin(), users[object].end(),
                        [&](int32_t user) {
                          return LiveTogether(p.records[user], p.records[id]);
                        });
  }
  // Of the last record: what it was freed after.
  int64_t LastStep(size_t object) const {
    return p.records[users[object].back()].last;
  }
  // The free objects, in the order in which they were freed.
  std::vector<size_t> FreeOnes(int32_t id) const {
    std::vector<size_t> free;
    for (size_t o = 0; o < users.size(); ++o) {
      if (LastStep(o) < p.records[id].first) free.push_back(o);
    }
    std::stable_sort(free.begin(), free.end(), [&](size_t a, size_t b) {
      return LastStep(a) < LastStep(b);
    });
    return free;
  }
  // `object` may be one past the last: a new one.
  void Give(int32_t id, size_t object) {
    const Size& size = p.records[id].size;
    if (object == users.size()) {
      users.emplace_back();
      sizes.push_back(size);
    }
    users[object].push_back(id);
    for (int k = 0; k < 4; ++k) {
      sizes[object].extent[k] =
          std::max(sizes[object].extent[k], size.extent[k]);
    }
    ids[id] = static_cast<int32_t>(object);
  }
};

void ExpectSame(const Pool& want, const Result<Plan>& plan) {
  ASSERT_TRUE(plan.ok()) << plan.status().information();
  ASSERT_EQ(plan->object_ids, want.ids);
  ASSERT_EQ(plan->object_sizes, want.sizes);
}

int64_t BytesOf(const Problem& p, int32_t id) {
  return p.records[id].size.extent[0];
}

TEST(PublishedRules, EqualityOfBytesTakesTheOneFreedLast) {
  std::mt19937 rng(1);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    // Also b, h, w, c, which follow the same rule.
    const Problem p =
        round % 2 == 0 ? RandomRecords(&rng, 16) : RandomImages(&rng, 16, 4);
    Pool pool{p};
    for (int32_t id = 0; id < static_cast<int32_t>(p.records.size()); ++id) {
      size_t best = pool.users.size();
      for (size_t o : pool.FreeOnes(id)) {
        if (pool.sizes[o] == p.records[id].size) best = o;
      }
      pool.Give(id, best);
    }
    ExpectSame(pool, ObjectsEquality(p, Options()));
    if (HasFatalFailure()) return;
  }
}

TEST(PublishedRules, EqualityOfImagesTakesTheLowestId) {
  std::mt19937 rng(2);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomImages(&rng, 16, 2 + round % 2);
    Pool pool{p};
    for (int32_t id = 0; id < static_cast<int32_t>(p.records.size()); ++id) {
      size_t best = pool.users.size();
      for (size_t o : pool.FreeOnes(id)) {
        if (pool.sizes[o] == p.records[id].size) best = std::min(best, o);
      }
      pool.Give(id, best);
    }
    ExpectSame(pool, ObjectsEquality(p, Options()));
    if (HasFatalFailure()) return;
  }
}

// May the object pass on, where steps run in parallel?
bool MayTake(const Pool& pool, const Options& options, size_t object,
             int32_t id) {
  if (options.may_follow == nullptr) return true;
  const auto last = static_cast<size_t>(pool.users[object].back());
  if (last >= options.may_follow->size()) return false;
  const std::vector<int32_t>& ids = (*options.may_follow)[last];
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Of some records, so that a list may end before the others.
std::vector<std::vector<int32_t>> RandomFollowers(std::mt19937* rng, size_t n) {
  std::vector<std::vector<int32_t>> may(n - std::min<size_t>(n, (*rng)() % 3));
  for (auto& ids : may) {
    for (size_t j = 0; j < n; ++j) {
      if ((*rng)() % 2 == 0) ids.push_back(static_cast<int32_t>(j));
    }
  }
  return may;
}

TEST(PublishedRules, GreedyInOrderOfBytes) {
  std::mt19937 rng(3);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, 16);
    const auto may_follow = RandomFollowers(&rng, p.records.size());
    Options options;
    if (round % 2 == 1) options.may_follow = &may_follow;
    Pool pool{p};
    for (int32_t id = 0; id < static_cast<int32_t>(p.records.size()); ++id) {
      const int64_t wanted = BytesOf(p, id);
      std::vector<size_t> free = pool.FreeOnes(id);
      std::sort(free.begin(), free.end(), [&](size_t a, size_t b) {
        return std::tuple(pool.sizes[a].extent[0], a) <
               std::tuple(pool.sizes[b].extent[0], b);
      });
      const size_t none = pool.users.size();
      size_t best = none;
      if (options.may_follow != nullptr) {
        for (size_t o : free) {
          if (!MayTake(pool, options, o, id)) continue;
          const int64_t off = std::abs(pool.sizes[o].extent[0] - wanted);
          if (best == none ||
              off < std::abs(pool.sizes[best].extent[0] - wanted)) {
            best = o;
          }
        }
      } else {
        // The first that is no smaller; the one before it if that falls short
        // by less than the other is too large.
        size_t k = 0;
        while (k < free.size() && pool.sizes[free[k]].extent[0] < wanted) ++k;
        if (k < free.size()) best = free[k];
        if (k > 0 &&
            (k == free.size() || wanted - pool.sizes[free[k - 1]].extent[0] <
                                     pool.sizes[free[k]].extent[0] - wanted)) {
          best = free[k - 1];
        }
      }
      pool.Give(id, best);
    }
    ExpectSame(pool, ObjectsGreedyInOrder(p, options));
    if (HasFatalFailure()) return;
  }
}

bool Covers(const Size& object, const Size& size) {
  return object.extent[0] >= size.extent[0] &&
         object.extent[1] >= size.extent[1] &&
         object.extent[2] >= size.extent[2];
}

// In order of freeing, the first of those that waste least.
TEST(PublishedRules, GreedyAndGrowInOrderOfImages) {
  std::mt19937 rng(4);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const bool grows = round % 2 == 0;
    const int rank = grows ? 1 + round / 2 % 3 : 2 + round / 2 % 2;
    const Problem p =
        rank == 1 ? RandomRecords(&rng, 16) : RandomImages(&rng, 16, rank);
    const auto may_follow = RandomFollowers(&rng, p.records.size());
    Options options;
    if (round % 3 == 0) options.may_follow = &may_follow;
    Pool pool{p};
    for (int32_t id = 0; id < static_cast<int32_t>(p.records.size()); ++id) {
      const Size& wanted = p.records[id].size;
      const size_t none = pool.users.size();
      size_t best = none;
      int64_t least = kForever;
      for (size_t o : pool.FreeOnes(id)) {
        if (!Covers(pool.sizes[o], wanted) &&
            !(grows && Covers(wanted, pool.sizes[o]))) {
          continue;
        }
        if (!MayTake(pool, options, o, id)) continue;
        const int64_t waste = std::abs(pool.sizes[o].count() - wanted.count());
        if (waste < least) {
          best = o;
          least = waste;
        }
      }
      pool.Give(id, best);
    }
    ExpectSame(pool, grows ? ObjectsGrowInOrder(p, options)
                           : ObjectsGreedyInOrder(p, options));
    if (HasFatalFailure()) return;
  }
}

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

TEST(PublishedRules, GreedyByBreadth) {
  std::mt19937 rng(5);
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, 16);
    ExpectSame(ByBreadth(p), ObjectsGreedyByBreadth(p, Options()));
    if (HasFatalFailure()) return;
  }
}

// Steps between a record and the nearest one of the object; kForever where one
// is in the way.
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

// False where two objects are as near: which of them was found first is not
// played here.
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

TEST(PublishedRules, GreedyBySize) {
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

TEST(PublishedRules, GreedyBestIsTheBetterOfTwo) {
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

// What chains cost: their first records, and what each later one is larger
// than the one before it.
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

TEST(PublishedRules, MinCostFlowChainsAtTheLeastCost) {
  std::mt19937 rng(8);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, 7);
    Pool pool{p};
    const Plan plan = *ObjectsMinCostFlow(p, Options());
    ASSERT_EQ(ChainCost(p, plan.object_ids), LeastChainCost(&pool, 0));
    // Numbered by their first record, and as large as their largest.
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

// Records that begin in another order than theirs are taken by their begin.
TEST(PublishedRules, RecordsAreTakenByTheirFirstStep) {
  std::mt19937 rng(9);
  for (int round = 0; round < 300; ++round) {
    const Problem p = RandomSmallProblem(&rng, 12);
    const Problem sorted = [&] {
      Problem s = p;
      std::stable_sort(
          s.records.begin(), s.records.end(),
          [](const Record& a, const Record& b) { return a.first < b.first; });
      return s;
    }();
    std::vector<int32_t> order(p.records.size());
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<int32_t>(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
      return p.records[a].first < p.records[b].first;
    });
    for (PlanFn* plan_with : {&ObjectsEquality, &ObjectsGreedyInOrder,
                              &ObjectsGrowInOrder, &ObjectsMinCostFlow}) {
      const Plan a = *plan_with(p, Options());
      const Plan b = *plan_with(sorted, Options());
      for (size_t i = 0; i < order.size(); ++i) {
        ASSERT_EQ(a.object_ids[order[i]], b.object_ids[i]) << round;
      }
    }
  }
}

TEST(PublishedRules, ObjectsLieOneAfterTheOther) {
  const ObjectLayout layout = ObjectsToOffsets({2, 0, kNone, 1, 0}, {8, 5, 3});
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{13, 0, 0, 8, 0}));
  EXPECT_EQ(layout.total, 16);
}

// All orders in which each record comes after those that it is computed from.
template <typename F>
void ForEachSchedule(const std::vector<std::vector<int32_t>>& dependants,
                     std::vector<int32_t>* done, const F& f) {
  const auto n = static_cast<int32_t>(dependants.size());
  if (static_cast<int32_t>(done->size()) == n) return f(*done);
  const auto is_done = [&](int32_t i) {
    return std::find(done->begin(), done->end(), i) != done->end();
  };
  for (int32_t next = 0; next < n; ++next) {
    bool ready = !is_done(next);
    for (int32_t i = 0; i < n && ready; ++i) {
      const auto& to = dependants[i];
      ready = is_done(i) || std::find(to.begin(), to.end(), next) == to.end();
    }
    if (!ready) continue;
    done->push_back(next);
    ForEachSchedule(dependants, done, f);
    done->pop_back();
  }
}

TEST(PublishedRules, ReallocationGraphAgainstEverySchedule) {
  std::mt19937 rng(10);
  int64_t pairs = 0;
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    const size_t n = 1 + rng() % 6;
    std::vector<std::vector<int32_t>> dependants(n);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = i + 1; j < n; ++j) {
        if (rng() % 2 == 0) dependants[i].push_back(static_cast<int32_t>(j));
      }
    }
    // dead_before[i][j]: on every schedule all that reads i comes before j.
    std::vector<std::vector<bool>> dead_before(n, std::vector<bool>(n, true));
    std::vector<int32_t> done;
    ForEachSchedule(dependants, &done, [&](const std::vector<int32_t>& order) {
      std::vector<size_t> at(n);
      for (size_t k = 0; k < n; ++k) at[order[k]] = k;
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          if (dependants[i].empty()) dead_before[i][j] = false;
          for (int32_t d : dependants[i]) {
            if (at[d] >= at[j]) dead_before[i][j] = false;
          }
        }
      }
    });
    const auto graph = ReallocationGraph(dependants);
    ASSERT_EQ(graph.size(), n);
    for (size_t i = 0; i < n; ++i) {
      std::vector<int32_t> want;
      for (size_t j = 0; j < n; ++j) {
        if (dead_before[i][j] || dead_before[j][i]) {
          want.push_back(static_cast<int32_t>(j));
        }
      }
      EXPECT_EQ(graph[i], want);
      pairs += static_cast<int64_t>(want.size());
    }
  }
  EXPECT_GT(pairs, 100);
}

// Layers of two that both read both of the layer before: 2^40 paths.
TEST(PublishedRules, ReallocationGraphWalksEachRecordOnce) {
  constexpr int32_t kLayers = 40;
  std::vector<std::vector<int32_t>> dependants(2 * kLayers);
  for (int32_t i = 0; i + 2 < 2 * kLayers; ++i) {
    const int32_t next = i / 2 * 2 + 2;
    dependants[i] = {next, next + 1};
  }
  const auto graph = ReallocationGraph(dependants);
  // Those of a layer with those two or more layers away.
  for (int32_t i = 0; i < 2 * kLayers; ++i) {
    std::vector<int32_t> want;
    for (int32_t j = 0; j < 2 * kLayers; ++j) {
      if (std::abs(i / 2 - j / 2) >= 2) want.push_back(j);
    }
    EXPECT_EQ(graph[i], want) << i;
  }
}

}  // namespace
}  // namespace mace::memory
