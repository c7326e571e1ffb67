// Compares the greedy planners with the published rules of TensorFlow Lite and
// TensorFlow Lite Micro, computed on a map of the arena's bytes.
// SPDX-License-Identifier: Apache-2.0
//
// The rules, with their tie-breaks, are those of tflite_gpu_cases.json,
// tflm_cases.json, arena_cases.json and arena_sequential_cases.json, whose own
// cases the conformance tests check.

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/offsets/arena_layout.h"
#include "mace/memory/offsets/arena_sequential.h"
#include "mace/memory/offsets/greedy.h"
#include "mace/memory/offsets/placer.h"
#include "mace/memory/offsets/sequential_layout.h"
#include "mace/memory/problem/validate.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {
namespace {

constexpr size_t kMaxBytes = 1024;

// A range of bytes that no conflicting record occupies; the last one has no
// end.
struct Gap {
  int64_t begin, end;
};

std::vector<Gap> GapsOf(const std::vector<bool>& taken) {
  std::vector<Gap> gaps;
  int64_t top = 0;
  for (size_t at = 0; at < taken.size(); ++at) {
    if (taken[at]) top = static_cast<int64_t>(at) + 1;
  }
  for (int64_t at = 0; at < top; ++at) {
    if (taken[at]) continue;
    if (gaps.empty() || gaps.back().end != at) gaps.push_back({at, at});
    gaps.back().end = at + 1;
  }
  gaps.push_back({top, INT64_MAX});
  return gaps;
}

// Returns the gaps for record `id` between the placed records.
std::vector<Gap> GapsFor(const Problem& p, const std::vector<int64_t>& offsets,
                         size_t id) {
  std::vector<bool> taken(kMaxBytes);
  for (size_t k = 0; k < p.records.size(); ++k) {
    if (offsets[k] == kNoOffset || !LiveTogether(p.records[k], p.records[id])) {
      continue;
    }
    for (int64_t b = 0; b < p.records[k].size.extent[0]; ++b) {
      taken[offsets[k] + b] = true;
    }
  }
  return GapsOf(taken);
}

bool Fits(const Gap& gap, const Record& r) {
  return AlignUp(gap.begin, r.alignment) + r.size.extent[0] <= gap.end;
}

// Returns the offset in the first gap that fits and is better than all before
// it.
template <typename IsBetter>
int64_t PlaceIn(const std::vector<Gap>& gaps, const Record& r,
                const IsBetter& is_better) {
  const Gap* best = nullptr;
  for (const Gap& gap : gaps) {
    if (Fits(gap, r) && (best == nullptr || is_better(gap, *best))) best = &gap;
  }
  return AlignUp(best->begin, r.alignment);
}

enum class Rule { kFirst, kSmallestFromAligned, kSmallest, kArena };

int64_t PlaceBy(Rule rule, const std::vector<Gap>& gaps, const Record& r) {
  const auto room = [&](const Gap& gap) {
    return gap.end - AlignUp(gap.begin, r.alignment);
  };
  return PlaceIn(gaps, r, [&](const Gap& gap, const Gap& best) {
    switch (rule) {
      case Rule::kFirst:
        return false;
      case Rule::kSmallestFromAligned:
        return room(gap) < room(best);
      case Rule::kSmallest:
        return gap.end - gap.begin < best.end - best.begin;
      default:  // the rest of the gap, against the size of the best one
        return room(gap) < best.end - best.begin;
    }
  });
}

std::vector<int32_t> ByDecreasingSize(const Problem& p, bool last_of_equals) {
  std::vector<int32_t> order(p.records.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  if (last_of_equals) std::reverse(order.begin(), order.end());
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return p.records[a].size.extent[0] > p.records[b].size.extent[0];
  });
  return order;
}

std::vector<int64_t> Play(const Problem& p, const std::vector<int32_t>& order,
                          Rule rule) {
  std::vector<int64_t> offsets;
  for (const Record& r : p.records) offsets.push_back(r.fixed_offset);
  for (int32_t id : order) {
    if (offsets[id] != kNoOffset) continue;
    offsets[id] = PlaceBy(rule, GapsFor(p, offsets, id), p.records[id]);
  }
  return offsets;
}

// Some records are fixed and may overlap.
Problem RandomRecords(std::mt19937* rng, bool with_fixed) {
  Problem p = RandomSmallProblem(rng, 14);
  for (Record& r : p.records) {
    r.size = 1 + r.size.extent[0] % 30;
    if (with_fixed && (*rng)() % 4 == 0) {
      p.fixed_may_overlap = true;
      r.fixed_offset = AlignUp((*rng)() % 60, r.alignment);
    }
  }
  return p;
}

TEST(PublishedRules, GreedyBySize) {
  std::mt19937 rng(1);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, round % 2 == 1);
    ASSERT_EQ(OffsetsGreedyBySize(p, Options())->offsets,
              Play(p, ByDecreasingSize(p, false), Rule::kSmallestFromAligned));
  }
}

TEST(PublishedRules, TflmGreedy) {
  std::mt19937 rng(2);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, round % 2 == 1);
    ASSERT_EQ(OffsetsTflmGreedy(p, Options())->offsets,
              Play(p, ByDecreasingSize(p, true), Rule::kFirst));
  }
}

// Records that live all the time by index, then the others by size, then by
// first step.
TEST(PublishedRules, Arena) {
  std::mt19937 rng(3);
  int whole = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    Problem p = RandomRecords(&rng, false);
    for (Record& r : p.records) r.first += 2;
    for (Record& r : p.records) r.last += 2;
    int64_t begin = INT64_MAX, end = 0;
    for (const Record& r : p.records) {
      begin = std::min(begin, r.first);
      end = std::max(end, r.last);
    }
    for (Record& r : p.records) {
      if (rng() % 4 > 0) continue;
      r.first = begin;
      r.last = end;
    }
    std::vector<int32_t> first, rest;
    for (int32_t id : ByDecreasingSize(p, false)) {
      const Record& r = p.records[id];
      (r.first == begin && r.last == end ? first : rest).push_back(id);
    }
    std::sort(first.begin(), first.end());
    std::stable_sort(rest.begin(), rest.end(), [&](int32_t a, int32_t b) {
      const Record &ra = p.records[a], &rb = p.records[b];
      return ra.size.extent[0] == rb.size.extent[0] && ra.first < rb.first;
    });
    whole += static_cast<int>(first.size());
    first.insert(first.end(), rest.begin(), rest.end());
    ASSERT_EQ(OffsetsArena(p, Options())->offsets,
              Play(p, first, Rule::kArena));
  }
  EXPECT_GT(whole, 400);
}

TEST(PublishedRules, ArenaSequential) {
  std::mt19937 rng(4);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomRecords(&rng, false);
    std::vector<int64_t> offsets(p.records.size(), kNoOffset);
    for (int64_t step = 0; step < 20; ++step) {
      for (size_t id = 0; id < p.records.size(); ++id) {
        if (p.records[id].first != step) continue;
        // Records that have ended, or begin later, do not conflict.
        std::vector<bool> taken(kMaxBytes);
        for (size_t k = 0; k < p.records.size(); ++k) {
          if (offsets[k] == kNoOffset || p.records[k].last < step) continue;
          for (int64_t b = 0; b < p.records[k].size.extent[0]; ++b) {
            taken[offsets[k] + b] = true;
          }
        }
        offsets[id] = PlaceBy(Rule::kSmallest, GapsOf(taken), p.records[id]);
      }
    }
    ASSERT_EQ(OffsetsArenaSequential(p, Options())->offsets, offsets);
  }
}

TEST(PublishedRules, NaiveIsOneAfterTheOther) {
  Problem p;
  for (const int64_t size : {5, 3, 6, 2}) {
    Record r;
    r.size = size;
    p.records.push_back(r);
  }
  EXPECT_EQ(OffsetsNaive(p, Options())->offsets,
            (std::vector<int64_t>{0, 5, 8, 14}));
  p.records[2].alignment = 4;
  EXPECT_EQ(OffsetsNaive(p, Options())->offsets,
            (std::vector<int64_t>{0, 5, 8, 14}));
  p.records[3].alignment = 8;
  EXPECT_EQ(OffsetsNaive(p, Options())->offsets,
            (std::vector<int64_t>{0, 5, 8, 16}));
  // Above all fixed records.
  p.records[1].fixed_offset = 20;
  p.records[2].fixed_offset = 4;
  EXPECT_EQ(OffsetsNaive(p, Options())->offsets,
            (std::vector<int64_t>{23, 20, 4, 32}));
}

// A script of allocations and purges, and the bytes of those that are active.
TEST(ArenaLayoutTest, PlacesIntoTheGapsBetweenActivePieces) {
  std::mt19937 rng(5);
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(round);
    ArenaLayout layout;
    std::vector<ArenaPiece> active, all;
    uint64_t high_water = 0;
    for (int step = 0; step < 15; ++step) {
      const auto at = static_cast<int64_t>(rng() % 8);
      const auto keep = [&](auto is_kept) {
        std::vector<ArenaPiece> kept;
        for (const ArenaPiece& p : active) {
          if (is_kept(p)) kept.push_back(p);
        }
        active = kept;
      };
      switch (rng() % 12) {
        case 0:
          layout.PurgeBefore(at);
          keep([&](const ArenaPiece& p) { return p.last >= at; });
          continue;
        case 1:
          layout.PurgeAfter(at);
          keep([&](const ArenaPiece& p) { return p.first <= at; });
          continue;
        case 2:
          layout.SetActive(all, at);
          active = all;
          keep([&](const ArenaPiece& p) {
            return p.first <= at && at <= p.last;
          });
          continue;
        case 3:
          layout.ForgetActive();
          active.clear();
          continue;
        default:
          break;
      }
      Record r;
      r.size = static_cast<int64_t>(rng() % 20);
      r.alignment = int64_t{1} << rng() % 4;
      r.first = at;
      r.last = at + static_cast<int64_t>(rng() % 4);
      const ArenaPiece piece =
          layout.Allocate(r.alignment, r.size.extent[0], step, r.first, r.last);
      EXPECT_EQ(piece.tensor, step);
      EXPECT_EQ(piece.size, static_cast<size_t>(r.size.extent[0]));
      EXPECT_EQ(piece.first, r.first);
      EXPECT_EQ(piece.last, r.last);
      all.push_back(piece);
      if (piece.size == 0) {
        EXPECT_EQ(piece.offset, 0u);
        continue;
      }
      std::vector<bool> taken(kMaxBytes);
      for (const ArenaPiece& p : active) {
        if (p.last < r.first || r.last < p.first) continue;
        for (size_t b = 0; b < p.size; ++b) taken[p.offset + b] = true;
      }
      ASSERT_EQ(static_cast<int64_t>(piece.offset),
                PlaceBy(Rule::kArena, GapsOf(taken), r));
      active.push_back(piece);
      high_water = std::max(high_water, piece.offset + piece.size);
      EXPECT_EQ(layout.high_water(), high_water);
      EXPECT_FALSE(layout.overflowed());
    }
    layout.Clear();
    EXPECT_EQ(layout.high_water(), 0u);
    EXPECT_EQ(layout.Allocate(1, 1, 0, 0, 9).offset, 0u);
  }
}

TEST(ArenaLayoutTest, SaysWhatOverflows) {
  constexpr size_t kHalf = SIZE_MAX / 2;
  ArenaLayout layout;
  EXPECT_EQ(layout.Allocate(1, kHalf, 0, 0, 1).offset, 0u);
  EXPECT_FALSE(layout.overflowed());
  EXPECT_EQ(layout.Allocate(1, 1, 0, 0, 1).offset, kHalf);
  EXPECT_TRUE(layout.overflowed());
  EXPECT_EQ(layout.high_water(), kHalf + 1);
  layout.Clear();
  EXPECT_FALSE(layout.overflowed());
  // Sums that would overflow saturate, and no piece ends lower.
  layout.Allocate(1, UINT64_MAX - 3, 0, 0, 1);
  EXPECT_EQ(layout.Allocate(8, 100, 0, 0, 1).offset, UINT64_MAX - 7);
  EXPECT_EQ(layout.high_water(), UINT64_MAX);
  EXPECT_EQ(layout.Allocate(8, 100, 0, 2, 3).offset, 0u) << "at other times";
  EXPECT_TRUE(layout.overflowed());
}

TEST(SequentialLayoutTest, PiecesThatAreReleasedAreGapsAgain) {
  std::mt19937 rng(6);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    SequentialLayout layout;
    std::vector<std::pair<int64_t, int64_t>> live;  // offset, size
    int64_t high_water = 0;
    for (int step = 0; step < 20; ++step) {
      if (!live.empty() && rng() % 3 == 0) {
        const size_t k = rng() % live.size();
        layout.Release(live[k].first);
        live.erase(live.begin() + static_cast<ptrdiff_t>(k));
        continue;
      }
      Record r;
      r.size = static_cast<int64_t>(rng() % 20) + 1;
      r.alignment = int64_t{1} << rng() % 4;
      std::vector<bool> taken(kMaxBytes);
      for (const auto& [offset, size] : live) {
        for (int64_t b = 0; b < size; ++b) taken[offset + b] = true;
      }
      const int64_t at = layout.Allocate(r.alignment, r.size.extent[0]);
      ASSERT_EQ(at, PlaceBy(Rule::kSmallest, GapsOf(taken), r));
      live.push_back({at, r.size.extent[0]});
      high_water = std::max(high_water, at + r.size.extent[0]);
      EXPECT_EQ(layout.high_water(), high_water);
    }
  }
}

// Some may overlap others from a certain distance on.
Problem RandomOverlaps(std::mt19937* rng) {
  Problem p = RandomRecords(rng, false);
  const auto n = static_cast<int32_t>(p.records.size());
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t j = 0; j < n; ++j) {
      if (i == j || (*rng)() % 3 > 0) continue;
      const int64_t distance = static_cast<int64_t>((*rng)() % 40) - 20;
      p.records[i].overlaps.push_back(
          {j, (*rng)() % 4 == 0 ? Overlap::kAnyDistance : distance});
    }
  }
  return p;
}

bool MayLieAt(const Problem& p, const std::vector<int64_t>& offsets, size_t id,
              int64_t at) {
  for (size_t k = 0; k < p.records.size(); ++k) {
    const Record &a = p.records[id], &b = p.records[k];
    if (offsets[k] == kNoOffset || !LiveTogether(a, b)) continue;
    const bool apart = at + a.size.extent[0] <= offsets[k] ||
                       offsets[k] + b.size.extent[0] <= at;
    if (!apart && !MayOverlap(p, static_cast<int32_t>(id),
                              static_cast<int32_t>(k), offsets[k] - at)) {
      return false;
    }
  }
  return true;
}

TEST(PlacerTest, FirstFitIsTheLowestOffsetThereIs) {
  std::mt19937 rng(7);
  int shared = 0;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomOverlaps(&rng);
    const Relations relations(p);
    Placer placer(p, relations);
    for (int twice = 0; twice < 2; ++twice) {
      std::vector<int64_t> offsets(p.records.size(), kNoOffset);
      EXPECT_EQ(placer.offsets(), offsets);
      EXPECT_EQ(placer.total(), 0);
      std::vector<size_t> order(p.records.size());
      for (size_t i = 0; i < order.size(); ++i) order[i] = i;
      std::shuffle(order.begin(), order.end(), rng);
      int64_t total = 0, plain = 0;
      for (size_t id : order) {
        const Record& r = p.records[id];
        int64_t want = 0;
        while (!MayLieAt(p, offsets, id, want)) want += r.alignment;
        placer.Place(static_cast<int32_t>(id), Fit::kFirst);
        ASSERT_EQ(placer.offsets()[id], want);
        offsets[id] = want;
        total = std::max(total, want + r.size.extent[0]);
        plain += r.size.extent[0];
        EXPECT_EQ(placer.total(), total);
      }
      shared += total < plain;
      placer.Clear();
    }
  }
  EXPECT_GT(shared, 300);
}

TEST(PlacerTest, BestFitTakesNoWrongPlaceAndNoneAboveTheTop) {
  std::mt19937 rng(8);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomOverlaps(&rng);
    const Relations relations(p);
    Placer placer(p, relations);
    std::vector<int64_t> offsets(p.records.size(), kNoOffset);
    for (size_t id = 0; id < p.records.size(); ++id) {
      placer.Place(static_cast<int32_t>(id), Fit::kBest);
      const int64_t at = placer.offsets()[id];
      ASSERT_EQ(at % p.records[id].alignment, 0);
      ASSERT_TRUE(MayLieAt(p, offsets, id, at));
      int64_t top = 0;
      for (size_t k = 0; k < id; ++k) {
        if (!LiveTogether(p.records[k], p.records[id])) continue;
        top = std::max(top, offsets[k] + p.records[k].size.extent[0]);
      }
      EXPECT_LE(at, AlignUp(top, p.records[id].alignment));
      offsets[id] = at;
    }
  }
}

// Records that may overlap at any distance leave gaps as if they did not exist.
TEST(PlacerTest, BestFitOverlooksWhatMayBeOverlapped) {
  std::mt19937 rng(9);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    Problem p = RandomOverlaps(&rng);
    for (Record& r : p.records) {
      for (Overlap& o : r.overlaps) o.safe_distance = Overlap::kAnyDistance;
    }
    const Relations relations(p);
    Placer placer(p, relations);
    std::vector<int64_t> offsets(p.records.size(), kNoOffset);
    for (size_t id = 0; id < p.records.size(); ++id) {
      std::vector<int64_t> in_the_way = offsets;
      for (size_t k = 0; k < id; ++k) {
        if (MayOverlap(p, static_cast<int32_t>(id), static_cast<int32_t>(k),
                       0)) {
          in_the_way[k] = kNoOffset;
        }
      }
      placer.Place(static_cast<int32_t>(id), Fit::kBest);
      offsets[id] = placer.offsets()[id];
      ASSERT_EQ(offsets[id],
                PlaceBy(Rule::kSmallestFromAligned, GapsFor(p, in_the_way, id),
                        p.records[id]));
    }
  }
}

TEST(PlacerTest, FixedRecordsComeFirstAndTheOthersInOrder) {
  Problem p;
  for (int i = 0; i < 4; ++i) {
    Record r;
    r.size = 4;
    p.records.push_back(r);
  }
  p.records[3].fixed_offset = 4;
  const Relations relations(p);
  Placer placer(p, relations);
  placer.PlaceAll({2, 3, 1, 0}, Fit::kFirst);
  EXPECT_EQ(placer.offsets(), (std::vector<int64_t>{12, 8, 0, 4}));
  EXPECT_EQ(placer.total(), 16);
  placer.Clear();
  placer.PlaceAt(0, 100);
  EXPECT_EQ(placer.total(), 104);
  p.records[0].size = 2;
  p.records[2].size = 9;
  EXPECT_EQ(BySize(p), (std::vector<int32_t>{2, 1, 3, 0}));
}

}  // namespace
}  // namespace mace::memory
