// Shared objects that records fill, for computing strategies by their rules.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_MEMORY_TESTING_OBJECT_POOL_H_
#define MACE_MEMORY_TESTING_OBJECT_POOL_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/problem/problem.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {

inline constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

// Returns the records in order of execution, in which the rules take them.
inline Problem RandomRecords(std::mt19937* rng, int n) {
  Problem p = RandomSmallProblem(rng, n);
  std::stable_sort(
      p.records.begin(), p.records.end(),
      [](const Record& a, const Record& b) { return a.first < b.first; });
  return p;
}

// The same with sizes of 1 to 3 in each of `rank` dimensions.
inline Problem RandomImages(std::mt19937* rng, int n, int rank) {
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

// The objects, and the records that use them.
struct Pool {
  const Problem& p;
  std::vector<std::vector<int32_t>> users = {};
  std::vector<Size> sizes = {};
  std::vector<int32_t> ids = std::vector<int32_t>(p.records.size(), kNone);

  // Returns whether no user of the object lives together with record `id`.
  bool IsFree(size_t object, int32_t id) const {
    return std::none_of(users[object].begin(), users[object].end(),
                        [&](int32_t user) {
                          return LiveTogether(p.records[user], p.records[id]);
                        });
  }
  // Returns the last step of the object's last user, after which it is free.
  int64_t LastStep(size_t object) const {
    return p.records[users[object].back()].last;
  }
  // Returns the objects that are free for record `id`, in the order in which
  // they were freed.
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
  // `object` may be one past the last, for a new object.
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

// Expects the same object for every record, and the same sizes of the objects.
inline void ExpectSame(const Pool& want, const Result<Plan>& plan) {
  ASSERT_TRUE(plan.ok()) << plan.status().information();
  ASSERT_EQ(plan->object_ids, want.ids);
  ASSERT_EQ(plan->object_sizes, want.sizes);
}

inline int64_t BytesOf(const Problem& p, int32_t id) {
  return p.records[id].size.extent[0];
}

}  // namespace mace::memory

#endif  // MACE_MEMORY_TESTING_OBJECT_POOL_H_
