// Fill: one quantized value in a part of a tensor.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<FillParams>();
  if (p.offset < 0 || p.bytes < 1) return kBadParameter;
  if (uint64_t{node.bytes(0)} <
      static_cast<uint64_t>(p.offset) + static_cast<uint64_t>(p.bytes)) {
    return kBadSize;
  }
  *work = static_cast<uint64_t>(p.bytes);
  return kDspOk;
}

#if defined(__hexagon__)

void Run(const NodeView& node) {
  const auto& p = node.get<FillParams>();
  const Vec value = SplatByte(p.value);
  uint8_t* y = node.data(0) + p.offset;
  const Share share = node.ShareOf((p.bytes + kVec - 1) / kVec);
  for (int32_t i = share.begin * kVec; i < share.end * kVec; i += kVec) {
    if (i + kVec <= p.bytes) {
      StoreUnaligned(y + i, value);
    } else {
      StoreBytes(y + i, value, p.bytes - i);
    }
  }
}

#endif

}  // namespace

extern const OpDef kFillOp;
const OpDef kFillOp = {
    0, 1, 0, sizeof(FillParams) / 4, 0, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
