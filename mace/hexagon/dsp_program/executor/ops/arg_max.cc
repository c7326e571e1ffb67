// ArgMax: where the largest, or the least, quantized value along an axis is.
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
  const auto& p = node.get<ArgMaxParams>();
  constexpr int32_t kLimit = 1 << 28;
  if (!IsWithin(p.outer, 1, kLimit) || !IsWithin(p.n, 1, kMaxExtent) ||
      !IsWithin(p.inner, 1, kLimit) || !IsWithin(p.is_min, 0, 1) ||
      !IsWithin(p.is_last, 0, 1) || !IsWithin(p.is_signed, 0, 1) ||
      !IsWithin(p.is_wide, 0, 1)) {
    return kBadParameter;
  }
  const uint64_t written = Times(p.outer, p.inner, p.is_wide != 0 ? 8 : 4);
  if (node.bytes(kX) < Times(p.outer, p.n, p.inner) ||
      node.bytes(kY) < written) {
    return kBadSize;
  }
  *work = Times(p.outer, p.n, RoundUp(p.inner, 128));
  return kDspOk;
}

#if defined(__hexagon__)

struct ArgMax {
  const ArgMaxParams& p;

  // Turns quantized values into bytes without a sign, of which the largest is
  // sought.
  int32_t turn() const {
    return (p.is_signed != 0 ? 0x80 : 0) ^ (p.is_min != 0 ? 0xff : 0);
  }

  int32_t OfLine(const uint8_t* x) const {
    const int32_t flip = turn(), last = p.is_last;
    int32_t best = 0, most = -1;
    for (int32_t i = 0; i < p.n; ++i) {
      const int32_t value = x[i] ^ flip;
      if (value + last <= most) continue;
      best = i;
      most = value;
    }
    return best;
  }

  // Of 128 lines side by side; stores `count` of them.
  void OfLines(const uint8_t* x, int32_t count, uint8_t* y) const {
    const Vec flip = SplatByte(turn()), zero = Q6_V_vzero();
    Vec most = Q6_V_vxor_VV(LoadUnaligned(x), flip), low = zero, high = zero;
    for (int32_t i = 1; i < p.n; ++i) {
      const Vec values = Q6_V_vxor_VV(LoadUnaligned(x + i * p.inner), flip);
      const HVX_VectorPred better =
          p.is_last != 0 ? Q6_Q_not_Q(Q6_Q_vcmp_gt_VubVub(most, values))
                         : Q6_Q_vcmp_gt_VubVub(values, most);
      most = Q6_V_vmux_QVV(better, values, most);
      low = Q6_V_vmux_QVV(better, SplatByte(i), low);
      high = Q6_V_vmux_QVV(better, SplatByte(i >> 8), high);
    }
    const Words words = Interleave(low, high, zero, zero);
    for (int b = 0; b < 4; ++b, count -= 32) {
      if (p.is_wide == 0) {
        y = StoreSome(y, words.w[b], count * 4);
        continue;
      }
      const VecPair wide = Q6_W_vshuff_VVR(zero, words.w[b], -4);
      y = StoreSome(y, Q6_V_lo_W(wide), count * 8);
      y = StoreSome(y, Q6_V_hi_W(wide), count * 8 - kVec);
    }
  }

  // At most `bytes` bytes, which may be 0 or less.
  static uint8_t* StoreSome(uint8_t* y, Vec v, int32_t bytes) {
    if (bytes > 0) StoreBytes(y, v, bytes < kVec ? bytes : kVec);
    return y + kVec;
  }
};

// Units are lines, or 128 of them side by side.
void Run(const NodeView& node) {
  const auto& p = node.get<ArgMaxParams>();
  const ArgMax arg_max = {p};
  const uint8_t* x = node.data(kX);
  uint8_t* y = node.data(kY);
  const int32_t bytes = p.is_wide != 0 ? 8 : 4;
  if (p.inner == 1) {
    const Share share = node.ShareOf(p.outer);
    for (int32_t o = share.begin; o < share.end; ++o) {
      auto* to = reinterpret_cast<int32_t*>(y + o * bytes);
      to[0] = arg_max.OfLine(x + o * p.n);
      if (p.is_wide != 0) to[1] = 0;
    }
    return;
  }
  const int32_t blocks = (p.inner + kVec - 1) / kVec;
  const Share share = node.ShareOf(p.outer * blocks);
  for (int32_t unit = share.begin; unit < share.end; ++unit) {
    const int32_t o = unit / blocks, c = unit % blocks * kVec;
    const int32_t left = p.inner - c;
    arg_max.OfLines(x + o * p.n * p.inner + c, left < kVec ? left : kVec,
                    y + (o * p.inner + c) * bytes);
  }
}

#endif

}  // namespace

extern const OpDef kArgMaxOp;
const OpDef kArgMaxOp = {
    1, 1, 0, sizeof(ArgMaxParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
