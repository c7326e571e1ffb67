// Packs the rows of a matrix for a GEMM micro-kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_TESTING_PACK_ROWS_H_
#define MACE_CPU_UKERNELS_TESTING_PACK_ROWS_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "mace/cpu/ukernels/gemm/gemm_table.h"

namespace mace::cpu {

// The positions of m rows, in elements of X: row i is `segments` runs of k
// elements each, which begin `segment_stride` apart, the first of them at i *
// stride; see gemm.h.
struct RowsAt {
  size_t m, k, segments;
  ptrdiff_t stride, segment_stride;
};

// Packs all rows of `x` as operand a, tile by tile, as a driver does, and
// returns the tiles, one behind the other:
//
//   tile 0 | mr x depth |  tile 1 | mr x depth |  ..
//
// where depth is k * segments, rounded up to a multiple of k_tile. The last
// tile may have fewer rows. Bytes that packing does not write are 0xff, which
// is NaN in floats, so that a micro-kernel that reads them gives wrong results.
// REQUIRES: kernel.pack is not null, and X is the type kernel.types.x.
template <typename X>
std::vector<uint8_t> PackedRows(const GemmUkernel& kernel, const RowsAt& rows,
                                const X* x) {
  const size_t mr = kernel.mr, tile = kernel.packing.k_tile;
  const size_t depth = (rows.k * rows.segments + tile - 1) / tile * tile;
  const size_t tile_bytes = mr * depth * SizeOf(kernel.types.a);
  std::vector<uint8_t> packed((rows.m + mr - 1) / mr * tile_bytes, 0xff);
  for (size_t first = 0; first < rows.m; first += mr) {
    const size_t m = std::min(rows.m - first, mr);
    const void* at[kGemmMaxRows];
    for (size_t i = 0; i < m; ++i) {
      at[i] = x + static_cast<ptrdiff_t>(first + i) * rows.stride;
    }
    kernel.pack({m, rows.k, rows.segments, at, rows.segment_stride},
                packed.data() + first / mr * tile_bytes);
  }
  return packed;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_PACK_ROWS_H_
