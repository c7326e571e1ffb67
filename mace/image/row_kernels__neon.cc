// The row kernels for Arm CPUs with NEON, armv8 and armv7.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/base/cpu_features.h"
#include "mace/image/row_kernels_plain.h"
#include "mace/image/row_kernels_table.h"

namespace mace::image {
namespace {

bool RunsHere() { return (DetectCpuFeatures() & kCpuNeon) != 0; }

inline int16x8_t Wide(uint8x8_t x) {
  return vreinterpretq_s16_u16(vmovl_u8(x));
}

inline uint8x8_t Load4Twice(const uint8_t* p) {  // a a b b c c d d
  uint32_t x;
  __builtin_memcpy(&x, p, 4);
  const uint8x8_t four = vreinterpret_u8_u32(vdup_n_u32(x));
  return vzip_u8(four, four).val[0];
}

// The U and V of 8 pixels from pixel i on.
inline void LoadChroma(const YuvRow& row, size_t i, uint8x8_t* u,
                       uint8x8_t* v) {
  if (row.chroma == Chroma::kEach) {
    *u = vld1_u8(row.u + i);
    *v = vld1_u8(row.v + i);
  } else if (row.chroma == Chroma::kHalf) {
    *u = Load4Twice(row.u + i / 2);
    *v = Load4Twice(row.v + i / 2);
  } else {
    const bool u_first = row.u < row.v;
    const uint8x8_t pairs = vld1_u8((u_first ? row.u : row.v) + i);
    const uint8x8x2_t split = vtrn_u8(pairs, pairs);
    *u = split.val[u_first ? 0 : 1];
    *v = split.val[u_first ? 1 : 0];
  }
}

// (a * wa + b * wb + c * wc) / 2^13, rounded, as bytes.
inline uint8x8_t Weighted(int16x8_t a, int16_t wa, int16x8_t b, int16_t wb,
                          int16x8_t c, int16_t wc) {
  int32x4_t low = vmull_n_s16(vget_low_s16(a), wa);
  int32x4_t high = vmull_n_s16(vget_high_s16(a), wa);
  low = vmlal_n_s16(low, vget_low_s16(b), wb);
  high = vmlal_n_s16(high, vget_high_s16(b), wb);
  if (wc != 0) {
    low = vmlal_n_s16(low, vget_low_s16(c), wc);
    high = vmlal_n_s16(high, vget_high_s16(c), wc);
  }
  return vqmovn_u16(vcombine_u16(vqrshrun_n_s32(low, kYuvBits),
                                 vqrshrun_n_s32(high, kYuvBits)));
}

void YuvToRgbx(const YuvRow& row, const YuvWeights& w, size_t n, uint8_t* out) {
  const int16x8_t offset = vdupq_n_s16(w.offset), middle = vdupq_n_s16(128);
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint8x8_t u8, v8;
    LoadChroma(row, i, &u8, &v8);
    const int16x8_t y = vsubq_s16(Wide(vld1_u8(row.y + i)), offset);
    const int16x8_t u = vsubq_s16(Wide(u8), middle);
    const int16x8_t v = vsubq_s16(Wide(v8), middle);
    const uint8x8x4_t rgbx = {{Weighted(y, w.y, v, w.rv, v, 0),
                               Weighted(y, w.y, u, w.gu, v, w.gv),
                               Weighted(y, w.y, u, w.bu, u, 0), vdup_n_u8(0)}};
    vst4_u8(out + 4 * i, rgbx);
  }
  PlainYuvToRgbx(row, w, i, n, out);
}

void RgbToRgbx(const uint8_t* in, size_t n, uint8_t* out) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const uint8x16x3_t rgb = vld3q_u8(in + 3 * i);
    const uint8x16x4_t rgbx = {
        {rgb.val[0], rgb.val[1], rgb.val[2], vdupq_n_u8(0)}};
    vst4q_u8(out + 4 * i, rgbx);
  }
  PlainRgbToRgbx(in, i, n, out);
}

void RgbxToGray(const uint8_t* in, size_t n, size_t red, uint8_t* out) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const uint8x8x4_t p = vld4_u8(in + 4 * i);
    const uint16x8_t r = vmovl_u8(red == 0 ? p.val[0] : p.val[2]);
    const uint16x8_t g = vmovl_u8(p.val[1]);
    const uint16x8_t b = vmovl_u8(red == 0 ? p.val[2] : p.val[0]);
    const auto sum = [](uint16x4_t r4, uint16x4_t g4, uint16x4_t b4) {
      uint32x4_t s = vmull_n_u16(r4, kGrayOfRed);
      s = vmlal_n_u16(s, g4, kGrayOfGreen);
      return vrshrn_n_u32(vmlal_n_u16(s, b4, kGrayOfBlue), 16);
    };
    const uint16x4_t low =
        sum(vget_low_u16(r), vget_low_u16(g), vget_low_u16(b));
    const uint16x4_t high =
        sum(vget_high_u16(r), vget_high_u16(g), vget_high_u16(b));
    vst1_u8(out + i, vmovn_u16(vcombine_u16(low, high)));
  }
  PlainRgbxToGray(in, i, n, red, out);
}

inline int32x4_t Join(int32x4_t high, int32x4_t low) {
  return vaddq_s32(vshlq_n_s32(high, kLowBits), low);
}

void Sum4(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  const int16_t* w = taps.weights;
  for (size_t i = 0; i < taps.out; ++i) {
    const uint8_t* p = row + 4 * static_cast<size_t>(taps.first[i]);
    int32x4_t high = vdupq_n_s32(0), low = high;
    for (size_t g = 0; g < taps.groups; ++g, w += 8, p += 16) {
      const uint8x16_t x = vld1q_u8(p);
      const int16x8_t x01 = Wide(vget_low_u8(x)), x23 = Wide(vget_high_u8(x));
      const int16x4_t wh = vld1_s16(w), wl = vld1_s16(w + 4);
      high = vmlal_lane_s16(high, vget_low_s16(x01), wh, 0);
      low = vmlal_lane_s16(low, vget_low_s16(x01), wl, 0);
      high = vmlal_lane_s16(high, vget_high_s16(x01), wh, 1);
      low = vmlal_lane_s16(low, vget_high_s16(x01), wl, 1);
      high = vmlal_lane_s16(high, vget_low_s16(x23), wh, 2);
      low = vmlal_lane_s16(low, vget_low_s16(x23), wl, 2);
      high = vmlal_lane_s16(high, vget_high_s16(x23), wh, 3);
      low = vmlal_lane_s16(low, vget_high_s16(x23), wl, 3);
    }
    // A narrowing shift takes at most 16 bits at once.
    int32x4_t sum = vaddq_s32(Join(high, low), vdupq_n_s32(kRoundSum));
    sum = vshrq_n_s32(sum, 22);
    const uint16x4_t narrow = vqmovun_s32(sum);
    const uint8x8_t bytes = vqmovn_u16(vcombine_u16(narrow, narrow));
    const uint32_t pixel = vget_lane_u32(vreinterpret_u32_u8(bytes), 0);
    __builtin_memcpy(out + 4 * i, &pixel, 4);
  }
}

void Sum1(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  const int16_t* w = taps.weights;
  for (size_t i = 0; i < taps.out; ++i) {
    const uint8_t* p = row + taps.first[i];
    int32x4_t high = vdupq_n_s32(0), low = high;
    for (size_t g = 0; g < taps.groups; ++g, w += 16, p += 8) {
      const int16x8_t x = Wide(vld1_u8(p));
      const int16x8_t wh = vld1q_s16(w), wl = vld1q_s16(w + 8);
      high = vmlal_s16(high, vget_low_s16(x), vget_low_s16(wh));
      low = vmlal_s16(low, vget_low_s16(x), vget_low_s16(wl));
      high = vmlal_s16(high, vget_high_s16(x), vget_high_s16(wh));
      low = vmlal_s16(low, vget_high_s16(x), vget_high_s16(wl));
    }
    const int32x4_t sum = Join(high, low);
    const int32x2_t half = vadd_s32(vget_low_s32(sum), vget_high_s32(sum));
    out[i] = EndSum(0, static_cast<uint32_t>(vget_lane_s32(half, 0)) +
                           static_cast<uint32_t>(vget_lane_s32(half, 1)));
  }
}

// One output: the mix of two pixels.
inline uint16x4_t MixPixels(const uint8_t* p, int16x4_t weights) {
  const int16x8_t x = Wide(vld1_u8(p));
  int32x4_t sum = vmull_lane_s16(vget_low_s16(x), weights, 0);
  sum = vmlal_lane_s16(sum, vget_high_s16(x), weights, 1);
  return vqrshrun_n_s32(sum, kLowBits);
}

void Mix4(const uint8_t* row, const PackedTaps& taps, uint8_t* out) {
  size_t i = 0;
  for (; i + 2 <= taps.out; i += 2) {
    const int16x4_t w = vld1_s16(taps.weights + kPair * i);
    const auto* at = taps.first + i;
    const uint16x4_t a = MixPixels(row + 4 * static_cast<size_t>(at[0]), w);
    const uint16x4_t b =
        MixPixels(row + 4 * static_cast<size_t>(at[1]), vext_s16(w, w, 2));
    vst1_u8(out + 4 * i, vqmovn_u16(vcombine_u16(a, b)));
  }
  PlainMix4(row, taps, i, out);
}

void MixRows(const uint8_t* a, const uint8_t* b, size_t n, int16_t of_a,
             int16_t of_b, uint8_t* out) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const int16x8_t x = Wide(vld1_u8(a + i)), y = Wide(vld1_u8(b + i));
    int32x4_t low = vmull_n_s16(vget_low_s16(x), of_a);
    int32x4_t high = vmull_n_s16(vget_high_s16(x), of_a);
    low = vmlal_n_s16(low, vget_low_s16(y), of_b);
    high = vmlal_n_s16(high, vget_high_s16(y), of_b);
    vst1_u8(out + i, vqmovn_u16(vcombine_u16(vqrshrun_n_s32(low, kLowBits),
                                             vqrshrun_n_s32(high, kLowBits))));
  }
  PlainMixRows(a, b, i, n, of_a, of_b, out);
}

void EndSums(const int32_t* sums, size_t n, uint8_t* out) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const uint16x4_t low = vqmovun_s32(vshrq_n_s32(vld1q_s32(sums + i), 22));
    const uint16x4_t high =
        vqmovun_s32(vshrq_n_s32(vld1q_s32(sums + i + 4), 22));
    vst1_u8(out + i, vqmovn_u16(vcombine_u16(low, high)));
  }
  PlainEndSum(sums, i, n, out);
}

}  // namespace

const RowKernels kNeonRows = {"image_rows__neon",
                              RunsHere,
                              YuvToRgbx,
                              RgbToRgbx,
                              RgbxToGray,
                              Sum4,
                              Sum1,
                              Mix4,
                              MixRows,
                              PlainBeginSum,
                              PlainAddToSum,
                              EndSums};

}  // namespace mace::image
