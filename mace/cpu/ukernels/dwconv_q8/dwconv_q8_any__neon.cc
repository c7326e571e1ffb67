// Depthwise sums of quantized values on NEON, by products of 16 bits, for
// blocks of 16 channels.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 16, kVectors = 4;

struct Tap {
  int16x8_t low, high;
};

inline Tap Load(const int16_t* p) { return {vld1q_s16(p), vld1q_s16(p + 8)}; }

// Widens the values of all columns.
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
      __builtin_memcpy(rest, from, n);
      from = rest;
    }
    const int8x16_t quantized =
        vreinterpretq_s8_u8(veorq_u8(vld1q_u8(from), flip));
    vst1q_s16(to, vmovl_s8(vget_low_s8(quantized)));
    vst1q_s16(to + 8, vmovl_s8(vget_high_s8(quantized)));
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
// Windows of 3x3: the filter stays in v8..v25. It is assembly because compilers
// keep copies of the lower halves of vectors, and run out of registers.
void ThreeByThree(const DwconvQ8Tile& t) {
  const size_t column = 3 * kLanes * sizeof(int16_t);
  const size_t step = t.dilation * column;
  const void* x0 = t.scratch;
  const void* x1 = static_cast<const char*>(x0) + step;
  const void* x2 = static_cast<const char*>(x1) + step;
  const void* w = t.w;
  int32_t* sums = t.sums;
  size_t width = t.width;
  asm volatile(R"(
    .macro mace_tap x0, x1, w0, w1
      smlal v0.4s, v\x0\().4h, v\w0\().4h
      smlal2 v1.4s, v\x0\().8h, v\w0\().8h
      smlal v2.4s, v\x1\().4h, v\w1\().4h
      smlal2 v3.4s, v\x1\().8h, v\w1\().8h
    .endm
    .macro mace_column x, w0, w1, w2, w3, w4, w5
      ld1 {v26.8h, v27.8h, v28.8h, v29.8h}, [\x]
      ldp q30, q31, [\x, #64]
      add \x, \x, %[next]
      mace_tap 26, 27, \w0, \w1
      mace_tap 28, 29, \w2, \w3
      mace_tap 30, 31, \w4, \w5
    .endm
    ld1 {v8.8h, v9.8h, v10.8h, v11.8h}, [%[w]], #64
    ld1 {v12.8h, v13.8h, v14.8h, v15.8h}, [%[w]], #64
    ld1 {v16.8h, v17.8h, v18.8h, v19.8h}, [%[w]], #64
    ld1 {v20.8h, v21.8h, v22.8h, v23.8h}, [%[w]], #64
    ld1 {v24.8h, v25.8h}, [%[w]]
  1:
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [%[start]]
    mace_column %[x0], 8, 9, 10, 11, 12, 13
    mace_column %[x1], 14, 15, 16, 17, 18, 19
    mace_column %[x2], 20, 21, 22, 23, 24, 25
    subs %[width], %[width], #1
    st1 {v0.4s, v1.4s, v2.4s, v3.4s}, [%[sums]], #64
    b.ne 1b
    .purgem mace_tap
    .purgem mace_column
  )"
               : [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [w] "+r"(w),
                 [sums] "+r"(sums), [width] "+r"(width)
               : [start] "r"(t.start), [next] "r"(t.stride * column)
               : "memory", "cc", "v0", "v1", "v2", "v3", "v8", "v9", "v10",
                 "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19",
                 "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28",
                 "v29", "v30", "v31");
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
    const int16_t* value = x;
    for (size_t r = t.height; r > 0; --r, w += kLanes, value += kLanes) {
      const Tap tap = Load(w);
#pragma GCC unroll 2
      for (int n = 0; n < N; ++n) {
        Add(acc[n], Load(value + static_cast<size_t>(n) * next), tap);
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
