// Blocks: the block sizes with which the data of kernels stays in a cache.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_BLOCKS_H_
#define MACE_CPU_COMMON_BLOCKS_H_

#include <cstdint>

#include "mace/cpu/common/cache_sizes.h"

namespace mace::cpu {

// Sizes are in bytes unless they say otherwise. A depth is the number of k that
// a matrix product multiplies at a time. How depths are divided determines how
// sums are rounded, so they follow from the caches alone and never from a
// measurement.
struct Blocks {
  // Addresses whose distance is a multiple of set_bytes compete for the same
  // set of the first-level cache, which holds `ways` of them.
  int64_t set_bytes;
  int64_t ways;

  // Returns the size of a block of rows of operand a, or of Winograd's
  // transformed input. Every block reads all of operand b. If b is larger than
  // `stays`, it comes from a farther cache each time, so fewer, larger blocks
  // pay.
  int64_t rows_of(int64_t b_bytes) const {
    return b_bytes > stays ? most_rows : rows;
  }
  int64_t rows, most_rows, stays;

  // Data that is read repeatedly stays in the first-level cache if it and the
  // part of other data in use together have at most `first_level` bytes. Such a
  // part needs no more than about `part` bytes.
  int64_t first_level, part;

  int64_t gemm_depth;           // for rows that are copied or packed first
  int64_t gemm_depth_in_place;  // for rows that are read in place
  int64_t gemm_depth_fp16;      // for products with sums in fp16

  int64_t strassen_rows;   // of operand a and its sums in a block
  int64_t strassen_depth;  // the largest depth, of both halves together

  int64_t fused_lines;  // lines between two fused convolutions
  // Instead of fused_lines if the filter of the 1x1 convolution is larger than
  // this, so that the filter is read less often.
  int64_t fused_large_filter;

  // Input spread for a transposed convolution (deconv_depthwise.cc): a good
  // size, and the largest that is still worth it.
  int64_t spread_good;
  int64_t spread_most;
};

// Returns the block sizes for these caches.
Blocks BlocksOf(const CacheSizes& caches);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_BLOCKS_H_
