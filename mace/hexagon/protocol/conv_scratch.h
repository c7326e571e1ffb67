// The scratch of convolutions and matrix products.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_PROTOCOL_CONV_SCRATCH_H_
#define MACE_HEXAGON_PROTOCOL_CONV_SCRATCH_H_

#include "mace/hexagon/protocol/graph_format.h"
#include "mace/hexagon/protocol/ops.h"
#include "mace/hexagon/protocol/sizes.h"

namespace mace::hexagon {

constexpr uint32_t kMaxConvDepth = 1 << 20;
// 32 rows of 128 sums, of which kernels read 4 blocks whatever was computed.
constexpr uint32_t kAccBytes = kConvRows * 128 * 4 + 512;
constexpr uint32_t kSumsBytes = kConvRows * 4;

// For `rows` rows at a time; a slice needs so many.
inline uint64_t ConvScratchBytes(int32_t rows, int32_t depth) {
  return kAccBytes + kSumsBytes + Times(rows, depth) + kReadSlack;
}

struct ConvScratch {
  explicit ConvScratch(uint8_t* at)
      : acc(reinterpret_cast<int32_t*>(at)),
        sums(reinterpret_cast<int32_t*>(at + kAccBytes)),
        patches(at + kAccBytes + kSumsBytes) {}

  int32_t* acc;      // 32 rows of 128
  int32_t* sums;     // 32
  uint8_t* patches;  // rows of the depth; a vector more may be written
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_CONV_SCRATCH_H_
