// ResizeBilinear of quantized values without a sign, with the results of
// floats: fixed point computes each quantized value, and floats those few whose
// rounding it leaves in doubt.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/dsp_program/executor/resize.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

#if defined(__hexagon__)

constexpr int kBits = 22;  // fraction bits of weights and sums
// More than the errors of four products in fixed point, 1.25 * 255 * 2^-22
// each, and in floats, 2^-13 in all.
constexpr int32_t kDoubt = 1 << (kBits - 11);

float AsFloat(int32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}

// In the order of ResizeCorners: factors along rows and along columns.
struct Weights {
  explicit Weights(const ResizeCorners& corners) {
    const float y = AsFloat(corners.row[2]), x = AsFloat(corners.column[2]);
    const float v[2] = {1 - y, y}, u[2] = {1 - x, x};
    for (int k = 0; k < 4; ++k) {
      along_rows[k] = v[k & 1];
      along_columns[k] = u[k >> 1];
      fixed[k] = static_cast<int32_t>(v[k & 1] * u[k >> 1] *
                                      static_cast<float>(1 << kBits));
    }
    is_exact = IsShort(y) && IsShort(x);
  }

  // Whether sums with such shares have no rounding, in floats or fixed point.
  static bool IsShort(float share) {
    const float scaled = share * 256;
    return share >= 0 && share <= 1 &&
           static_cast<float>(static_cast<int32_t>(scaled)) == scaled;
  }

  uint8_t InFloats(const ResizeCorners& corners, int32_t c) const {
    float sum = 0;
    for (int k = 0; k < 4; ++k) {
      const float part = static_cast<float>(corners.at[k][c]) * along_rows[k] *
                         along_columns[k];
      sum = k == 0 ? part : sum + part;
    }
    return static_cast<uint8_t>(static_cast<int32_t>(sum + 0.5f));
  }

  float along_rows[4], along_columns[4];
  int32_t fixed[4];
  bool is_exact;
};

bool HasAny(Vec words) {
  for (int32_t step = 64; step >= 4; step /= 2) {
    words = Q6_V_vor_VV(words, Q6_V_vror_VR(words, step));
  }
  return Q6_R_vextract_VR(words, 0) != 0;
}

// Which of 32 sums, after their rounding, are next to a whole number.
Vec InDoubt(Vec rounded) {
  constexpr int32_t kMask = (1 << kBits) - 1;
  const Vec rest = Q6_V_vand_VV(Q6_Vw_vadd_VwVw(rounded, SplatWord(kDoubt)),
                                SplatWord(kMask));
  return Q6_V_vand_QR(Q6_Q_vcmp_gt_VwVw(SplatWord(2 * kDoubt + 1), rest), 1);
}

void Pixel(const ResizeCorners& corners, int32_t channels, uint8_t* y) {
  const Weights weights(corners);
  const Vec half = SplatWord(1 << (kBits - 1)), zero = Q6_V_vzero();
  for (int32_t c = 0; c < channels; c += kVec) {
    const int32_t left = channels - c, n = left < kVec ? left : kVec;
    Words sum = {{half, half, half, half}};
    for (int k = 0; k < 4; ++k) {
      const Words values = Widen(LoadUnaligned(corners.at[k] + c), false);
      const Vec weight = SplatWord(weights.fixed[k]);
      for (int b = 0; b < 4; ++b) {
        sum.w[b] = Q6_Vw_vadd_VwVw(sum.w[b], MultiplyLow(values.w[b], weight));
      }
    }
    Words values;
    alignas(kVec) int32_t doubts[kVec];
    Vec any = zero;
    for (int b = 0; b < 4; ++b) {
      values.w[b] = Q6_Vw_vasr_VwR(sum.w[b], kBits);
      const Vec doubt = InDoubt(sum.w[b]);
      Store(doubts + b * 32, doubt);
      any = Q6_V_vor_VV(any, doubt);
    }
    StoreBytes(y + c, Pack(values, false, zero, zero, SplatByte(255)), n);
    if (weights.is_exact || !HasAny(any)) continue;
    for (int32_t i = 0; i < n; ++i) {
      if (doubts[i] != 0) y[c + i] = weights.InFloats(corners, c + i);
    }
  }
}

void Run(const NodeView& node) { RunResize(node, Pixel); }

#endif

}  // namespace

extern const OpDef kResizeBilinearRealOp;
const OpDef kResizeBilinearRealOp = {
    3, 1, 0, sizeof(ResizeParams) / 4, 1, CheckResize, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
