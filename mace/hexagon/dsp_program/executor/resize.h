// What resizes between two rows and two columns share.
// SPDX-License-Identifier: Apache-2.0
//
// Included by executor/ops/resize_bilinear.cc (kResizeBilinear) and
// resize_bilinear_real.cc (kResizeBilinearReal), which differ in the arithmetic
// of a pixel only. The host computes which rows and columns each pixel of y
// lies between, so that the DSP needs no coordinates (ResizeParams):
//
//             column c[0]      column c[1]
//   row r[0]    at[0] -------- at[2]       r[2]: weight of row r[1]
//                 |      y       |         c[2]: weight of column c[1]
//   row r[1]    at[1] -------- at[3]
#ifndef MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_RESIZE_H_
#define MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_RESIZE_H_

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

namespace mace::hexagon {

enum ResizeOperand { kResizeX, kResizeRows, kResizeColumns, kResizeY };

// OpDef::check of both ops. The tables have 12 bytes for each row and each
// column of y: two indices and a weight. Their indices are not checked here but
// limited by RunResize.
inline DspError CheckResize(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<ResizeParams>();
  const int32_t extents[] = {p.batch, p.in_h,  p.in_w,
                             p.out_h, p.out_w, p.channels};
  for (const int32_t n : extents) {
    if (!IsWithin(n, 1, kMaxExtent)) return kBadParameter;
  }
  const uint64_t written = Times(p.batch, p.out_h, p.out_w, p.channels);
  if (node.bytes(kResizeX) < Times(p.batch, p.in_h, p.in_w, p.channels) ||
      node.bytes(kResizeRows) < Times(p.out_h, 12) ||
      node.bytes(kResizeColumns) < Times(p.out_w, 12) ||
      node.bytes(kResizeY) < written) {
    return kBadSize;
  }
  *work = Times(written, 4);
  return kDspOk;
}

// The four pixels around a pixel of y, in the order of the drawing: (row,
// column) is (0, 0), (1, 0), (0, 1) and (1, 1). Each has the channels of x and
// is not aligned; up to kReadSlack bytes past its end may be read. `row` and
// `column` are the three words of a table's entry. The third is the weight of
// the second index: 0 to 1024, or the bits of a float for kResizeBilinearReal.
// The host may write any bits there, so arithmetic must be safe for all.
struct ResizeCorners {
  const uint8_t* at[4];
  const int32_t* row;
  const int32_t* column;
};

// Calls pixel(corners, channels, y) for the pixels of the node's slice, in the
// order in which they lie in y. `pixel` writes `channels` bytes at `y`, which
// is not aligned, and no others: the next pixel may be another slice's. Units
// of work are rows of y.
template <typename F>
inline void RunResize(const NodeView& node, const F& pixel) {
  const auto& p = node.get<ResizeParams>();
  // The tables lie in memory that the host can write while the node runs: an
  // index is limited where it is used, not when the graph is checked.
  const auto limit = [](int32_t at, int32_t n) {
    return at < 0 ? 0 : at >= n ? n - 1 : at;
  };
  const auto* rows = node.as<const int32_t>(kResizeRows);
  const auto* columns = node.as<const int32_t>(kResizeColumns);
  const int32_t row_bytes = p.in_w * p.channels;
  const Share share = node.ShareOf(p.batch * p.out_h);
  uint8_t* y = node.data(kResizeY) + share.begin * p.out_w * p.channels;
  for (int32_t line = share.begin; line < share.end; ++line) {
    const int32_t image = line / p.out_h;
    const int32_t* r = rows + 3 * (line - image * p.out_h);
    const uint8_t* x = node.data(kResizeX) + image * p.in_h * row_bytes;
    const uint8_t* top = x + limit(r[0], p.in_h) * row_bytes;
    const uint8_t* bottom = x + limit(r[1], p.in_h) * row_bytes;
    for (int32_t j = 0; j < p.out_w; ++j, y += p.channels) {
      const int32_t* c = columns + 3 * j;
      const int32_t left = limit(c[0], p.in_w) * p.channels;
      const int32_t right = limit(c[1], p.in_w) * p.channels;
      const ResizeCorners corners = {
          {top + left, bottom + left, top + right, bottom + right}, r, c};
      pixel(corners, p.channels, y);
    }
  }
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_DSP_PROGRAM_EXECUTOR_RESIZE_H_
