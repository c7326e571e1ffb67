// ResizeBilinear of signed quantized values: weights of 10 bits along both
// axes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/executor/graph.h"
#include "mace/hexagon/dsp_program/executor/resize.h"

#if defined(__hexagon__)
#include "mace/hexagon/dsp_program/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

#if defined(__hexagon__)

constexpr int32_t kOne = 1 << 10;

// Sums of 20 fraction bits to quantized values, rounded half away from zero.
Vec ToQuantized(Vec sum) {
  const Vec sign = Q6_Vw_vasr_VwR(Q6_Vw_vsub_VwVw(sum, SplatWord(1)), 31);
  const Vec rounded = Q6_Vw_vadd_VwVw(Q6_Vw_vabs_Vw(sum), SplatWord(1 << 19));
  const Vec size = Q6_Vw_vasr_VwR(rounded, 20);
  // -size where sum <= 0
  return Q6_Vw_vsub_VwVw(Q6_V_vxor_VV(size, sign), sign);
}

void Pixel(const ResizeCorners& corners, int32_t channels, uint8_t* y) {
  const int32_t dy = corners.row[2], dx = corners.column[2];
  const Vec weights[4] = {SplatWord((kOne - dy) * (kOne - dx)),
                          SplatWord(dy * (kOne - dx)),
                          SplatWord((kOne - dy) * dx), SplatWord(dy * dx)};
  for (int32_t c = 0; c < channels; c += kVec) {
    const Vec zero = Q6_V_vzero();
    Words sum = {{zero, zero, zero, zero}};
    for (int k = 0; k < 4; ++k) {
      const Words values = Widen(LoadUnaligned(corners.at[k] + c), true);
      for (int b = 0; b < 4; ++b) {
        sum.w[b] =
            Q6_Vw_vadd_VwVw(sum.w[b], MultiplyLow(values.w[b], weights[k]));
      }
    }
    for (int b = 0; b < 4; ++b) sum.w[b] = ToQuantized(sum.w[b]);
    const Vec values = Pack(sum, true, zero, SplatByte(-128), SplatByte(127));
    const int32_t left = channels - c;
    StoreBytes(y + c, values, left < kVec ? left : kVec);
  }
}

void Run(const NodeView& node) { RunResize(node, Pixel); }

#endif

}  // namespace

extern const OpDef kResizeBilinearOp;
const OpDef kResizeBilinearOp = {
    3, 1, 0, sizeof(ResizeParams) / 4, 1, CheckResize, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
