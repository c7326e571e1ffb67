// Compares bounds and relations with their definitions on small random
// problems.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/bounds.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/problem/relations.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {
namespace {

Record Rec(int64_t size, int64_t first, int64_t last) {
  Record r;
  r.size = size;
  r.first = first;
  r.last = last;
  return r;
}

std::vector<int32_t> LiveAt(const Problem& p, int64_t step) {
  std::vector<int32_t> live;
  for (size_t i = 0; i < p.records.size(); ++i) {
    if (p.records[i].first <= step && p.records[i].last >= step) {
      live.push_back(static_cast<int32_t>(i));
    }
  }
  std::stable_sort(live.begin(), live.end(), [&](int32_t a, int32_t b) {
    return Bytes(p, p.records[a].size) > Bytes(p, p.records[b].size);
  });
  return live;
}

TEST(Bounds, ProfilesAndPositionalMaxima) {
  std::mt19937 rng(1);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    Problem p = RandomSmallProblem(&rng, 12);
    std::vector<int64_t> steps;
    for (const Record& r : p.records) steps.push_back(r.first);
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    const std::vector<Profile> profiles = Profiles(p);
    ASSERT_EQ(profiles.size(), steps.size());
    std::vector<int64_t> maxima;
    for (size_t i = 0; i < steps.size(); ++i) {
      EXPECT_EQ(profiles[i].step, steps[i]);
      const std::vector<int32_t> live = LiveAt(p, steps[i]);
      EXPECT_EQ(profiles[i].records, live);
      maxima.resize(std::max(maxima.size(), live.size()));
      for (size_t k = 0; k < live.size(); ++k) {
        maxima[k] = std::max(maxima[k], Bytes(p, p.records[live[k]].size));
      }
    }
    EXPECT_EQ(PositionalMaxima(p), maxima);
    int64_t sum = 0;
    for (int64_t bytes : maxima) sum += bytes;
    EXPECT_EQ(ObjectsLowerBound(p), sum);
  }
}

TEST(Bounds, TheLargestSumOfAnyStep) {
  std::mt19937 rng(2);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE(round);
    Problem p = RandomSmallProblem(&rng, 12);
    for (Record& r : p.records) r.alignment = 1;
    int64_t most = 0, at = 0;
    for (int64_t step = 0; step < 15; ++step) {
      int64_t sum = 0;
      for (int32_t id : LiveAt(p, step)) {
        sum += p.records[id].size.extent[0];
      }
      if (sum > most) at = step;
      most = std::max(most, sum);
    }
    EXPECT_EQ(OffsetsLowerBound(p).bytes, most);
    EXPECT_EQ(OffsetsLowerBound(p).step, at);
  }
}

TEST(Bounds, AlignmentCountsForAllButOneRecord) {
  Problem p;
  p.records = {Rec(10, 0, 1), Rec(5, 0, 1), Rec(16, 0, 1)};
  for (Record& r : p.records) r.alignment = 8;
  // 16 + 8 + 16, less the 6 bytes after the topmost record, which has 10.
  EXPECT_EQ(OffsetsLowerBound(p).bytes, 34);
  p.records[1].alignment = 4;  // all use the least alignment
  EXPECT_EQ(OffsetsLowerBound(p).bytes, 12 + 8 + 16 - 3);
}

TEST(Bounds, FixedRecordsCountForWhereTheyEnd) {
  Problem p;
  p.records = {Rec(10, 0, 1), Rec(5, 3, 4)};
  p.records[1].fixed_offset = 6;
  EXPECT_EQ(OffsetsLowerBound(p).bytes, 11);
  EXPECT_EQ(OffsetsLowerBound(p).step, 3);
  p.records[1].fixed_offset = 5;
  EXPECT_EQ(OffsetsLowerBound(p).bytes, 10);
  EXPECT_EQ(OffsetsLowerBound(p).step, 0);
  p.records[1].first = 1;
  p.records[1].fixed_offset = 0;
  EXPECT_EQ(OffsetsLowerBound(p).bytes, 15);
  // It still must not overlap records that are not fixed.
  p.fixed_may_overlap = true;
  EXPECT_EQ(OffsetsLowerBound(p).bytes, 10);
}

// Two or three records of few bytes with declared overlaps.
Problem RandomOverlaps(std::mt19937* rng, int n) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*rng);
  };
  Problem p;
  for (int i = 0; i < n; ++i) p.records.push_back(Rec(pick(1, 5), 0, 0));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i == j || pick(0, 2) > 0) continue;
      p.records[i].overlaps.push_back(
          {j, pick(0, 3) == 0 ? Overlap::kAnyDistance : pick(-6, 6)});
    }
  }
  return p;
}

// Calls f(offsets) for all plans of up to `most` bytes.
template <typename F>
void ForEachPlan(const Problem& p, int64_t most, const F& f) {
  std::vector<int64_t> offsets(p.records.size());
  const auto place = [&](const auto& self, size_t i) -> void {
    if (i == offsets.size()) {
      if (VerifyOffsets(p, offsets, most).ok()) f(offsets);
      return;
    }
    for (int64_t at = 0; at + p.records[i].size.extent[0] <= most; ++at) {
      offsets[i] = at;
      self(self, i + 1);
    }
  };
  place(place, 0);
}

TEST(Bounds, OverlapsSaveNoMoreThanAllowed) {
  std::mt19937 rng(3);
  int shared = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomOverlaps(&rng, 2 + round % 2);
    int64_t sum = 0;
    for (const Record& r : p.records) sum += r.size.extent[0];
    int64_t least = sum;
    ForEachPlan(p, sum, [&](const std::vector<int64_t>& offsets) {
      int64_t begin = sum, end = 0;
      for (size_t i = 0; i < offsets.size(); ++i) {
        begin = std::min(begin, offsets[i]);
        end = std::max(end, offsets[i] + p.records[i].size.extent[0]);
      }
      least = std::min(least, end - begin);
    });
    const int64_t bound = OffsetsLowerBound(p).bytes;
    EXPECT_LE(bound, least);
    EXPECT_TRUE(p.records.size() > 2 || bound == least);
    shared += least < sum;
  }
  EXPECT_GT(shared, 200);
}

TEST(Relations, TheGapIsWhereTheValidatorSeesACollision) {
  std::mt19937 rng(4);
  for (int round = 0; round < 1000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomOverlaps(&rng, 3);
    const Relations relations(p);
    bool any = false;
    for (const Record& r : p.records) any |= !r.overlaps.empty();
    EXPECT_EQ(relations.any(), any);
    for (int32_t a = 0; a < 3; ++a) {
      std::vector<int32_t> links;
      relations.ForEachLink(a, [&](int32_t b) { links.push_back(b); });
      EXPECT_EQ(relations.any(a), !links.empty());
      for (int32_t b = 0; b < 3; ++b) {
        if (a == b) continue;
        const int64_t sa = p.records[a].size.extent[0];
        const int64_t sb = p.records[b].size.extent[0];
        const Relations::Gap gap = relations.Between(a, b);
        int64_t most = 0;
        bool declared = false;
        for (int64_t d = -20; d <= 20; ++d) {
          const bool apart = d >= sa || -d >= sb;
          const bool allowed = apart || MayOverlap(p, a, b, d);
          EXPECT_EQ(gap.low < d && d < gap.high, !allowed) << d;
          const int64_t common = std::min(sa, d + sb) - std::max<int64_t>(d, 0);
          if (allowed) most = std::max(most, common);
        }
        for (const Overlap& o : p.records[a].overlaps) declared |= o.other == b;
        for (const Overlap& o : p.records[b].overlaps) declared |= o.other == a;
        EXPECT_EQ(std::count(links.begin(), links.end(), b) > 0, declared);
        EXPECT_EQ(relations.MostShared(a, b), most);
      }
    }
  }
}

}  // namespace
}  // namespace mace::memory
