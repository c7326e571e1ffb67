// Depthwise sums of quantized values by SDOT, which multiplies four lines of a
// column at once, for blocks of 16 channels.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 16, kGroup = 4, kVectors = 4;
constexpr size_t kStep = kLanes * kGroup;  // bytes of a group of lines

inline uint8x16_t LoadInt8(const uint8_t* from, size_t n) {
  if (n == kLanes) return vld1q_u8(from);
  uint8_t quantized[kLanes] = {};
  __builtin_memcpy(quantized, from, n);
  return vld1q_u8(quantized);
}

// Arranges columns so that four lines of a channel are adjacent. Lines that do
// not exist meet zeros of the filter.
template <bool kWhole>
inline void ArrangeColumns(const DwconvQ8Tile& t) {
  const uint8x16_t flip = vdupq_n_u8(t.flip);
  auto* to = static_cast<uint8_t*>(t.scratch);
  const uint8_t* const* x = t.x;
  const size_t n = kWhole ? kLanes : t.channels, height = t.height;
  const size_t first = t.first;
  for (size_t c = t.columns; c > 0; --c) {
    size_t left = height;
    for (; left >= kGroup; left -= kGroup, x += kGroup, to += kStep) {
      uint8x16x4_t lines;
#pragma GCC unroll 4
      for (size_t i = 0; i < kGroup; ++i) {
        lines.val[i] = veorq_u8(LoadInt8(x[i] + first, n), flip);
      }
      vst4q_u8(to, lines);
    }
    if (left == 0) continue;
    uint8x16x4_t lines;
    lines.val[0] = veorq_u8(LoadInt8(x[0] + first, n), flip);
    lines.val[1] = lines.val[2] = lines.val[3] = lines.val[0];
    if (left > 1) lines.val[1] = veorq_u8(LoadInt8(x[1] + first, n), flip);
    if (left > 2) lines.val[2] = veorq_u8(LoadInt8(x[2] + first, n), flip);
    vst4q_u8(to, lines);
    x += left;
    to += kStep;
  }
}

// The same for whole blocks and three lines. It is assembly because compilers
// move vectors to make them adjacent for ST4.
template <bool kFlips>
inline void ArrangeThreeLines(const DwconvQ8Tile& t) {
  const uint8_t* const* x = t.x;
  void* to = t.scratch;
  size_t columns = t.columns;
  asm volatile(R"(
    .macro mace_column a, b, c, d
      ldp x9, x10, [%[x]], #16
      ldr x11, [%[x]], #8
      ldr q\a, [x9, %[first]]
      ldr q\b, [x10, %[first]]
      ldr q\c, [x11, %[first]]
      .if %c[flips]
      eor v\a\().16b, v\a\().16b, v4.16b
      eor v\b\().16b, v\b\().16b, v4.16b
      eor v\c\().16b, v\c\().16b, v4.16b
      .endif
      st4 {v\a\().16b, v\b\().16b, v\c\().16b, v\d\().16b}, [%[to]], #64
    .endm

    dup v4.16b, %w[flip]
    movi v3.16b, #0
    movi v19.16b, #0
    subs %[columns], %[columns], #2
    b.lo 2f
  1:
    mace_column 0, 1, 2, 3
    subs %[columns], %[columns], #2
    mace_column 16, 17, 18, 19
    b.hs 1b
  2:
    tbz %[columns], #0, 3f
    mace_column 0, 1, 2, 3
  3:
    .purgem mace_column
  )"
               : [x] "+r"(x), [to] "+r"(to), [columns] "+r"(columns)
               : [first] "r"(t.first), [flip] "r"(t.flip), [flips] "i"(kFlips)
               : "memory", "cc", "x9", "x10", "x11", "v0", "v1", "v2", "v3",
                 "v4", "v16", "v17", "v18", "v19");
}

inline void Add(int32x4_t (&acc)[kVectors], const int8_t* quantized,
                const int8x16x4_t& w) {
  const int8x16x4_t x = vld1q_s8_x4(quantized);
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) {
    acc[v] = vdotq_s32(acc[v], x.val[v], w.val[v]);
  }
}

inline void Start(const int32_t* start, int32x4_t (&acc)[kVectors]) {
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) acc[v] = vld1q_s32(start + 4 * v);
}

inline void Store(const int32x4_t (&acc)[kVectors], int32_t* sums) {
#pragma GCC unroll 4
  for (size_t v = 0; v < kVectors; ++v) vst1q_s32(sums + 4 * v, acc[v]);
}

// Windows of three columns of at most four lines: the filter stays in
// registers.
void ThreeColumns(const DwconvQ8Tile& t) {
  const auto* w = static_cast<const int8_t*>(t.w);
  const int8x16x4_t w0 = vld1q_s8_x4(w);
  const int8x16x4_t w1 = vld1q_s8_x4(w + kStep);
  const int8x16x4_t w2 = vld1q_s8_x4(w + 2 * kStep);
  const size_t step = t.dilation * kStep, next = t.stride * kStep;
  const auto* x = static_cast<const int8_t*>(t.scratch);
  const int32_t* start = t.start;
  int32_t* sums = t.sums;
  for (size_t i = t.width; i > 0; --i, x += next, sums += kLanes) {
    int32x4_t acc[kVectors];
    Start(start, acc);
    Add(acc, x, w0);
    Add(acc, x + step, w1);
    Add(acc, x + 2 * step, w2);
    Store(acc, sums);
  }
}

// The same for adjacent columns of which two outputs share one or two, if the
// stride is 2 or 1. v0..v7 are their sums, v20..v31 is the filter.
template <int kStride>
void ThreeSharedColumns(const DwconvQ8Tile& t) {
  const void* w = t.w;
  const void* x = t.scratch;
  int32_t* sums = t.sums;
  size_t width = t.width;
  asm volatile(
      R"(
    .macro mace_load
      ld1 {v16.16b, v17.16b, v18.16b, v19.16b}, [%[x]], #64
    .endm
    .macro mace_tap s0, s1, s2, s3, w0, w1, w2, w3
      sdot v\s0\().4s, v16.16b, v\w0\().16b
      sdot v\s1\().4s, v17.16b, v\w1\().16b
      sdot v\s2\().4s, v18.16b, v\w2\().16b
      sdot v\s3\().4s, v19.16b, v\w3\().16b
    .endm
    .macro mace_first w0, w1, w2, w3
      mace_tap 0, 1, 2, 3, \w0, \w1, \w2, \w3
    .endm
    .macro mace_second w0, w1, w2, w3
      mace_tap 4, 5, 6, 7, \w0, \w1, \w2, \w3
    .endm

    ld1 {v20.16b, v21.16b, v22.16b, v23.16b}, [%[w]], #64
    ld1 {v24.16b, v25.16b, v26.16b, v27.16b}, [%[w]], #64
    ld1 {v28.16b, v29.16b, v30.16b, v31.16b}, [%[w]]
    subs %[width], %[width], #2
    b.lo 2f
  1:
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [%[start]]
    ld1 {v4.4s, v5.4s, v6.4s, v7.4s}, [%[start]]
    mace_load
    mace_first 20, 21, 22, 23
    mace_load
    mace_first 24, 25, 26, 27
    .if %c[stride] == 1
    mace_second 20, 21, 22, 23
    mace_load
    mace_first 28, 29, 30, 31
    mace_second 24, 25, 26, 27
    ld1 {v16.16b, v17.16b, v18.16b, v19.16b}, [%[x]], %[back]
    .else
    mace_load
    mace_first 28, 29, 30, 31
    mace_second 20, 21, 22, 23
    mace_load
    mace_second 24, 25, 26, 27
    ld1 {v16.16b, v17.16b, v18.16b, v19.16b}, [%[x]]
    .endif
    mace_second 28, 29, 30, 31
    st1 {v0.4s, v1.4s, v2.4s, v3.4s}, [%[sums]], #64
    subs %[width], %[width], #2
    st1 {v4.4s, v5.4s, v6.4s, v7.4s}, [%[sums]], #64
    b.hs 1b
  2:
    tbz %[width], #0, 3f
    ld1 {v0.4s, v1.4s, v2.4s, v3.4s}, [%[start]]
    mace_load
    mace_first 20, 21, 22, 23
    mace_load
    mace_first 24, 25, 26, 27
    mace_load
    mace_first 28, 29, 30, 31
    st1 {v0.4s, v1.4s, v2.4s, v3.4s}, [%[sums]]
  3:
    .purgem mace_load
    .purgem mace_tap
    .purgem mace_first
    .purgem mace_second
  )"
      : [x] "+r"(x), [w] "+r"(w), [sums] "+r"(sums), [width] "+r"(width)
      : [start] "r"(t.start), [back] "r"(-int64_t{kStep}), [stride] "i"(kStride)
      : "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16",
        "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26",
        "v27", "v28", "v29", "v30", "v31");
}

// N outputs from `x` on.
template <int N>
inline void Outputs(const DwconvQ8Tile& t, const int8_t* columns,
                    int32_t* sums) {
  int32x4_t acc[N][kVectors];
#pragma GCC unroll 4
  for (int n = 0; n < N; ++n) Start(t.start, acc[n]);
  const size_t column = (t.height + kGroup - 1) / kGroup * kStep;
  const size_t next = t.stride * column;
  const auto* w = static_cast<const int8_t*>(t.w);
  for (size_t plane = t.planes; plane > 0; --plane) {
    const int8_t* x = columns;
    for (size_t j = t.kernel; j > 0; --j, x += t.dilation * column) {
      for (size_t g = 0; g < column; g += kStep, w += kStep) {
        const int8x16x4_t weights = vld1q_s8_x4(w);
#pragma GCC unroll 4
        for (int n = 0; n < N; ++n) {
          Add(acc[n], x + g + static_cast<size_t>(n) * next, weights);
        }
      }
    }
  }
#pragma GCC unroll 4
  for (int n = 0; n < N; ++n) {
    Store(acc[n], sums + static_cast<size_t>(n) * kLanes);
  }
}

}  // namespace

void dwconv_q8_any__dotprod(const DwconvQ8Tile& t) {
  if (t.channels == kLanes && t.height == 3) {
    t.flip == 0 ? ArrangeThreeLines<false>(t) : ArrangeThreeLines<true>(t);
  } else if (t.channels == kLanes) {
    ArrangeColumns<true>(t);
  } else {
    ArrangeColumns<false>(t);
  }
  if (t.kernel == 3 && t.height <= kGroup && t.planes == 1) {
    if (t.dilation == 1 && t.stride == 1) return ThreeSharedColumns<1>(t);
    if (t.dilation == 1 && t.stride == 2) return ThreeSharedColumns<2>(t);
    return ThreeColumns(t);
  }
  const auto* x = static_cast<const int8_t*>(t.scratch);
  const size_t next = t.stride * ((t.height + kGroup - 1) / kGroup) * kStep;
  int32_t* sums = t.sums;
  size_t left = t.width;
  for (; left >= 4; left -= 4, x += 4 * next, sums += 4 * kLanes) {
    Outputs<4>(t, x, sums);
  }
  for (; left > 0; --left, x += next, sums += kLanes) Outputs<1>(t, x, sums);
}

}  // namespace mace::cpu
