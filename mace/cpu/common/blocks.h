// Blocks: how much work kernels cut off at a time, so that it stays in a cache.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_BLOCKS_H_
#define MACE_CPU_COMMON_BLOCKS_H_

#include <cstdint>

#include "mace/cpu/common/cache_sizes.h"

namespace mace::cpu {

// Sizes are in bytes unless they say otherwise. A depth is the number of k that
// a matrix product multiplies at a time; how it is cut decides how sums are
// rounded, so it follows from the caches alone and never from a measurement.
struct Blocks {
  // Addresses that are a multiple of set_bytes apart compete for the same set
  // of the first-level cache, which holds `ways` of them.
  int64_t set_bytes;
  int64_t ways;

  // Of operand a, or of Winograd's transformed input, in a block of rows. All
  // of operand b passes by each block; one that is larger than `stays` comes
  // from a farther cache each time, so that fewer, larger blocks pay.
  int64_t rows_of(int64_t b_bytes) const {
    return b_bytes > stays ? most_rows : rows;
  }
  int64_t rows, most_rows, stays;

  int64_t gemm_depth;           // of rows that are copied or packed first
  int64_t gemm_depth_in_place;  // of rows that are read where they are
  int64_t gemm_depth_fp16;      // of products with sums in fp16

  int64_t strassen_rows;   // of operand a and its sums in a block
  int64_t strassen_depth;  // of both halves together, at most

  int64_t fused_lines;         // of lines between two fused convolutions
  int64_t fused_large_filter;  // a filter that is better read once for as many
                               // bytes of lines

  int64_t spread_good;  // of input spread for a transposed convolution
  int64_t spread_most;
};

Blocks BlocksOf(const CacheSizes& caches);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_BLOCKS_H_
