// Placing very many records.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/placer.h"

#include <random>

#include "gtest/gtest.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {
namespace {

// Compares with looking at all records.
TEST(LiveTogetherIndexTest, FindsWhatLivesAtSomeStep) {
  std::mt19937 rng(1);
  for (int round = 0; round < 300; ++round) {
    const Problem p = RandomSmallProblem(&rng, 12);
    const LiveTogetherIndex index(p);
    int64_t pairs = 0;
    for (const Record& r : p.records) {
      std::vector<bool> found(p.records.size());
      index.ForEach(r.first, r.last, [&](int32_t id) { found[id] = true; });
      for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i], LiveTogether(p.records[i], r));
        pairs += found[i];
      }
    }
    EXPECT_EQ(index.CountPairs(), pairs);
  }
  LiveTogetherIndex(Problem()).ForEach(0, 9, [](int32_t) { ADD_FAILURE(); });
}

// More pairs than are looked at: two generations, of which the second takes the
// place of the first.
TEST(PlacerTest, OfVeryManyRecordsPiecesAreReused) {
  constexpr int kLive = 9000;
  Problem p;
  p.records.resize(2 * kLive);
  for (int i = 0; i < 2 * kLive; ++i) {
    Record& r = p.records[i];
    r.size = i % 7 + 1;
    r.first = i < kLive ? 0 : 2;
    r.last = r.first + 1;
    r.alignment = 8;
  }
  p.records[5].fixed_offset = 8 * kLive;
  const Relations relations(p);
  Placer placer(p, relations);
  placer.PlaceAll(BySize(p), Fit::kBest);
  EXPECT_TRUE(VerifyOffsets(p, placer.offsets(), placer.total()).ok());
  EXPECT_LE(placer.total(), 8 * kLive + 8 * (kLive + 16));
}

}  // namespace
}  // namespace mace::memory
