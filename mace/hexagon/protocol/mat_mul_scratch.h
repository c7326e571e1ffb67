// The scratch of matrix products: what convolutions have, and 128 columns of b
// as a packed filter.
// SPDX-License-Identifier: Apache-2.0
//
// b is an activation, so the executor packs it in each run, into the layout
// that PackFilter gives constant filters. Of each slice, aligned to 128:
//
//   | ConvScratch: conv_bytes | 4 blocks: filter_bytes | stage | kReadSlack |
#ifndef MACE_HEXAGON_PROTOCOL_MAT_MUL_SCRATCH_H_
#define MACE_HEXAGON_PROTOCOL_MAT_MUL_SCRATCH_H_

#include "mace/hexagon/protocol/conv_scratch.h"

namespace mace::hexagon {

constexpr int32_t kMatMulColumns = 128;  // of y, computed together

// Of a slice, for rows of `depth` bytes, a multiple of 8.
struct MatMulScratch {
  explicit MatMulScratch(int32_t depth)
      : conv_bytes(RoundUp(ConvScratchBytes(kConvRows, depth), 128)),
        filter_bytes(Times(depth, kMatMulColumns)) {}

  uint64_t conv_bytes, filter_bytes;
  // The stage of 4 blocks: 32 first sums, mantissas and exponents each.
  static constexpr uint64_t kStageBytes = 4 * 384;

  uint64_t bytes() const {
    return conv_bytes + filter_bytes + kStageBytes + kReadSlack;
  }
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_MAT_MUL_SCRATCH_H_
