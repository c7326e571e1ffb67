// The prepared problem: units, sections, neighbours, obstacles and links; and
// the orders of the portfolio.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/offsets/search_instance.h"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/offsets/search_orders.h"
#include "mace/memory/problem/relations.h"
#include "mace/memory/testing/brute_force.h"

namespace mace::memory {
namespace {

// Sometimes in units of 12 bytes or more.
Problem RandomProblem(std::mt19937* rng) {
  Problem p = RandomConstrainedProblem(rng);
  if ((*rng)() % 2 == 0) return p;
  for (Record& r : p.records) {
    r.size = r.size.extent[0] * 12;
    r.alignment *= 4;
    if (r.fixed_offset != kNoOffset) r.fixed_offset *= 4;
    for (Overlap& o : r.overlaps) {
      if (o.safe_distance != Overlap::kAnyDistance) o.safe_distance *= 4;
    }
  }
  return p;
}

// Returns whether `unit` divides all sizes, offsets and distances, and, if
// anything is aligned, all alignments.
bool Divides(const Problem& p, int64_t unit) {
  bool aligned = false, divides = true;
  for (const Record& r : p.records) aligned |= r.alignment > 1;
  for (const Record& r : p.records) {
    divides &= r.size.extent[0] % unit == 0;
    divides &= !aligned || r.alignment % unit == 0;
    divides &= r.fixed_offset == kNoOffset || r.fixed_offset % unit == 0;
    for (const Overlap& o : r.overlaps) {
      divides &= o.safe_distance == Overlap::kAnyDistance ||
                 o.safe_distance % unit == 0;
    }
  }
  return divides;
}

TEST(SearchInstanceTest, CountsInTheLargestUnit) {
  std::mt19937 rng(1);
  int large = 0;
  for (int round = 0; round < 1000; ++round) {
    const Problem p = RandomProblem(&rng);
    const SearchInstance in = MakeSearchInstance(p);
    EXPECT_TRUE(Divides(p, in.unit));
    for (int64_t larger = in.unit + 1; larger < 80; ++larger) {
      EXPECT_FALSE(Divides(p, larger)) << larger << " above " << in.unit;
    }
    large += in.unit > 1;
    size_t free = 0;
    for (const Record& r : p.records) free += r.fixed_offset == kNoOffset;
    ASSERT_EQ(in.items.size(), free);
    int64_t least = INT64_MAX;
    bool overlaps = false;
    for (const Record& r : p.records) {
      least = std::min(least, r.alignment);
      overlaps |= !r.overlaps.empty();
    }
    int32_t before = -1;
    for (const SearchInstance::Item& item : in.items) {
      const Record& r = p.records[item.record];
      EXPECT_EQ(r.fixed_offset, kNoOffset);
      EXPECT_GT(item.record, before);
      before = item.record;
      EXPECT_EQ(item.size * in.unit, r.size.extent[0]);
      // If nothing is aligned, units may be larger than the alignment, 1.
      EXPECT_EQ(item.alignment, std::max<int64_t>(r.alignment / in.unit, 1));
      const int64_t padded = AlignUp(r.size.extent[0], least);
      EXPECT_EQ(item.padded * in.unit, overlaps ? r.size.extent[0] : padded);
    }
  }
  EXPECT_GT(large, 300);
  EXPECT_EQ(MakeSearchInstance(Problem()).unit, 1);
  EXPECT_EQ(MakeSearchInstance(Problem()).num_sections, 0);
}

TEST(SearchInstanceTest, SectionsAreCutWhereARecordBeginsOrEnds) {
  std::mt19937 rng(2);
  for (int round = 0; round < 1000; ++round) {
    const Problem p = RandomProblem(&rng);
    const SearchInstance in = MakeSearchInstance(p);
    int64_t begin = INT64_MAX, end = 0;
    for (const Record& r : p.records) {
      begin = std::min(begin, r.first);
      end = std::max(end, r.last);
    }
    std::vector<int64_t> slack;
    int32_t section = -1;
    for (int64_t step = begin; step <= end; ++step) {
      bool cut = false;
      for (const Record& r : p.records) {
        cut |= r.first == step || r.last + 1 == step;
      }
      section += cut;
      slack.resize(section + 1);
      for (const SearchInstance::Item& item : in.items) {
        const Record& r = p.records[item.record];
        const bool lives = r.first <= step && step <= r.last;
        EXPECT_EQ(item.begin <= section && section < item.end, lives);
        if (lives) {
          slack[section] = std::max(slack[section], item.padded - item.size);
        }
      }
    }
    EXPECT_EQ(in.num_sections, section + 1);
    EXPECT_EQ(in.slack, slack);
  }
}

TEST(SearchInstanceTest, NeighboursObstaclesAndLinks) {
  std::mt19937 rng(3);
  int obstacles = 0, links = 0, savings = 0, narrowed = 0;
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomProblem(&rng);
    const SearchInstance in = MakeSearchInstance(p);
    const Relations relations(p);
    const auto n = static_cast<int32_t>(in.items.size());
    EXPECT_EQ(in.savings.empty(), n == 0 || !relations.any());
    bool is_narrowed = false;
    for (int32_t i = 0; i < n; ++i) {
      const SearchInstance::Item& item = in.items[i];
      const std::set<int32_t> neighbours(item.neighbours.begin(),
                                         item.neighbours.end());
      EXPECT_EQ(neighbours.size(), item.neighbours.size());
      for (int32_t j = 0; j < n; ++j) {
        if (i == j) continue;
        const SearchInstance::Item& other = in.items[j];
        const auto gap = relations.Between(item.record, other.record);
        const bool together =
            LiveTogether(p.records[item.record], p.records[other.record]);
        EXPECT_EQ(neighbours.count(j) == 1, together && !gap.empty());
        // A link forbids at least what the problem forbids; the instance tells
        // whether it forbids more.
        for (const auto& link : item.links) {
          if (link.other != j) continue;
          ++links;
          EXPECT_LE(link.low, 0);
          EXPECT_GE(link.high, 0);
          for (int64_t d = -80; d <= 80; ++d) {
            if (d % in.unit != 0) continue;
            const bool forbidden = gap.low < d && d < gap.high;
            const bool linked =
                link.low * in.unit < d && d < link.high * in.unit;
            EXPECT_TRUE(linked || !forbidden) << d;
            if (linked && !forbidden) is_narrowed = true;
          }
        }
        const bool linked =
            std::any_of(item.links.begin(), item.links.end(),
                        [&](const auto& link) { return link.other == j; });
        EXPECT_EQ(linked,
                  together && !gap.empty() &&
                      relations.MostShared(item.record, other.record) > 0);
      }
      // Fixed records are obstacles for those that live with them.
      int64_t low = INT64_MIN;
      for (const auto& o : item.obstacles) {
        EXPECT_LE(low, o.low);
        low = o.low;
        ++obstacles;
      }
      for (int64_t at = 0; at < 90; at += in.unit) {
        bool collides = false, forbidden = false;
        for (size_t k = 0; k < p.records.size(); ++k) {
          const Record &r = p.records[item.record], &fixed = p.records[k];
          if (fixed.fixed_offset == kNoOffset || !LiveTogether(r, fixed)) {
            continue;
          }
          const int64_t distance = at - fixed.fixed_offset;
          collides |=
              distance < fixed.size.extent[0] && -distance < r.size.extent[0] &&
              !MayOverlap(p, static_cast<int32_t>(k), item.record, distance);
        }
        for (const auto& o : item.obstacles) {
          forbidden |= o.low * in.unit < at && at < o.high * in.unit;
        }
        EXPECT_EQ(forbidden, collides) << at;
      }
    }
    EXPECT_TRUE(in.narrowed || !is_narrowed);
    narrowed += in.narrowed;
    for (const auto& of : in.savings) savings += static_cast<int>(of.size());
  }
  EXPECT_GT(obstacles, 1000);
  EXPECT_GT(links, 500);
  EXPECT_GT(savings, 500);
  EXPECT_GT(narrowed, 100);
}

// In each section, the bytes that two items can share, counted once.
TEST(SearchInstanceTest, SavingsOfEachSection) {
  std::mt19937 rng(4);
  for (int round = 0; round < 1000; ++round) {
    const Problem p = RandomProblem(&rng);
    const SearchInstance in = MakeSearchInstance(p);
    const Relations relations(p);
    std::vector<int64_t> want(in.num_sections), found(in.num_sections);
    for (size_t i = 0; i < in.items.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        const auto &a = in.items[i], &b = in.items[j];
        for (int32_t s = 0; s < in.num_sections; ++s) {
          if (a.begin <= s && s < a.end && b.begin <= s && s < b.end &&
              relations.any(a.record)) {
            want[s] += relations.MostShared(a.record, b.record) / in.unit;
          }
        }
      }
    }
    for (const auto& of : in.savings) {
      for (const auto& saving : of) found[saving.section] += saving.size;
    }
    EXPECT_EQ(found, want);
  }
}

TEST(SearchInstanceTest, AnOverlapOnOneSideIsNarrowed) {
  Problem p;
  p.records.resize(2);
  p.records[0].size = p.records[1].size = 8;
  p.records[0].overlaps = {{1, -3}};
  EXPECT_TRUE(MakeSearchInstance(p).narrowed);
  p.records[0].overlaps = {{1, 3}};
  EXPECT_FALSE(MakeSearchInstance(p).narrowed);
  p.records[0].overlaps = {{1, 0}};
  EXPECT_FALSE(MakeSearchInstance(p).narrowed);
  p.records[0].overlaps = {{1, Overlap::kAnyDistance}};
  EXPECT_FALSE(MakeSearchInstance(p).narrowed) << "they are no neighbours";
  p.records[0].overlaps = {};
  p.records[1].overlaps = {{0, -3}};
  EXPECT_TRUE(MakeSearchInstance(p).narrowed);
}

TEST(SearchOrdersTest, PlainOrdersGoByTheirKeys) {
  // Sections [0,1), [1,2), [2,4), [4,5) with 9, 16, 13 and 5 units.
  Problem p;
  const int64_t rows[][3] = {{9, 0, 1}, {7, 1, 3}, {6, 2, 3}, {5, 4, 4}};
  for (const auto& row : rows) {
    Record r;
    r.size = row[0];
    r.first = row[1];
    r.last = row[2];
    p.records.push_back(r);
  }
  const SearchInstance in = MakeSearchInstance(p);
  const SearchOrders orders(in);
  const auto by = [&](int index) {
    std::vector<int32_t> ids(4);
    const std::vector<int32_t> rank = orders.Get(index).rank;
    for (int32_t i = 0; i < 4; ++i) ids[4 - rank[i]] = i;
    return ids;
  };
  // Widths 2, 2, 1, 1 sections; areas 18, 14, 6, 5; peaks 16, 16, 13, 5.
  EXPECT_EQ(by(0), (std::vector<int32_t>{0, 1, 2, 3})) << "width, then area";
  EXPECT_EQ(by(3), (std::vector<int32_t>{0, 1, 2, 3})) << "size";
  // Neighbours: 1, 2, 1, 0.
  EXPECT_EQ(by(6), (std::vector<int32_t>{1, 0, 2, 3})) << "degree, then id";
  EXPECT_EQ(by(9), (std::vector<int32_t>{0, 1, 2, 3})) << "area";
  for (int index = 0; index < SearchOrders::kNumOrders; ++index) {
    EXPECT_EQ(by(index), by(index / 3 * 3));
    EXPECT_EQ(orders.Get(index).focus,
              index % 3 == 0   ? SearchFocus::kTightSection
              : index % 3 == 1 ? SearchFocus::kTightItem
                               : SearchFocus::kFailing);
  }
  // The same with other sizes.
  p.records[2].size = 13;
  p.records[3].size = 20;
  const SearchInstance other = MakeSearchInstance(p);
  const SearchOrders changed(other);
  EXPECT_EQ(changed.Get(0).rank, (std::vector<int32_t>{4, 3, 1, 2}));
  EXPECT_EQ(changed.Get(3).rank, (std::vector<int32_t>{2, 1, 3, 4}));
  EXPECT_EQ(changed.Get(9).rank, (std::vector<int32_t>{3, 2, 1, 4}));
  // Of equal width and area, the one in the section with the higher peak comes
  // first.
  p.records[0].size = 7;
  p.records[3].size = 13;
  const SearchInstance same = MakeSearchInstance(p);
  EXPECT_EQ(SearchOrders(same).Get(0).rank, (std::vector<int32_t>{3, 4, 2, 1}));
}

// Keys that vary by up to 30 per cent keep the order of very different items,
// exchange similar ones, and are the same each time.
TEST(SearchOrdersTest, OtherOrdersAreDisturbedALittle) {
  Problem p;
  for (int i = 0; i < 24; ++i) {
    Record r;
    r.size = i < 12 ? 1000 + 10 * i : 100 + i;
    p.records.push_back(r);
  }
  const SearchInstance in = MakeSearchInstance(p);
  const SearchOrders orders(in), again(in);
  std::set<std::vector<int32_t>> seen;
  for (int index = SearchOrders::kNumOrders; index < 72; ++index) {
    const SearchOrder order = orders.Get(index);
    EXPECT_EQ(order.rank, again.Get(index).rank);
    std::vector<int32_t> sorted = order.rank;
    std::sort(sorted.begin(), sorted.end());
    for (int32_t k = 0; k < 24; ++k) EXPECT_EQ(sorted[k], k + 1);
    if (index / 3 % 4 != 1) continue;  // by size only
    seen.insert(order.rank);
    for (int large = 0; large < 12; ++large) {
      for (int small = 12; small < 24; ++small) {
        EXPECT_GT(order.rank[large], order.rank[small]);
      }
    }
  }
  EXPECT_GT(seen.size(), 10u);
}

}  // namespace
}  // namespace mace::memory
