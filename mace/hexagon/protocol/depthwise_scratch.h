// The scratch of depthwise convolutions: lines of the input with their padding,
// and of a tile of its channels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_PROTOCOL_DEPTHWISE_SCRATCH_H_
#define MACE_HEXAGON_PROTOCOL_DEPTHWISE_SCRATCH_H_

#include "mace/hexagon/protocol/graph_format.h"
#include "mace/hexagon/protocol/ops.h"
#include "mace/hexagon/protocol/sizes.h"

namespace mace::hexagon {

constexpr int32_t kStripPixels = 64;  // output pixels computed together
constexpr int32_t kMaxRowGroups = 16;

struct DepthwiseScratch {
  explicit DepthwiseScratch(const DepthwiseParams& p)
      : is_flat(p.w.stride == 1 && p.channels < 128 && 128 % p.channels == 0),
        channels(is_flat ? p.channels : p.tile),
        columns(uint64_t{1} + Times(p.w.out - 1, p.w.stride) +
                Times(p.w.kernel - 1, p.w.dilation)),
        lines(uint64_t{1} + Times(p.h.kernel - 1, p.h.dilation)) {}

  // Whether lines have no gaps between pixels, so that vectors hold several.
  bool is_flat;
  uint64_t channels;  // of a pixel of a line
  uint64_t columns;   // of a line
  uint64_t lines;     // and one more, which lies outside the input

  uint64_t line_bytes() const {
    return RoundUp(Times(columns, channels), 128) + 128;
  }
  uint64_t acc_bytes() const { return kStripPixels * 512; }
  uint64_t bytes() const {
    return acc_bytes() + Times(lines + 1, line_bytes()) + kReadSlack;
  }
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_DEPTHWISE_SCRATCH_H_
