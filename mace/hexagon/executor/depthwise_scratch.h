// The scratch of depthwise convolutions: lines of the input with their padding.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_EXECUTOR_DEPTHWISE_SCRATCH_H_
#define MACE_HEXAGON_EXECUTOR_DEPTHWISE_SCRATCH_H_

#include "mace/hexagon/executor/graph.h"
#include "mace/hexagon/executor/ops.h"

namespace mace::hexagon {

constexpr int32_t kStripPixels = 32;  // output pixels computed together
constexpr int32_t kMostRowGroups = 16;

struct DepthwiseScratch {
  explicit DepthwiseScratch(const DepthwiseParams& p)
      : channels(RoundUp(p.channels, 128)),
        columns(uint64_t{1} + Times(p.w.out - 1, p.w.stride) +
                Times(p.w.kernel - 1, p.w.dilation)),
        lines(uint64_t{1} + Times(p.h.kernel - 1, p.h.dilation)) {}

  uint64_t channels;  // in blocks of 128
  uint64_t columns;   // of a line
  uint64_t lines;     // and one more, which lies outside the input

  uint64_t line_bytes() const { return Times(columns, channels); }
  uint64_t acc_bytes() const { return kStripPixels * 512; }
  uint64_t bytes() const {
    return acc_bytes() + Times(lines + 1, line_bytes()) + kReadSlack;
  }
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_EXECUTOR_DEPTHWISE_SCRATCH_H_
