// ResizeBilinear of signed codes: weights of 10 bits along both axes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/executor/window.h"

#if defined(__hexagon__)
#include "mace/hexagon/hvx/hvx.h"
#endif

namespace mace::hexagon {
namespace {

enum Operand { kX, kRows, kColumns, kY };

DspError Check(const NodeView& node, uint64_t* work) {
  const auto& p = node.get<ResizeParams>();
  const int32_t extents[] = {p.batch, p.in_h,  p.in_w,
                             p.out_h, p.out_w, p.channels};
  for (const int32_t n : extents) {
    if (!IsWithin(n, 1, kMostExtent)) return kBadParameter;
  }
  const uint64_t written = Times(p.batch, p.out_h, p.out_w, p.channels);
  if (node.bytes(kX) < Times(p.batch, p.in_h, p.in_w, p.channels) ||
      node.bytes(kRows) < Times(p.out_h, 12) ||
      node.bytes(kColumns) < Times(p.out_w, 12) || node.bytes(kY) < written) {
    return kBadSize;
  }
  *work = Times(written, 4);
  return kDspOk;
}

#if defined(__hexagon__)

constexpr int32_t kOne = 1 << 10;

int32_t Limit(int32_t at, int32_t n) {  // constants may change at any time
  return at < 0 ? 0 : at >= n ? n - 1 : at;
}

// Sums of 20 fraction bits to codes, rounded half away from zero.
Vec ToCodes(Vec sum) {
  const Vec sign = Q6_Vw_vasr_VwR(Q6_Vw_vsub_VwVw(sum, SplatWord(1)), 31);
  const Vec rounded = Q6_Vw_vadd_VwVw(Q6_Vw_vabs_Vw(sum), SplatWord(1 << 19));
  const Vec size = Q6_Vw_vasr_VwR(rounded, 20);
  // -size where sum <= 0
  return Q6_Vw_vsub_VwVw(Q6_V_vxor_VV(size, sign), sign);
}

struct Corner {
  const uint8_t* at;
  int32_t weight;
};

void Pixel(const Corner* corners, int32_t channels, uint8_t* y) {
  Vec weights[4];
  for (int k = 0; k < 4; ++k) weights[k] = SplatWord(corners[k].weight);
  for (int32_t c = 0; c < channels; c += kVec) {
    const Vec zero = Q6_V_vzero();
    Words sum = {{zero, zero, zero, zero}};
    for (int k = 0; k < 4; ++k) {
      const Words codes = Widen(LoadUnaligned(corners[k].at + c), true);
      for (int b = 0; b < 4; ++b) {
        sum.w[b] =
            Q6_Vw_vadd_VwVw(sum.w[b], MultiplyLow(codes.w[b], weights[k]));
      }
    }
    for (int b = 0; b < 4; ++b) sum.w[b] = ToCodes(sum.w[b]);
    const Vec codes = Pack(sum, true, zero, SplatByte(-128), SplatByte(127));
    const int32_t left = channels - c;
    StoreBytes(y + c, codes, left < kVec ? left : kVec);
  }
}

void Run(const NodeView& node) {
  const auto& p = node.get<ResizeParams>();
  const uint8_t* x = node.data(kX);
  uint8_t* y = node.data(kY);
  const auto* rows = node.as<const int32_t>(kRows);
  const auto* columns = node.as<const int32_t>(kColumns);
  const int32_t row_bytes = p.in_w * p.channels;
  for (int32_t b = 0; b < p.batch; ++b, x += p.in_h * row_bytes) {
    for (int32_t i = 0; i < p.out_h; ++i) {
      const int32_t* r = rows + 3 * i;
      const uint8_t* top = x + Limit(r[0], p.in_h) * row_bytes;
      const uint8_t* bottom = x + Limit(r[1], p.in_h) * row_bytes;
      for (int32_t j = 0; j < p.out_w; ++j, y += p.channels) {
        const int32_t* c = columns + 3 * j;
        const int32_t left = Limit(c[0], p.in_w) * p.channels;
        const int32_t right = Limit(c[1], p.in_w) * p.channels;
        const Corner corners[4] = {{top + left, (kOne - r[2]) * (kOne - c[2])},
                                   {bottom + left, r[2] * (kOne - c[2])},
                                   {top + right, (kOne - r[2]) * c[2]},
                                   {bottom + right, r[2] * c[2]}};
        Pixel(corners, p.channels, y);
      }
    }
  }
}

#endif

}  // namespace

extern const OpDef kResizeBilinearOp;
const OpDef kResizeBilinearOp = {
    3, 1, 0, sizeof(ResizeParams) / 4, 1, Check, MACE_DSP_RUN(Run)};

}  // namespace mace::hexagon
