// Depthwise convolutions by vrmpy: the bytes of four rows become one word for
// each channel, whose products with four quantized values of the filter are
// summed.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/dsp_program/hvx/hvx.h"
#include "mace/hexagon/dsp_program/hvx/ukernels/ukernels.h"

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

// What a strip of 3x3 windows needs, in registers.
struct Window3 {
  explicit Window3(const DepthwiseArgs& args)
      : r0(args.rows[0]), r1(args.rows[1]), r2(args.rows[2]) {
    const auto* values = reinterpret_cast<const Vec*>(args.w);
    first = reinterpret_cast<const Vec*>(args.first);
#pragma unroll
    for (int i = 0; i < 12; ++i) w[i] = values[i];
  }
  Words Column(int32_t at) const {
    const Vec c = Load(r2 + at);
    return Interleave(Load(r0 + at), Load(r1 + at), c, c);
  }

  const uint8_t *r0, *r1, *r2;
  const Vec* first;
  Vec w[12];
};

// One output pixel from three columns.
template <bool kSigned>
MACE_HVX_INLINE void Pixel(const Window3& window, const Words& x0,
                           const Words& x1, const Words& x2,
                           Vec* __restrict acc) {
  Vec sum[4];
#pragma unroll
  for (int b = 0; b < 4; ++b) sum[b] = Multiply<kSigned>(x0.w[b], window.w[b]);
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    sum[b] = Q6_Vw_vadd_VwVw(window.first[b * 3], sum[b]);
    sum[b] = Add<kSigned>(sum[b], x1.w[b], window.w[4 + b]);
  }
#pragma unroll
  for (int b = 0; b < 4; ++b) {
    acc[b] = Add<kSigned>(sum[b], x2.w[b], window.w[8 + b]);
  }
}

template <bool kSigned>
MACE_HVX_INLINE void Stride1(const DepthwiseArgs& args) {
  const Window3 window(args);
  auto* __restrict acc = reinterpret_cast<Vec*>(args.acc);
  const int32_t step = args.column_stride;
  Words x0 = window.Column(0), x1 = window.Column(step);
  int32_t at = 2 * step;
  int32_t left = args.pixels;
  for (; left >= 3; left -= 3, at += 3 * step, acc += 12) {
    const Words x2 = window.Column(at);
    Pixel<kSigned>(window, x0, x1, x2, acc);
    x0 = window.Column(at + step);
    Pixel<kSigned>(window, x1, x2, x0, acc + 4);
    x1 = window.Column(at + 2 * step);
    Pixel<kSigned>(window, x2, x0, x1, acc + 8);
  }
#pragma clang loop unroll(disable)
  for (; left > 0; --left, at += step, acc += 4) {
    const Words x2 = window.Column(at);
    Pixel<kSigned>(window, x0, x1, x2, acc);
    x0 = x1;
    x1 = x2;
  }
}

template <bool kSigned>
MACE_HVX_INLINE void Stride2(const DepthwiseArgs& args) {
  const Window3 window(args);
  auto* __restrict acc = reinterpret_cast<Vec*>(args.acc);
  const int32_t step = args.column_stride;
  Words x0 = window.Column(0);
  int32_t at = step;
  for (int32_t left = args.pixels; left > 0; --left, at += 2 * step, acc += 4) {
    const Words x1 = window.Column(at), x2 = window.Column(at + step);
    Pixel<kSigned>(window, x0, x1, x2, acc);
    x0 = x2;
  }
}

template <bool kAligned>
MACE_HVX_INLINE Vec LoadRow(const uint8_t* at) {
  return kAligned ? Load(at) : LoadUnaligned(at);
}

template <bool kSigned, bool kAligned>
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
        const Words x = Interleave(
            LoadRow<kAligned>(rows[0] + at), LoadRow<kAligned>(rows[1] + at),
            LoadRow<kAligned>(rows[2] + at), LoadRow<kAligned>(rows[3] + at));
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

// 3x3 windows in one pass, unrolled; else as Any.
template <bool kSigned>
MACE_HVX_INLINE void Flat(const DepthwiseArgs& args) {
  if (args.columns != 3 || args.row_groups != 1 || args.passes != 1) {
    Any<kSigned, false>(args);
    return;
  }
  const Window3 window(args);
  auto* __restrict acc = reinterpret_cast<Vec*>(args.acc);
  const int32_t step = args.column_stride, pixel_stride = args.pixel_stride;
  const auto column = [&](int32_t at) __attribute__((always_inline)) {
    const Vec c = LoadUnaligned(window.r2 + at);
    return Interleave(LoadUnaligned(window.r0 + at),
                      LoadUnaligned(window.r1 + at), c, c);
  };
  int32_t at = 0;
#pragma clang loop unroll(disable)
  for (int32_t left = args.pixels; left > 0;
       --left, at += pixel_stride, acc += 4) {
    Pixel<kSigned>(window, column(at), column(at + step), column(at + 2 * step),
                   acc);
  }
}

}  // namespace

extern "C" {
void mace_depthwise_3s1_s8(const DepthwiseArgs& args) { Stride1<true>(args); }
void mace_depthwise_3s1_u8(const DepthwiseArgs& args) { Stride1<false>(args); }
void mace_depthwise_3s2_s8(const DepthwiseArgs& args) { Stride2<true>(args); }
void mace_depthwise_3s2_u8(const DepthwiseArgs& args) { Stride2<false>(args); }
void mace_depthwise_any_s8(const DepthwiseArgs& args) { Any<true, true>(args); }
void mace_depthwise_any_u8(const DepthwiseArgs& args) {
  Any<false, true>(args);
}
void mace_depthwise_flat_s8(const DepthwiseArgs& args) { Flat<true>(args); }
void mace_depthwise_flat_u8(const DepthwiseArgs& args) { Flat<false>(args); }
}

}  // namespace mace::hexagon
