// Properties of blocks that hold for any caches.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/blocks.h"

#include <gtest/gtest.h>

#include <random>

namespace mace::cpu {
namespace {

CacheSizes RandomCaches(std::mt19937& random) {
  CacheSizes caches;
  caches.l1_ways = 1 << random() % 5;
  caches.l1 = caches.l1_ways << (10 + random() % 4);
  caches.l2 = int64_t{64 << 10} << random() % 8;
  caches.l3 = caches.l2 << random() % 8;
  return caches;
}

TEST(Blocks, FitTheirCaches) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    const CacheSizes caches = RandomCaches(random);
    const Blocks blocks = BlocksOf(caches);
    SCOPED_TRACE(ToList(caches));
    EXPECT_EQ(blocks.set_bytes * blocks.ways, caches.l1);
    // A block of rows and two panels, one of which is being loaded.
    const int64_t panel = blocks.gemm_depth_in_place * 32 * 4;
    EXPECT_LE(blocks.rows + 2 * panel, caches.l2);
    EXPECT_LE(blocks.most_rows + panel, caches.l2);
    EXPECT_LE(blocks.rows_of(caches.l2), caches.l2 / 2);
    EXPECT_LT(blocks.rows_of(caches.l2 / 4), blocks.rows_of(caches.l2));
    EXPECT_LE(blocks.strassen_rows + panel, caches.l2);
    EXPECT_LE(blocks.fused_lines, caches.l1 / 2);
    EXPECT_LT(blocks.first_level, caches.l1);
    EXPECT_LE(blocks.part, blocks.first_level / 2);
    EXPECT_LE(blocks.spread_good, blocks.spread_most);
    EXPECT_LE(blocks.gemm_depth, blocks.gemm_depth_in_place);
    EXPECT_LE(blocks.gemm_depth_fp16 * 16 * 2, caches.l1);
  }
}

TEST(Blocks, GrowWithTheCaches) {
  CacheSizes small, large;
  large.l1 = 2 * small.l1;
  large.l1_ways = 2 * small.l1_ways;
  large.l2 = 2 * small.l2;
  const Blocks a = BlocksOf(small), b = BlocksOf(large);
  EXPECT_EQ(b.rows, 2 * a.rows);
  EXPECT_EQ(b.most_rows, 2 * a.most_rows);
  EXPECT_EQ(b.gemm_depth, 2 * a.gemm_depth);
  EXPECT_EQ(b.strassen_depth, 2 * a.strassen_depth);
  EXPECT_EQ(b.fused_lines, 2 * a.fused_lines);
}

}  // namespace
}  // namespace mace::cpu
