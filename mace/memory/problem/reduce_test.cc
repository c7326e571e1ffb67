// Reduce: roots, lifetimes and overlaps of problems with aliases and pools.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/problem/reduce.h"

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "mace/memory/problem/validate.h"

namespace mace::memory {
namespace {

Record Rec(int64_t size, int64_t first, int64_t last) {
  Record r;
  r.size = size;
  r.first = first;
  r.last = last;
  return r;
}

// Aliases of aliases, listed before and after what they alias, in two pools.
Problem RandomAliases(std::mt19937* rng) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*rng);
  };
  Problem p;
  p.alignment = int64_t{1} << pick(0, 2);
  const int64_t n = pick(1, 8);
  std::vector<int32_t> order(n);
  for (int32_t i = 0; i < n; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), *rng);
  p.records.resize(n);
  for (int64_t k = 0; k < n; ++k) {
    const int64_t first = pick(0, 9);
    Record& r = p.records[order[k]];
    r = Rec(pick(0, 9) * 8, first, first + pick(0, 3));
    r.pool = pick(0, 4) == 0 ? 2 : 0;
    r.alignment = int64_t{1} << pick(0, 3);
    if (k == 0 || pick(0, 1) == 0) continue;
    r.alias_of = order[pick(0, k - 1)];
    const Record& of = p.records[r.alias_of];
    r.pool = of.pool;
    r.alias_offset = pick(0, of.size.extent[0] / 8) * 8;
    r.size = pick(0, (of.size.extent[0] - r.alias_offset) / 8) * 8;
  }
  for (int64_t i = 0; i < n; ++i) {
    const auto other = static_cast<int32_t>(pick(0, n - 1));
    if (other != i && pick(0, 1) == 0) {
      p.records[i].overlaps.push_back({other, pick(-9, 9)});
    }
  }
  return p;
}

TEST(Reduce, RootsAreOneRecordEach) {
  std::mt19937 rng(1);
  int aliases = 0;
  for (int round = 0; round < 2000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomAliases(&rng);
    ASSERT_TRUE(Check(p).ok()) << Check(p).information();
    const Reduced reduced = Reduce(p);
    const auto n = static_cast<int32_t>(p.records.size());
    std::vector<int32_t> root(n);
    for (int32_t i = 0; i < n; ++i) {
      int64_t delta = 0;
      int32_t at = i;
      for (; p.records[at].alias_of != kNone; at = p.records[at].alias_of) {
        delta += p.records[at].alias_offset;
      }
      root[i] = at;
      aliases += at != i;
      EXPECT_EQ(reduced.roots[i].id, at);
      EXPECT_EQ(reduced.roots[i].delta, delta);
      EXPECT_EQ(FindRoots(p)[i].id, at);
    }
    int32_t num_pools = 1;
    for (const Record& r : p.records)
      num_pools = std::max(num_pools, r.pool + 1);
    ASSERT_EQ(reduced.pools.size(), static_cast<size_t>(num_pools));
    size_t items = 0;
    for (int32_t i = 0; i < n; ++i) {
      const bool item = root[i] == i && p.records[i].size.count() > 0;
      if (!item) {
        EXPECT_TRUE(root[i] != i || reduced.item_of[i] == kNone);
        continue;
      }
      ++items;
      const PoolProblem& pool = reduced.pools[p.records[i].pool];
      ASSERT_NE(reduced.item_of[i], kNone);
      EXPECT_EQ(pool.record_of[reduced.item_of[i]], i);
      const Record& r = pool.problem.records[reduced.item_of[i]];
      int64_t first = 99, last = -1, alignment = p.alignment;
      for (int32_t k = 0; k < n; ++k) {
        if (root[k] != i) continue;
        first = std::min(first, p.records[k].first);
        last = std::max(last, p.records[k].last);
        alignment = std::max(alignment, p.records[k].alignment);
      }
      EXPECT_EQ(r.first, first);
      EXPECT_EQ(r.last, last);
      EXPECT_EQ(r.alignment, alignment);
      EXPECT_EQ(r.size.count(), p.records[i].size.count());
      EXPECT_EQ(r.pool, 0);
      EXPECT_EQ(r.alias_of, kNone);
    }
    size_t listed = 0;
    for (const PoolProblem& pool : reduced.pools) {
      listed += pool.problem.records.size();
      EXPECT_EQ(pool.problem.alignment, p.alignment);
    }
    EXPECT_EQ(listed, items);
  }
  EXPECT_GT(aliases, 1000);
}

// Roots at any offsets that the reduced problem allows are valid for the
// pieces, too: no permission to overlap is invented.
TEST(Reduce, WhatMayOverlapThereMayHere) {
  std::mt19937 rng(2);
  int overlaps = 0, kept = 0;
  for (int round = 0; round < 3000; ++round) {
    SCOPED_TRACE(round);
    const Problem p = RandomAliases(&rng);
    const Reduced reduced = Reduce(p);
    for (const Record& r : p.records) overlaps += !r.overlaps.empty();
    // Tries all offsets of the roots within some bytes.
    std::vector<int64_t> offsets(p.records.size());
    bool allowed = true;
    for (const PoolProblem& pool : reduced.pools) {
      std::vector<int64_t> at;
      for (size_t k = 0; k < pool.record_of.size(); ++k) {
        kept += !pool.problem.records[k].overlaps.empty();
        at.push_back(static_cast<int64_t>(rng() % 5) * 8);
        offsets[pool.record_of[k]] = at.back();
      }
      allowed &= VerifyOffsets(pool.problem, at, 1000).ok();
    }
    for (size_t i = 0; i < offsets.size(); ++i) {
      const Root& root = reduced.roots[i];
      offsets[i] = offsets[root.id] + root.delta;
    }
    const Status whole = VerifyOffsets(p, offsets, 1000);
    EXPECT_TRUE(!allowed || whole.ok()) << whole.information();
  }
  EXPECT_GT(overlaps, 1000);
  EXPECT_GT(kept, 200);
}

TEST(Reduce, OverlapsOfRoots) {
  // 0 [0, 5] and its piece 1 (all of it) at [4, 5]; 2 [5, 8].
  Problem p;
  p.records = {Rec(8, 0, 3), Rec(8, 4, 5), Rec(8, 5, 8)};
  p.records[1].alias_of = 0;
  p.records[2].overlaps = {{1, 3}};
  const auto overlaps = [&] { return Reduce(p).pools[0].problem.records; };
  ASSERT_EQ(overlaps()[1].overlaps.size(), 1u);
  EXPECT_EQ(overlaps()[1].overlaps[0].other, 0);
  EXPECT_EQ(overlaps()[1].overlaps[0].safe_distance, 3);
  p.records[0].last = 5;  // the root itself lives then, too
  EXPECT_TRUE(overlaps()[1].overlaps.empty());
  p.records[0].last = 4;
  EXPECT_EQ(overlaps()[1].overlaps.size(), 1u);
  p.records[1].size = 4;  // a part of the root
  EXPECT_TRUE(overlaps()[1].overlaps.empty());
}

std::string Message(const Problem& p) { return CheckAliases(p).information(); }

TEST(CheckAliases, NamesBoth) {
  Problem p;
  p.records = {Rec(16, 0, 1), Rec(8, 0, 1)};
  p.records[1].alias_of = 0;
  p.records[1].alias_offset = 8;
  EXPECT_EQ(Message(p), "");
  p.records[1].alias_offset = 9;
  EXPECT_EQ(Message(p),
            "record 1, an alias of record 0: its 8 bytes at 9 leave the 16 "
            "bytes there");
  p.records[1].alias_offset = 16;
  p.records[1].size = 0;
  EXPECT_EQ(Message(p), "");
  p.records[1].alias_offset = 17;
  EXPECT_NE(Message(p), "");
  p.records[1].alias_offset = -1;
  EXPECT_NE(Message(p), "");
}

TEST(CheckAliases, ImagesAreAllOfTheirRoot) {
  Problem p;
  p.records = {Rec(0, 0, 1), Rec(0, 0, 1)};
  p.records[0].size = p.records[1].size = Size(4, 4);
  p.records[1].alias_of = 0;
  EXPECT_EQ(Message(p), "");
  p.records[1].alias_offset = 1;
  EXPECT_NE(Message(p).find("must be all of it"), std::string::npos);
  p.records[1].alias_offset = 0;
  p.records[1].size = Size(4, 3);
  EXPECT_NE(Message(p).find("must be all of it"), std::string::npos);
}

TEST(CheckAliases, CyclesAnywhere) {
  for (int length = 1; length < 5; ++length) {
    for (int tail = 0; tail < 3; ++tail) {
      Problem p;
      for (int i = 0; i < length + tail; ++i) {
        p.records.push_back(Rec(8, 0, 1));
        p.records.back().alias_of = i + 1 < length ? i + 1 : 0;
        if (i >= length) p.records.back().alias_of = i - 1;
      }
      EXPECT_NE(Message(p).find("aliases form a cycle"), std::string::npos);
    }
  }
  Problem p;  // two aliases of one record are not a cycle
  p.records = {Rec(8, 0, 1), Rec(8, 0, 1), Rec(8, 0, 1)};
  p.records[1].alias_of = p.records[2].alias_of = 0;
  EXPECT_EQ(Message(p), "");
}

}  // namespace
}  // namespace mace::memory
