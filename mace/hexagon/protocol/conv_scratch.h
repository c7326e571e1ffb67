// The scratch of convolutions and matrix products.
// SPDX-License-Identifier: Apache-2.0
//
// Included by the executor and by packing/nodes.cc, which must agree on it. Of
// each slice, aligned to 128:
//
//   | acc: kAccBytes | sums: kSumsBytes | patches: rows * depth | kReadSlack |
#ifndef MACE_HEXAGON_PROTOCOL_CONV_SCRATCH_H_
#define MACE_HEXAGON_PROTOCOL_CONV_SCRATCH_H_

#include "mace/hexagon/protocol/graph_format.h"
#include "mace/hexagon/protocol/ops.h"
#include "mace/hexagon/protocol/sizes.h"

namespace mace::hexagon {

// The deepest row of a patch, in bytes: offsets of a block of 32 such rows have
// 32 bits.
constexpr uint32_t kMaxConvDepth = 1 << 20;
// 32 rows of 128 sums, and a group of 128 words more, because requantizing
// reads whole groups, however few outputs there are.
constexpr uint32_t kAccBytes = kConvRows * 128 * 4 + 512;
constexpr uint32_t kSumsBytes = kConvRows * 4;

// Bytes of one slice that computes `rows` rows of `depth` bytes at a time.
// kHuge or more if that is too large.
inline uint64_t ConvScratchBytes(int32_t rows, int32_t depth) {
  return kAccBytes + kSumsBytes + Times(rows, depth) + kReadSlack;
}

struct ConvScratch {
  // REQUIRES: `at` is aligned to 128 and has ConvScratchBytes. Owns nothing.
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
