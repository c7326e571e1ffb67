// Compares the strategies in order of execution with their published rules.
// SPDX-License-Identifier: Apache-2.0
//
// Here, each strategy is computed as the rules state it, over all objects and
// all pairs of records, and compared on random records. The rules, with their
// tie-breaks, are those of tflite_gpu_cases.json, whose own cases
// conformance_gpu_test.cc checks.

#include <algorithm>
#include <cstdlib>
#include <random>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/testing/object_pool.h"

namespace mace::memory {
namespace {

TEST(InOrderRules, EqualityOfBytesTakesTheOneFreedLast) {
  std::mt19937 rng(1);
  for (int round = 0; round < 1500; ++round) {
    SCOPED_TRACE(round);
    // b, h, w, c sizes follow the same rule.
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

TEST(InOrderRules, EqualityOfImagesTakesTheLowestId) {
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

// Returns whether the object may pass on if steps run in parallel.
bool MayTake(const Pool& pool, const Options& options, size_t object,
             int32_t id) {
  if (options.may_follow == nullptr) return true;
  const auto last = static_cast<size_t>(pool.users[object].back());
  if (last >= options.may_follow->size()) return false;
  const std::vector<int32_t>& ids = (*options.may_follow)[last];
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// For some records only, so that the list may be shorter than the records.
std::vector<std::vector<int32_t>> RandomFollowers(std::mt19937* rng, size_t n) {
  std::vector<std::vector<int32_t>> may(n - std::min<size_t>(n, (*rng)() % 3));
  for (auto& ids : may) {
    for (size_t j = 0; j < n; ++j) {
      if ((*rng)() % 2 == 0) ids.push_back(static_cast<int32_t>(j));
    }
  }
  return may;
}

TEST(InOrderRules, GreedyInOrderOfBytes) {
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
        // Takes the first that is not smaller; or the one before it, if that is
        // nearer in size.
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

// Takes the first, in order of freeing, of those that waste least.
TEST(InOrderRules, GreedyAndGrowInOrderOfImages) {
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

// Records are taken by their first step, whatever their order.
TEST(InOrderRules, RecordsAreTakenByTheirFirstStep) {
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

TEST(InOrderRules, ObjectsLieOneAfterTheOther) {
  const ObjectLayout layout = ObjectsToOffsets({2, 0, kNone, 1, 0}, {8, 5, 3});
  EXPECT_EQ(layout.offsets, (std::vector<int64_t>{13, 0, 0, 8, 0}));
  EXPECT_EQ(layout.total, 16);
}

// Calls f for all orders in which each record comes after those from which it
// is computed.
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

TEST(InOrderRules, ReallocationGraphAgainstEverySchedule) {
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
    // dead_before[i][j]: in every schedule, everything that reads i comes
    // before j.
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

// Layers of two records that both read both of the previous layer: 2^40 paths.
TEST(InOrderRules, ReallocationGraphWalksEachRecordOnce) {
  constexpr int32_t kLayers = 40;
  std::vector<std::vector<int32_t>> dependants(2 * kLayers);
  for (int32_t i = 0; i + 2 < 2 * kLayers; ++i) {
    const int32_t next = i / 2 * 2 + 2;
    dependants[i] = {next, next + 1};
  }
  const auto graph = ReallocationGraph(dependants);
  // Records may share with those two or more layers away.
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
