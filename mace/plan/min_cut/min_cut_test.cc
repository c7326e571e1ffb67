// Compares MinCut with all cuts of small graphs.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/min_cut/min_cut.h"

#include <gtest/gtest.h>

#include <vector>

#include "mace/plan/testing/plan_maker.h"

namespace mace {
namespace {

using testing::Random;

struct TestEdge {
  int from, to;
  double cost;
};

double CostOf(const std::vector<TestEdge>& edges, unsigned source_side) {
  double cost = 0;
  for (const TestEdge& e : edges) {
    const bool cut =
        (source_side >> e.from & 1) != 0 && (source_side >> e.to & 1) == 0;
    if (cut) cost += e.cost;
  }
  return cost;
}

// Vertex 0 is the source, and 1 is the sink. Returns the union of the source
// sides of all cheapest cuts, which is the largest one.
unsigned LargestCheapestSide(const std::vector<TestEdge>& edges,
                             int num_vertices) {
  double least = 1e300;
  unsigned side = 0;
  for (unsigned s = 1; s < 1u << num_vertices; ++s) {
    if ((s & 1) == 0 || (s & 2) != 0) continue;
    const double cost = CostOf(edges, s);
    if (cost < least) side = 0;
    if (cost <= least) side |= s;
    least = std::min(least, cost);
  }
  return side;
}

unsigned SideOf(const std::vector<TestEdge>& edges, int num_vertices,
                bool add_late) {
  MinCut cut(add_late ? 2 : num_vertices);
  for (int v = 2; add_late && v < num_vertices; ++v) {
    EXPECT_EQ(cut.AddVertex(), v);
  }
  for (const TestEdge& e : edges) cut.AddEdge(e.from, e.to, e.cost);
  const std::vector<bool> side = cut.SourceSide(0, 1);
  EXPECT_EQ(side.size(), static_cast<size_t>(num_vertices));
  unsigned bits = 0;
  for (size_t v = 0; v < side.size(); ++v) bits |= unsigned{side[v]} << v;
  return bits;
}

TEST(MinCut, TheLargestOfAllCheapestCuts) {
  int infinite_cuts = 0;
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int n = random.Between(2, 8);
    std::vector<TestEdge> edges;
    for (int e = random.Below(3 * n); e > 0; --e) {
      const int from = random.Below(n), to = random.Below(n);
      if (from == to) continue;
      // Few different costs, so that many cuts are equal; quarters, and 0.
      double cost = random.Below(5) * (random.OneIn(2) ? 1 : 0.25);
      if (random.OneIn(10)) cost = MinCut::kInfinite;
      edges.push_back({from, to, cost});
    }
    const unsigned want = LargestCheapestSide(edges, n);
    infinite_cuts += CostOf(edges, want) >= MinCut::kInfinite;
    // If every cut takes an infinite edge, no cut is right.
    if (CostOf(edges, want) >= MinCut::kInfinite) continue;
    EXPECT_EQ(SideOf(edges, n, seed % 2 == 1), want);
  }
  EXPECT_LT(infinite_cuts, 1000);
}

TEST(MinCut, CostsCountToAThousandth) {
  EXPECT_EQ(SideOf({{0, 2, 0.002}, {2, 1, 0.001}}, 3, false), 0b101u);
  EXPECT_EQ(SideOf({{0, 2, 0.001}, {2, 1, 0.002}}, 3, false), 0b001u);
  // Rounded to nearest: 0.0016 is 2, not 1.
  EXPECT_EQ(SideOf({{0, 2, 0.0016}, {2, 1, 0.0014}}, 3, false), 0b101u);
  EXPECT_EQ(SideOf({{0, 2, 999e9}, {2, 1, 998e9}}, 3, false), 0b101u);
}

TEST(MinCut, InfiniteEdgesAreNeverCut) {
  // A thousand edges of great cost are better than a single infinite one.
  std::vector<TestEdge> edges = {{0, 2, MinCut::kInfinite}};
  for (int i = 0; i < 1000; ++i) edges.push_back({2, 1, 9e11});
  EXPECT_EQ(SideOf(edges, 3, false), 0b101u);
  // Flows through several of them do not overflow.
  EXPECT_EQ(SideOf({{0, 2, MinCut::kInfinite},
                    {0, 3, MinCut::kInfinite},
                    {2, 4, 7},
                    {3, 4, 7},
                    {4, 1, MinCut::kInfinite}},
                   5, false),
            0b01101u);
}

// A path of a hundred thousand vertices does not overflow the stack.
TEST(MinCut, LongPath) {
  const int n = 100000;
  MinCut cut(n);
  cut.AddEdge(0, 2, 5);
  for (int v = 2; v + 1 < n; ++v) cut.AddEdge(v, v + 1, v == 50000 ? 2 : 3);
  cut.AddEdge(n - 1, 1, 5);
  const std::vector<bool> side = cut.SourceSide(0, 1);
  EXPECT_TRUE(side[50000]);
  EXPECT_FALSE(side[50001]);
  EXPECT_TRUE(side[0]);
  EXPECT_FALSE(side[1]);
}

}  // namespace
}  // namespace mace
