// Reduce: sums of quantized values along an axis, scaled; a mean by its factor.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kY };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<ReduceParams>();
  constexpr int32_t kLimit = 1 << 28;
  if (!IsWithin(p.outer, 1, kLimit) || !IsWithin(p.n, 1, kLimit) ||
      !IsWithin(p.inner, 1, kLimit) || !IsValid(p.scale) ||
      !IsValid(p.y, p.is_signed)) {
    return kBadParameter;
  }
  const uint64_t read = Times(p.outer, p.n, p.inner);
  if (node.bytes(kX) < read || node.bytes(kY) < Times(p.outer, p.inner)) {
    return kBadSize;
  }
  *work = Times(p.outer, p.n, RoundUp(p.inner, 128));
  return kDspOk;
}

#if defined(__hexagon__)

void Run(const NodeView& node) {
  const auto& p = node.get<ReduceParams>();
  const bool is_signed = p.is_signed != 0;
  const Vec bias = SplatWord(p.bias);
  const Vec mantissa = SplatWord(p.scale.mantissa);
  const Vec exponent = SplatWord(p.scale.exponent);
  const int32_t blocks = (p.inner + kVec - 1) / kVec;
  const Share share = node.ShareOf(p.outer * blocks);
  for (int32_t unit = share.begin; unit < share.end; ++unit) {
    const int32_t o = unit / blocks, c = unit % blocks * kVec;
    const uint8_t* x = node.data(kX) + o * p.n * p.inner;
    uint8_t* y = node.data(kY) + o * p.inner;
    const Vec zero = Q6_V_vzero();
    Words sum = {{zero, zero, zero, zero}};
    const uint8_t* at = x + c;
    for (int32_t i = 0; i < p.n; ++i, at += p.inner) {
      const Words values = Widen(LoadUnaligned(at), is_signed);
      for (int b = 0; b < 4; ++b) {
        sum.w[b] = Q6_Vw_vadd_VwVw(sum.w[b], values.w[b]);
      }
    }
    for (int b = 0; b < 4; ++b) {
      sum.w[b] = ScaleAny(Q6_Vw_vsub_VwVw(sum.w[b], bias), mantissa, exponent);
    }
    const Vec values = Pack(sum, is_signed, SplatHalf(p.y.zero_point),
                            SplatByte(p.y.least), SplatByte(p.y.most));
    const int32_t left = p.inner - c;
    StoreBytes(y + c, values, left < kVec ? left : kVec);
  }
}

#endif

}  // namespace

extern const OpDef kReduceOp;
const OpDef kReduceOp = {
    1, 1, 0, sizeof(ReduceParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
