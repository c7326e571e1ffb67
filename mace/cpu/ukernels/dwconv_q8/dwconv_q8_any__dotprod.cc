// Depthwise sums of codes by SDOT, which multiplies four lines of a column at
// once, for blocks of 16 channels.
// SPDX-License-Identifier: Apache-2.0

#include <arm_neon.h>

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 16, kGroup = 4, kVectors = 4;
constexpr size_t kStep = kLanes * kGroup;  // bytes of a group of lines

inline uint8x16_t LoadCodes(const uint8_t* from, size_t n) {
  if (n == kLanes) return vld1q_u8(from);
  uint8_t codes[kLanes] = {};
  __builtin_memcpy(codes, from, n);
  return vld1q_u8(codes);
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
        lines.val[i] = veorq_u8(LoadCodes(x[i] + first, n), flip);
      }
      vst4q_u8(to, lines);
    }
    if (left == 0) continue;
    uint8x16x4_t lines;
    lines.val[0] = veorq_u8(LoadCodes(x[0] + first, n), flip);
    lines.val[1] = lines.val[2] = lines.val[3] = lines.val[0];
    if (left > 1) lines.val[1] = veorq_u8(LoadCodes(x[1] + first, n), flip);
    if (left > 2) lines.val[2] = veorq_u8(LoadCodes(x[2] + first, n), flip);
    vst4q_u8(to, lines);
    x += left;
    to += kStep;
  }
}

// The same for whole blocks and three lines. It is assembly because compilers
// move vectors to make them adjacent for ST4.
inline void ArrangeThreeLines(const DwconvQ8Tile& t) {
  const uint8_t* const* x = t.x;
  void* to = t.scratch;
  size_t columns = t.columns;
  asm volatile(R"(
    dup v4.16b, %w[flip]
    movi v3.16b, #0
  1:
    ldp x9, x10, [%[x]], #16
    ldr x11, [%[x]], #8
    subs %[columns], %[columns], #1
    ldr q0, [x9, %[first]]
    ldr q1, [x10, %[first]]
    ldr q2, [x11, %[first]]
    eor v0.16b, v0.16b, v4.16b
    eor v1.16b, v1.16b, v4.16b
    eor v2.16b, v2.16b, v4.16b
    st4 {v0.16b, v1.16b, v2.16b, v3.16b}, [%[to]], #64
    b.ne 1b
  )"
               : [x] "+r"(x), [to] "+r"(to), [columns] "+r"(columns)
               : [first] "r"(t.first), [flip] "r"(t.flip)
               : "memory", "cc", "x9", "x10", "x11", "v0", "v1", "v2", "v3",
                 "v4");
}

inline void Add(int32x4_t (&acc)[kVectors], const int8_t* codes,
                const int8x16x4_t& w) {
  const int8x16x4_t x = vld1q_s8_x4(codes);
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
    ArrangeThreeLines(t);
  } else if (t.channels == kLanes) {
    ArrangeColumns<true>(t);
  } else {
    ArrangeColumns<false>(t);
  }
  if (t.kernel == 3 && t.height <= kGroup && t.planes == 1) {
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
