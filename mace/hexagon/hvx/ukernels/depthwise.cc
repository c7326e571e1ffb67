// Depthwise convolutions by vrmpy: the bytes of four rows become one word for
// each channel, whose products with four codes of the filter are summed.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/hvx/hvx.h"
#include "mace/hexagon/hvx/ukernels/ukernels.h"

namespace mace::hexagon {
namespace {

template <bool kSigned>
MACE_HVX_INLINE Vec Add(Vec acc, Vec x, Vec w) {
  return kSigned ? Q6_Vw_vrmpyacc_VwVbVb(acc, x, w)
                 : Q6_Vw_vrmpyacc_VwVubVb(acc, x, w);
}

template <bool kSigned>
MACE_HVX_INLINE Vec Multiply(Vec x, Vec w) {
  return kSigned ? Q6_Vw_vrmpy_VbVb(x, w) : Q6_Vw_vrmpy_VubVb(x, w);
}

// The bytes of four rows, channel by channel.
MACE_HVX_INLINE Words Interleave(Vec a, Vec b, Vec c, Vec d) {
  const VecPair ab = Q6_W_vshuff_VVR(b, a, -1);
  const VecPair cd = Q6_W_vshuff_VVR(d, c, -1);
  const VecPair lo = Q6_W_vshuff_VVR(Q6_V_lo_W(cd), Q6_V_lo_W(ab), -2);
  const VecPair hi = Q6_W_vshuff_VVR(Q6_V_hi_W(cd), Q6_V_hi_W(ab), -2);
  return {{Q6_V_lo_W(lo), Q6_V_hi_W(lo), Q6_V_lo_W(hi), Q6_V_hi_W(hi)}};
}

MACE_HVX_INLINE Words Column(const uint8_t* const* rows, int32_t at) {
  const Vec a = Load(rows[0] + at), b = Load(rows[1] + at);
  const Vec c = Load(rows[2] + at);
  return Interleave(a, b, c, c);
}

// One output pixel from three columns.
template <bool kSigned>
MACE_HVX_INLINE void Pixel(const Words& x0, const Words& x1, const Words& x2,
                           const Vec* w, const Vec* first, Vec* acc) {
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    Vec sum = Q6_Vw_vadd_VwVw(first[b * 3], Multiply<kSigned>(x0.w[b], w[b]));
    sum = Add<kSigned>(sum, x1.w[b], w[4 + b]);
    acc[b] = Add<kSigned>(sum, x2.w[b], w[8 + b]);
  }
}

template <bool kSigned>
MACE_HVX_INLINE void Stride1(const DepthwiseArgs& args) {
  const auto* w = reinterpret_cast<const Vec*>(args.w);
  const auto* first = reinterpret_cast<const Vec*>(args.first);
  auto* acc = reinterpret_cast<Vec*>(args.acc);
  const int32_t step = args.column_stride;
  Words x0 = Column(args.rows, 0), x1 = Column(args.rows, step);
  int32_t at = 2 * step;
  int32_t left = args.pixels;
  for (; left >= 3; left -= 3) {
    const Words x2 = Column(args.rows, at);
    Pixel<kSigned>(x0, x1, x2, w, first, acc);
    x0 = Column(args.rows, at + step);
    Pixel<kSigned>(x1, x2, x0, w, first, acc + 4);
    x1 = Column(args.rows, at + 2 * step);
    Pixel<kSigned>(x2, x0, x1, w, first, acc + 8);
    at += 3 * step;
    acc += 12;
  }
  for (; left > 0; --left) {
    const Words x2 = Column(args.rows, at);
    Pixel<kSigned>(x0, x1, x2, w, first, acc);
    x0 = x1;
    x1 = x2;
    at += step;
    acc += 4;
  }
}

template <bool kSigned>
MACE_HVX_INLINE void Stride2(const DepthwiseArgs& args) {
  const auto* w = reinterpret_cast<const Vec*>(args.w);
  const auto* first = reinterpret_cast<const Vec*>(args.first);
  auto* acc = reinterpret_cast<Vec*>(args.acc);
  const int32_t step = args.column_stride;
  Words x0 = Column(args.rows, 0);
  int32_t at = step;
  for (int32_t left = args.pixels; left > 0; --left) {
    const Words x1 = Column(args.rows, at), x2 = Column(args.rows, at + step);
    Pixel<kSigned>(x0, x1, x2, w, first, acc);
    x0 = x2;
    at += 2 * step;
    acc += 4;
  }
}

template <bool kSigned>
MACE_HVX_INLINE void Any(const DepthwiseArgs& args) {
  const auto* first = reinterpret_cast<const Vec*>(args.first);
  auto* acc = reinterpret_cast<Vec*>(args.acc);
  for (int32_t p = 0; p < args.pixels; ++p, acc += 4) {
    const auto* w = reinterpret_cast<const Vec*>(args.w);
    Vec sum[4] = {first[0], first[3], first[6], first[9]};
    int32_t at = p * args.pixel_stride;
    for (int32_t c = 0; c < args.columns; ++c, at += args.column_stride) {
      const uint8_t* const* rows = args.rows;
      for (int32_t g = 0; g < args.row_groups; ++g, rows += 4) {
        const Words x = Interleave(Load(rows[0] + at), Load(rows[1] + at),
                                   Load(rows[2] + at), Load(rows[3] + at));
        for (int32_t pass = 0; pass < args.passes; ++pass, w += 4) {
#pragma unroll
          for (int b = 0; b < 4; ++b)
            sum[b] = Add<kSigned>(sum[b], x.w[b], w[b]);
        }
      }
    }
#pragma unroll
    for (int b = 0; b < 4; ++b) acc[b] = sum[b];
  }
}

}  // namespace

extern "C" {
void mace_depthwise_3s1_s8(const DepthwiseArgs& args) { Stride1<true>(args); }
void mace_depthwise_3s1_u8(const DepthwiseArgs& args) { Stride1<false>(args); }
void mace_depthwise_3s2_s8(const DepthwiseArgs& args) { Stride2<true>(args); }
void mace_depthwise_3s2_u8(const DepthwiseArgs& args) { Stride2<false>(args); }
void mace_depthwise_any_s8(const DepthwiseArgs& args) { Any<true>(args); }
void mace_depthwise_any_u8(const DepthwiseArgs& args) { Any<false>(args); }
}

}  // namespace mace::hexagon
