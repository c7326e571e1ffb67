// Compares objects/OPTIMAL with every partition of small problems.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <random>

#include "gtest/gtest.h"
#include "mace/memory/planners.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {
namespace {

// Tries every assignment of records `next` and later.
int64_t LeastObjects(const Problem& p, size_t next,
                     std::vector<std::vector<size_t>>* objects) {
  if (next == p.records.size()) {
    int64_t total = 0;
    for (const std::vector<size_t>& users : *objects) {
      Size cover = p.records[users[0]].size;
      for (size_t user : users) {
        for (int k = 0; k < 4; ++k) {
          cover.extent[k] =
              std::max(cover.extent[k], p.records[user].size.extent[k]);
        }
      }
      for (int k = 0; k < 2 && cover.rank == 2; ++k) {
        if (cover.extent[k] > p.max_extents[k]) return INT64_MAX;
      }
      total += Bytes(p, cover);
    }
    return total;
  }
  int64_t least = INT64_MAX;
  for (size_t o = 0; o < objects->size(); ++o) {
    const bool free = std::none_of(
        (*objects)[o].begin(), (*objects)[o].end(), [&](size_t user) {
          return LiveTogether(p.records[user], p.records[next]);
        });
    if (!free) continue;
    (*objects)[o].push_back(next);
    least = std::min(least, LeastObjects(p, next + 1, objects));
    (*objects)[o].pop_back();
  }
  objects->push_back({next});
  least = std::min(least, LeastObjects(p, next + 1, objects));
  objects->pop_back();
  return least;
}

void CheckAgainstAllPartitions(const Problem& p, int round) {
  std::vector<std::vector<size_t>> objects;
  const int64_t least = LeastObjects(p, 0, &objects);
  const Result<Plan> plan = Solve(p, "objects/OPTIMAL");
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(Validate(p, *plan).ok()) << Validate(p, *plan).information();
  EXPECT_EQ(plan->certificate.total, least) << "round " << round;
  EXPECT_EQ(plan->certificate.status, Certificate::kOptimal) << round;
  for (const Planner& planner : Planners()) {
    if (planner.name[1] != 'b') continue;  // "objects/"
    const Result<Plan> other = Solve(p, planner.name);
    if (other.ok()) {
      EXPECT_GE(other->certificate.total, least) << planner.name;
      EXPECT_LE(other->certificate.lower_bound, least) << planner.name;
    }
  }
}

TEST(ObjectsOptimalTest, BytesAgreeWithEveryPartition) {
  std::mt19937 rng(11);
  for (int round = 0; round < 3000; ++round) {
    CheckAgainstAllPartitions(RandomSmallProblem(&rng, 8), round);
  }
}

TEST(ObjectsOptimalTest, ImagesAgreeWithEveryPartition) {
  std::mt19937 rng(12);
  for (int round = 0; round < 3000; ++round) {
    Problem p = RandomSmallProblem(&rng, 7);
    p.element_bytes = 4;
    p.row_pitch = round % 2 == 0 ? 1 : 3;
    p.max_extents = {9, 10, 1};
    for (Record& r : p.records) {
      r.size = Size(std::uniform_int_distribution<int64_t>(1, 9)(rng),
                    std::uniform_int_distribution<int64_t>(1, 9)(rng));
    }
    CheckAgainstAllPartitions(p, round);
  }
}

}  // namespace
}  // namespace mace::memory
