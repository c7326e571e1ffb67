// Binary: sums, differences, their squares, products, minima, maxima and PRelu
// of two tensors.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/protocol/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kA, kB, kY };

// Bytes up to the last one that is read.
uint64_t Reach(const int32_t* extents, const int32_t* strides) {
  uint64_t last = 0;
  for (int i = 0; i < 4; ++i) last += Times(extents[i] - 1, strides[i]);
  return last + 1;
}

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<BinaryParams>();
  const int32_t least = p.is_signed != 0 ? -128 : 0;
  if (!IsWithin(p.kind, 0, kNumBinaryKinds - 1) || !IsValid(p.y, p.is_signed) ||
      !IsValid(p.a) || !IsValid(p.b) || !IsValid(p.scale) ||
      !IsWithin(p.a_zero_point, least, least + 255) ||
      !IsWithin(p.b_zero_point, least, least + 255)) {
    return kBadParameter;
  }
  constexpr int32_t kLimit = 1 << 30;
  for (int i = 0; i < 4; ++i) {
    const int32_t most = i == 3 ? 1 : kLimit;
    if (!IsWithin(p.extents[i], 1, kLimit) ||
        !IsWithin(p.a_strides[i], 0, most) ||
        !IsWithin(p.b_strides[i], 0, most)) {
      return kBadParameter;
    }
  }
  const uint64_t elements =
      Times(p.extents[0], p.extents[1], p.extents[2], p.extents[3]);
  if (node.bytes(kA) < Reach(p.extents, p.a_strides) ||
      node.bytes(kB) < Reach(p.extents, p.b_strides) ||
      node.bytes(kY) < elements) {
    return kBadSize;
  }
  *work = elements;
  return kDspOk;
}

#if defined(__hexagon__)

struct Binary {
  const BinaryParams& p;

  Vec Scaled(Vec words, const FixedParams& factor) const {
    return ScaleAny(words, SplatWord(factor.mantissa),
                    SplatWord(factor.exponent));
  }

  Words Compute(const Words& a, const Words& b) const {
    const Vec a_zero = SplatWord(p.a_zero_point);
    const Vec b_zero = SplatWord(p.b_zero_point);
    Words y;
    for (int i = 0; i < 4; ++i) {
      const Vec s = Q6_Vw_vsub_VwVw(a.w[i], a_zero);
      const Vec t = Q6_Vw_vsub_VwVw(b.w[i], b_zero);
      if (p.kind == kMul) {
        y.w[i] = Scaled(MultiplyLow(s, t), p.scale);
        continue;
      }
      if (p.kind == kPRelu) {
        y.w[i] =
            Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(Q6_V_vzero(), s),
                          Scaled(MultiplyLow(s, t), p.scale), Scaled(s, p.a));
        continue;
      }
      const int bits =
          p.kind == kSqrDiff ? kBinaryDifferenceBits : kBinarySumBits;
      const Vec u = Scaled(Q6_Vw_vasl_VwR(s, bits), p.a);
      const Vec v = Scaled(Q6_Vw_vasl_VwR(t, bits), p.b);
      if (p.kind == kSqrDiff) {
        const Vec difference = Q6_Vw_vsub_VwVw(u, v);
        y.w[i] = Scaled(MultiplyLow(difference, difference), p.scale);
        continue;
      }
      y.w[i] =
          Scaled(p.kind == kSub ? Q6_Vw_vsub_VwVw(u, v) : Q6_Vw_vadd_VwVw(u, v),
                 p.scale);
    }
    return y;
  }

  Vec Requantized(Vec a, Vec b) const {
    const bool is_signed = p.is_signed != 0;
    const Vec least = SplatByte(p.y.least), most = SplatByte(p.y.most);
    if (p.kind == kMin || p.kind == kMax) {
      const bool is_max = p.kind == kMax;
      if (is_signed) {
        const Vec v = is_max ? Q6_Vb_vmax_VbVb(a, b) : Q6_Vb_vmin_VbVb(a, b);
        return Q6_Vb_vmin_VbVb(Q6_Vb_vmax_VbVb(v, least), most);
      }
      const Vec v =
          is_max ? Q6_Vub_vmax_VubVub(a, b) : Q6_Vub_vmin_VubVub(a, b);
      return Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(v, least), most);
    }
    return Pack(Compute(Widen(a, is_signed), Widen(b, is_signed)), is_signed,
                SplatHalf(p.y.zero_point), least, most);
  }

  // The vectors [begin, end) of a line.
  void Line(const uint8_t* a, const uint8_t* b, int32_t begin, int32_t end,
            uint8_t* y) const {
    const int32_t n = p.extents[3];
    const int32_t a_step = p.a_strides[3], b_step = p.b_strides[3];
    for (int32_t i = begin * kVec; i < n && i < end * kVec; i += kVec) {
      const Vec u = a_step != 0 ? LoadUnaligned(a + i) : SplatByte(*a);
      const Vec v = b_step != 0 ? LoadUnaligned(b + i) : SplatByte(*b);
      StoreBytes(y + i, Requantized(u, v), n - i < kVec ? n - i : kVec);
    }
  }
};

// Units are vectors of lines.
void Run(const NodeView& node) {
  const auto& p = node.get<BinaryParams>();
  const Binary binary = {p};
  const int32_t vectors = (p.extents[3] + kVec - 1) / kVec;
  const int32_t lines = p.extents[0] * p.extents[1] * p.extents[2];
  const Share share = node.ShareOf(lines * vectors);
  int32_t line = share.begin / vectors;
  int32_t k = line % p.extents[2], j = line / p.extents[2] % p.extents[1];
  int32_t i = line / p.extents[2] / p.extents[1];
  const uint8_t *a = node.data(kA), *b = node.data(kB);
  uint8_t* y = node.data(kY) + line * p.extents[3];
  for (int32_t at = line * vectors; at < share.end; at += vectors) {
    const int32_t first = share.begin - at;
    binary.Line(
        a + i * p.a_strides[0] + j * p.a_strides[1] + k * p.a_strides[2],
        b + i * p.b_strides[0] + j * p.b_strides[1] + k * p.b_strides[2],
        first > 0 ? first : 0, share.end - at, y);
    y += p.extents[3];
    if (++k < p.extents[2]) continue;
    k = 0;
    if (++j < p.extents[1]) continue;
    j = 0;
    ++i;
  }
}

#endif

}  // namespace

extern const OpDef kBinaryOp;
const OpDef kBinaryOp = {
    2, 1, 0, sizeof(BinaryParams) / 4, 2, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
