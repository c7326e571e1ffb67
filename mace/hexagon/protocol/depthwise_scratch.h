// The scratch of depthwise convolutions: lines of the input with their padding,
// of a tile of its channels or of all.
// SPDX-License-Identifier: Apache-2.0
//
// Of each slice, aligned to 128:
//
//   | acc | line outside | line 0 | ... | line `lines` - 1 | kReadSlack |
//
//   a line:  | padding | row of x, tile or all channels | padding | a vector |
//            |<------ `columns` pixels of `channels` bytes ------>|
//
// The lines are a ring over the rows of x, row r in line r % lines, so that
// moving the window down copies new rows only. Rows above and below the input
// are the line outside, which has x's zero point everywhere.
#ifndef MACE_HEXAGON_PROTOCOL_DEPTHWISE_SCRATCH_H_
#define MACE_HEXAGON_PROTOCOL_DEPTHWISE_SCRATCH_H_

#include "mace/hexagon/protocol/graph_format.h"
#include "mace/hexagon/protocol/ops.h"
#include "mace/hexagon/protocol/sizes.h"

namespace mace::hexagon {

// The maximum number of output pixels (if is_flat: of vectors of several output
// pixels) computed together.
constexpr int32_t kStripPixels = 64;
// The maximum number of groups of four rows of a window: the executor has
// pointers to the rows of all groups on its stack.
constexpr int32_t kMaxRowGroups = 16;

struct DepthwiseScratch {
  // Reads channels, tile, h and w. Without a dilation of rows, `lines` are the
  // rows of a window; `columns` are all that the windows of a row reach.
  // REQUIRES: p.channels > 0.
  explicit DepthwiseScratch(const DepthwiseParams& p)
      : is_flat(p.w.stride == 1 && p.channels < 128 && 128 % p.channels == 0),
        channels(is_flat ? p.channels : p.tile),
        columns(uint64_t{1} + Times(p.w.out - 1, p.w.stride) +
                Times(p.w.kernel - 1, p.w.dilation)),
        lines(uint64_t{1} + Times(p.h.kernel - 1, p.h.dilation)) {}

  // Whether lines have no gaps between pixels, so that vectors hold several:
  // 128 / channels of them, next to each other also in y.
  bool is_flat;
  uint64_t channels;  // of a pixel of a line
  uint64_t columns;   // of a line
  uint64_t lines;     // and one more, which lies outside the input

  // A vector more than the pixels, as vectors of the last pixels reach beyond
  // them.
  uint64_t line_bytes() const {
    return RoundUp(Times(columns, channels), 128) + 128;
  }
  // 128 words of sums for each pixel, or vector of pixels, of a strip.
  uint64_t acc_bytes() const { return kStripPixels * 512; }
  // Of one slice; kHuge or more if that is too large.
  uint64_t bytes() const {
    return acc_bytes() + Times(lines + 1, line_bytes()) + kReadSlack;
  }
};

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_DEPTHWISE_SCRATCH_H_
