// Derives block sizes from the sizes of caches.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/blocks.h"

#include <algorithm>

namespace mace::cpu {
namespace {

// Depths are derived for panels of b with this many columns, whatever the
// micro-kernel's width, so that all micro-kernels round alike.
constexpr int64_t kFloatColumns = 32;
constexpr int64_t kFp16Columns = 16;

int64_t Depth(int64_t panel_bytes, int64_t columns, int64_t element_bytes) {
  return std::max<int64_t>(panel_bytes / (columns * element_bytes), 16);
}

}  // namespace

Blocks BlocksOf(const CacheSizes& caches) {
  const int64_t l1 = caches.l1, l2 = caches.l2;
  Blocks blocks = {};
  blocks.set_bytes = caches.way_bytes();
  blocks.ways = caches.l1_ways;
  // A block of rows leaves room in the second level for the panels of b, and a
  // panel leaves room for the rows and their copies.
  blocks.rows = l2 / 4;
  blocks.most_rows = l2 / 2;
  blocks.stays = l2 / 2;
  blocks.first_level = l1 * 3 / 4;
  blocks.part = l1 / 4;
  blocks.gemm_depth = Depth(l2 * 3 / 32, kFloatColumns, sizeof(float));
  blocks.gemm_depth_in_place = Depth(l2 / 4, kFloatColumns, sizeof(float));
  // Sums in fp16 are rounded each time they are stored, which is once per
  // panel: the panel is as deep as the first level permits.
  blocks.gemm_depth_fp16 = Depth(l1, kFp16Columns, sizeof(uint16_t));
  blocks.strassen_rows = l2 / 2;
  blocks.strassen_depth = 2 * blocks.gemm_depth_in_place;
  blocks.fused_lines = l1 / 2;
  blocks.fused_large_filter = l2 / 4;
  blocks.spread_good = l2 * 5 / 64;
  blocks.spread_most = l2 * 3 / 16;
  return blocks;
}

}  // namespace mace::cpu
