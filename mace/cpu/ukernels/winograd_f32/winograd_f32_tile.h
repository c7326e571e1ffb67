// The bodies of the Winograd micro-kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_WINOGRAD_F32_WINOGRAD_F32_TILE_H_
#define MACE_CPU_UKERNELS_WINOGRAD_F32_WINOGRAD_F32_TILE_H_

#include "mace/cpu/simd.h"
#include "mace/cpu/ukernels/winograd_f32/winograd_f32.h"
#include "mace/cpu/ukernels/winograd_f32/winograd_f32_filter.h"
#include "mace/cpu/ukernels/winograd_f32/winograd_f32_points.h"

namespace mace::cpu {
namespace {

using simd::F32;
using simd::MulAdd;
using simd::Set1;

// Rows or columns that are transformed at a time: wide cores reorder the
// instructions of all of them, which on Arm would not leave registers, but a
// copy of the tile's strides does not either.
#if defined(__ARM_NEON)
constexpr int kUnrolledLines = 1;
template <typename Tile>
using Held = const Tile;
#else
constexpr int kUnrolledLines = 8;
template <typename Tile>
using Held = const Tile&;
#endif

// One row or column: the polynomial with coefficients d, divided by all points
// but one, for each of the points 0, +p, -p, ..., infinity.
template <int kPairs>
inline void TransformInput(const F32 (&d)[2 * kPairs + 2],
                           F32 (&v)[2 * kPairs + 2]) {
  constexpr WinogradPoints<kPairs> kPoints = kWinogradPoints<kPairs>;
  F32 zero = d[2 * kPairs], infinity = d[2 * kPairs + 1];
#pragma GCC unroll 8
  for (int j = 0; j < kPairs; ++j) {
    zero = MulAdd(Set1(kPoints.all[j]), d[2 * j], zero);
    infinity = MulAdd(Set1(kPoints.all[j]), d[2 * j + 1], infinity);
  }
  v[0] = zero;
  v[2 * kPairs + 1] = infinity;
#pragma GCC unroll 8
  for (int p = 0; p < kPairs; ++p) {
    F32 even = d[2 * kPairs], odd = d[2 * kPairs - 1];
#pragma GCC unroll 8
    for (int j = 0; j + 1 < kPairs; ++j) {
      even = MulAdd(Set1(kPoints.without[p][j]), d[2 * j + 2], even);
      odd = MulAdd(Set1(kPoints.without[p][j]), d[2 * j + 1], odd);
    }
    v[2 * p + 1] = MulAdd(Set1(kPoints.pair[p]), odd, even);
    v[2 * p + 2] = MulAdd(Set1(-kPoints.pair[p]), odd, even);
  }
}

// One row or column: the values of m at the points, as 2 * kPairs outputs.
template <int kPairs>
inline void TransformOutput(const F32 (&m)[2 * kPairs + 2],
                            F32 (&y)[2 * kPairs]) {
  constexpr WinogradPoints<kPairs> kPoints = kWinogradPoints<kPairs>;
  y[0] = m[0];
  y[2 * kPairs - 1] = m[2 * kPairs + 1];
#pragma GCC unroll 8
  for (int p = 0; p < kPairs; ++p) {
    const F32 sum = m[2 * p + 1] + m[2 * p + 2];
    const F32 difference = m[2 * p + 1] - m[2 * p + 2];
    float power = 1;
#pragma GCC unroll 8
    for (int i = 0; i < 2 * kPairs; ++i, power *= kPoints.pair[p]) {
      const F32 term = i % 2 == 0 ? sum : difference;
      const bool starts = p == 0 && i > 0 && i < 2 * kPairs - 1;
      y[i] = starts ? Set1(power) * term : MulAdd(Set1(power), term, y[i]);
    }
  }
}

// `n` channels from `c` on: kLanes of them, or fewer if kPartial. What is
// between columns and rows does not fit into registers.
template <int kPairs, bool kPartial>
[[gnu::always_inline]] inline void InputChannels(Held<WinogradInputF32> t,
                                                 size_t c, size_t n) {
  constexpr int kA = 2 * kPairs + 2;
  F32 columns[kA][kA];
#pragma GCC unroll kUnrolledLines
  for (int j = 0; j < kA; ++j) {
    F32 d[kA], v[kA];
#pragma GCC unroll 8
    for (int i = 0; i < kA; ++i) {
      const float* x = t.x[i * kA + j] + c;
      d[i] = kPartial ? simd::LoadN(x, n) : simd::Load(x);
    }
    TransformInput<kPairs>(d, v);
#pragma GCC unroll 8
    for (int i = 0; i < kA; ++i) columns[i][j] = v[i];
  }
  float* to = t.v + static_cast<ptrdiff_t>(c / simd::kLanes) * t.group_stride;
  const ptrdiff_t stride = t.v_stride;
#pragma GCC unroll kUnrolledLines
  for (int i = 0; i < kA; ++i, to += kA * stride) {
    F32 d[kA], v[kA];
#pragma GCC unroll 8
    for (int j = 0; j < kA; ++j) d[j] = columns[i][j];
    TransformInput<kPairs>(d, v);
#pragma GCC unroll 8
    for (int j = 0; j < kA; ++j) {
      float* at = to + j * stride;
      kPartial ? simd::StoreN(at, v[j], n) : simd::Store(at, v[j]);
    }
  }
}

template <int kPairs>
void WinogradInput(const WinogradInputF32& tile) {
  Held<WinogradInputF32> t = tile;
  size_t c = 0;
  for (; c + simd::kLanes <= t.channels; c += simd::kLanes) {
    InputChannels<kPairs, false>(t, c, simd::kLanes);
  }
  if (c < t.channels) InputChannels<kPairs, true>(t, c, t.channels - c);
}

template <int kPairs, bool kPartial>
[[gnu::always_inline]] inline void OutputChannels(Held<WinogradOutputF32> t,
                                                  size_t c, size_t n) {
  constexpr int kM = 2 * kPairs, kA = kM + 2;
  const auto load = [n](const float* p) {
    return kPartial ? simd::LoadN(p, n) : simd::Load(p);
  };
  const F32 bias = t.bias != nullptr ? load(t.bias + c) : Set1(0);
  const F32 lower = Set1(t.lower), upper = Set1(t.upper);
  F32 columns[kM][kA];
  const float* from = t.m + c;
#pragma GCC unroll kUnrolledLines
  for (int j = 0; j < kA; ++j, from += t.m_stride) {
    F32 m[kA], y[kM];
#pragma GCC unroll 8
    for (int i = 0; i < kA; ++i) m[i] = load(from + i * kA * t.m_stride);
    TransformOutput<kPairs>(m, y);
#pragma GCC unroll 8
    for (int i = 0; i < kM; ++i) columns[i][j] = y[i];
  }
  float* to = t.y + c;
  for (size_t i = 0; i < t.height; ++i, to += t.line_stride) {
    F32 m[kA], y[kM];
#pragma GCC unroll 8
    for (int j = 0; j < kA; ++j) m[j] = columns[i][j];
    TransformOutput<kPairs>(m, y);
    const auto store = [&](size_t j) {
      const F32 clamped = simd::Clamp(y[j] + bias, lower, upper);
      float* pixel = to + static_cast<ptrdiff_t>(j) * t.pixel_stride;
      kPartial ? simd::StoreN(pixel, clamped, n) : simd::Store(pixel, clamped);
    };
    if (t.width == kM) {
#pragma GCC unroll 8
      for (size_t j = 0; j < kM; ++j) store(j);
    } else {
#pragma GCC unroll 8
      for (size_t j = 0; j + 1 < kM; ++j) {
        if (j < t.width) store(j);
      }
    }
  }
}

template <int kPairs>
void WinogradOutput(const WinogradOutputF32& tile) {
  Held<WinogradOutputF32> t = tile;
  size_t c = 0;
  for (; c + simd::kLanes <= t.channels; c += simd::kLanes) {
    OutputChannels<kPairs, false>(t, c, simd::kLanes);
  }
  if (c < t.channels) OutputChannels<kPairs, true>(t, c, t.channels - c);
}

// Filters [c, c + n): kLanes of them, or fewer if kPartial.
template <int kPairs, bool kPartial>
inline void TransformFilters(const WinogradFilterF32& t, size_t c, size_t n) {
  constexpr int kA = 2 * kPairs + 2;
  constexpr WinogradFilterRows<kPairs> kRows = kWinogradFilterRows<kPairs>;
  const auto dot = [](const float(&row)[3], F32 x, F32 y, F32 z) {
    return MulAdd(Set1(row[2]), z, MulAdd(Set1(row[1]), y, Set1(row[0]) * x));
  };
  F32 taps[9];
  for (int i = 0; i < 9; ++i) {
    const float* from = t.taps + i * t.taps_stride + c;
    taps[i] = kPartial ? simd::LoadN(from, n) : simd::Load(from);
  }
  for (int i = 0; i < kA; ++i) {
    F32 line[3];
    for (int j = 0; j < 3; ++j) {
      line[j] = dot(kRows.row[i], taps[j], taps[3 + j], taps[6 + j]);
    }
    for (int j = 0; j < kA; ++j) {
      const F32 u = dot(kRows.row[j], line[0], line[1], line[2]);
      float* to = t.u + (i * kA + j) * t.u_stride + c;
      kPartial ? simd::StoreN(to, u, n) : simd::Store(to, u);
    }
  }
}

template <int kPairs>
void WinogradFilter(const WinogradFilterF32& t) {
  size_t c = 0;
  for (; c + simd::kLanes <= t.n; c += simd::kLanes) {
    TransformFilters<kPairs, false>(t, c, simd::kLanes);
  }
  if (c < t.n) TransformFilters<kPairs, true>(t, c, t.n - c);
}

constexpr WinogradF32Set kAllFunctions = {
    simd::kLanes,
    {WinogradInput<1>, WinogradInput<2>, WinogradInput<3>},
    {WinogradOutput<1>, WinogradOutput<2>, WinogradOutput<3>},
    {WinogradFilter<1>, WinogradFilter<2>, WinogradFilter<3>}};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_F32_WINOGRAD_F32_TILE_H_
