// Depthwise sums of codes on NEON, by products of 16 bits, for blocks of 16
// channels.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include <cstring>

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 16, kVectors = 4;

struct Tap {
  int16x8_t low, high;
};

inline Tap Load(const int16_t* p) { return {vld1q_s16(p), vld1q_s16(p + 8)}; }

// Widens the codes of all columns.
template <bool kWhole>
inline void WidenColumns(const DwconvQ8Tile& t) {
  const uint8x16_t flip = vdupq_n_u8(t.flip);
  auto* to = static_cast<int16_t*>(t.scratch);
  const uint8_t* const* x = t.x;
  const size_t first = t.first, n = t.channels;
  for (size_t left = t.columns * t.height; left > 0; --left, to += kLanes) {
    const uint8_t* from = *x++ + first;
    uint8_t rest[kLanes] = {};
    if (!kWhole) {
      std::memcpy(rest, from, n);
      from = rest;
    }
    const int8x16_t codes = vreinterpretq_s8_u8(veorq_u8(vld1q_u8(from), flip));
    vst1q_s16(to, vmovl_s8(vget_low_s8(codes)));
    vst1q_s16(to + 8, vmovl_s8(vget_high_s8(codes)));
  }
}

inline int32x4_t AddHigh(int32x4_t sum, int16x8_t x, int16x8_t w) {
#if defined(__aarch64__)
  return vmlal_high_s16(sum, x, w);
#else
  return vmlal_s16(sum, vget_high_s16(x), vget_high_s16(w));
#endif
}

inline void Add(int32x4_t (&acc)[kVectors], const Tap& x, const Tap& w) {
  acc[0] = vmlal_s16(acc[0], vget_low_s16(x.low), vget_low_s16(w.low));
  acc[1] = AddHigh(acc[1], x.low, w.low);
  acc[2] = vmlal_s16(acc[2], vget_low_s16(x.high), vget_low_s16(w.high));
  acc[3] = AddHigh(acc[3], x.high, w.high);
}

inline void Start(const int32_t* start, int32x4_t (&acc)[kVectors]) {
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) acc[v] = vld1q_s32(start + 4 * v);
}

inline void Store(const int32x4_t (&acc)[kVectors], int32_t* sums) {
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) vst1q_s32(sums + 4 * v, acc[v]);
}

#if defined(__aarch64__)
// Windows of 3x3: the filter stays in registers.
void ThreeByThree(const DwconvQ8Tile& t) {
  Tap w[9];
#pragma GCC unroll 9
  for (size_t i = 0; i < 9; ++i) {
    w[i] = Load(static_cast<const int16_t*>(t.w) + i * kLanes);
  }
  const size_t column = 3 * kLanes;
  const size_t step = t.dilation * column, next = t.stride * column;
  const auto* x = static_cast<const int16_t*>(t.scratch);
  const int32_t* start = t.start;
  int32_t* sums = t.sums;
  for (size_t left = t.width; left > 0; --left, x += next, sums += kLanes) {
    int32x4_t acc[kVectors];
    Start(start, acc);
#pragma GCC unroll 3
    for (size_t j = 0; j < 3; ++j) {
#pragma GCC unroll 3
      for (size_t r = 0; r < 3; ++r) {
        Add(acc, Load(x + j * step + r * kLanes), w[3 * j + r]);
      }
    }
    Store(acc, sums);
  }
}
#endif

// N outputs from `x` on.
template <int N>
inline void Outputs(const DwconvQ8Tile& t, const int16_t* x, int32_t* sums) {
  int32x4_t acc[N][kVectors];
#pragma GCC unroll 2
  for (int n = 0; n < N; ++n) Start(t.start, acc[n]);
  const size_t column = t.height * kLanes;
  const size_t next = t.stride * column, step = t.dilation * column;
  const auto* w = static_cast<const int16_t*>(t.w);
  for (size_t j = t.kernel; j > 0; --j, x += step) {
    const int16_t* code = x;
    for (size_t r = t.height; r > 0; --r, w += kLanes, code += kLanes) {
      const Tap tap = Load(w);
#pragma GCC unroll 2
      for (int n = 0; n < N; ++n) {
        Add(acc[n], Load(code + static_cast<size_t>(n) * next), tap);
      }
    }
  }
#pragma GCC unroll 2
  for (int n = 0; n < N; ++n) {
    Store(acc[n], sums + static_cast<size_t>(n) * kLanes);
  }
}

}  // namespace

void dwconv_q8_any__neon(const DwconvQ8Tile& t) {
  if (t.channels == kLanes) {
    WidenColumns<true>(t);
  } else {
    WidenColumns<false>(t);
  }
#if defined(__aarch64__)
  if (t.kernel == 3 && t.height == 3) return ThreeByThree(t);
#endif
  const auto* x = static_cast<const int16_t*>(t.scratch);
  const size_t next = t.stride * t.height * kLanes;
  int32_t* sums = t.sums;
  size_t left = t.width;
  for (; left >= 2; left -= 2, x += 2 * next, sums += 2 * kLanes) {
    Outputs<2>(t, x, sums);
  }
  if (left > 0) Outputs<1>(t, x, sums);
}

}  // namespace mace::cpu
