// Move: runs of bytes from any strides to any strides. Concat, Split, Slice,
// Pad, Transpose, DepthToSpace and their like are one or a few of it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

constexpr int kAxes = 5;

enum Operand { kX, kY };

// Whether all bytes that the strides lead to are among `bytes`.
bool IsInside(const MoveParams& p, int32_t offset, const int32_t* strides,
              uint32_t bytes) {
  int64_t least = offset, most = offset;
  for (int i = 0; i < kAxes; ++i) {
    const int64_t way = (int64_t{p.extents[i]} - 1) * strides[i];
    (way < 0 ? least : most) += way;
  }
  return least >= 0 && most + p.run <= int64_t{bytes};
}

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<MoveParams>();
  uint64_t runs = 1;
  constexpr int32_t kLimit = 1 << 30;
  for (int i = 0; i < kAxes; ++i) {
    if (!IsWithin(p.extents[i], 1, kLimit) ||
        !IsWithin(p.x_strides[i], -kLimit, kLimit) ||
        !IsWithin(p.y_strides[i], -kLimit, kLimit)) {
      return kBadParameter;
    }
    runs = Times(runs, p.extents[i]);
  }
  // No byte is written twice.
  if (!IsWithin(p.run, 1, kLimit) || Times(runs, p.run) > node.bytes(kY)) {
    return kBadParameter;
  }
  if (!IsInside(p, p.x_offset, p.x_strides, node.bytes(kX)) ||
      !IsInside(p, p.y_offset, p.y_strides, node.bytes(kY))) {
    return kBadSize;
  }
  *work = Times(runs, p.run);
  return kDspOk;
}

#if defined(__hexagon__)

struct Mover {
  const MoveParams& p;

  void Axis(int axis, const uint8_t* x, uint8_t* y) const {
    Part(axis, p.extents[axis], x, y);
  }

  // `n` steps along an axis.
  void Part(int axis, int32_t n, const uint8_t* x, uint8_t* y) const {
    const int32_t x_step = p.x_strides[axis], y_step = p.y_strides[axis];
    if (axis < kAxes - 1) {
      for (int32_t i = 0; i < n; ++i, x += x_step, y += y_step) {
        Axis(axis + 1, x, y);
      }
      return;
    }
    if (p.run < 8) {
      for (int32_t i = 0; i < n; ++i, x += x_step, y += y_step) {
        for (int32_t b = 0; b < p.run; ++b) y[b] = x[b];
      }
      return;
    }
    for (int32_t i = 0; i < n; ++i, x += x_step, y += y_step) {
      CopyBytes(y, x, p.run);
    }
  }
};

void Run(const NodeView& node) {
  const auto& p = node.get<MoveParams>();
  const uint8_t* x = node.data(kX) + p.x_offset;
  uint8_t* y = node.data(kY) + p.y_offset;
  int axis = 0;  // the first one that is there
  while (axis < kAxes - 1 && p.extents[axis] == 1) ++axis;
  if (p.extents[axis] == 1) {  // one run
    const Share bytes = node.ShareOf(p.run);
    CopyBytes(y + bytes.begin, x + bytes.begin, bytes.end - bytes.begin);
    return;
  }
  const Share share = node.ShareOf(p.extents[axis]);
  Mover{p}.Part(axis, share.end - share.begin,
                x + share.begin * p.x_strides[axis],
                y + share.begin * p.y_strides[axis]);
}

#endif

}  // namespace

extern const OpDef kMoveOp;
const OpDef kMoveOp = {
    1, 1, 0, sizeof(MoveParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
