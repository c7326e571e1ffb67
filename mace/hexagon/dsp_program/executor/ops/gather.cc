// Gather: entries of an axis by constant indices, such as the rows and columns
// of a resize to the nearest.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kIndices, kY };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<GatherParams>();
  constexpr int32_t kLimit = 1 << 28;
  if (!IsWithin(p.outer, 1, kLimit) || !IsWithin(p.in, 1, kLimit) ||
      !IsWithin(p.out, 1, kLimit) || !IsWithin(p.inner, 1, kLimit)) {
    return kBadParameter;
  }
  const uint64_t written = Times(p.outer, p.out, p.inner);
  if (node.bytes(kX) < Times(p.outer, p.in, p.inner) ||
      node.bytes(kIndices) < Times(p.out, 4) || node.bytes(kY) < written) {
    return kBadSize;
  }
  *work = written;
  return kDspOk;
}

#if defined(__hexagon__)

void Run(const NodeView& node) {
  const auto& p = node.get<GatherParams>();
  const uint8_t* x = node.data(kX);
  const auto* indices = node.as<const int32_t>(kIndices);
  const Share share = node.ShareOf(p.outer * p.out);
  uint8_t* y = node.data(kY) + share.begin * p.inner;
  int32_t outer = share.begin / p.out, i = share.begin - outer * p.out;
  for (int32_t k = share.begin; k < share.end; ++k, ++i, y += p.inner) {
    if (i == p.out) {
      i = 0;
      ++outer;
    }
    int32_t at = indices[i];  // the host may change constants at any time
    if (at < 0) at = 0;
    if (at >= p.in) at = p.in - 1;
    CopyBytes(y, x + (outer * p.in + at) * p.inner, p.inner);
  }
}

#endif

}  // namespace

extern const OpDef kGatherOp;
const OpDef kGatherOp = {
    2, 1, 0, sizeof(GatherParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
