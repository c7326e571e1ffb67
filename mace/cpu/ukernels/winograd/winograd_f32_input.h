// Winograd's transform of input tiles.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_INPUT_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_INPUT_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/winograd/winograd_f32.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_points.h"

namespace mace::cpu {
namespace {

using simd::F32;
using simd::MulAdd;
using simd::Set1;

// How many rows or columns are transformed at a time. Wide cores reorder the
// instructions of all of them. Arm does not have enough registers for that, nor
// for a copy of the tile's strides.
#if defined(__ARM_NEON)
constexpr int kUnrolledLines = 1;
template <typename Tile>
using Held = const Tile;
#else
constexpr int kUnrolledLines = 8;
template <typename Tile>
using Held = const Tile&;
#endif

// Transforms one row or column: the polynomial with coefficients d, divided by
// all points but one, for each of the points 0, +p, -p, ..., infinity.
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

struct InputTile {
  const float* const* x;  // [A][A] pixels
  float* v;
  ptrdiff_t v_stride, group_stride;
};

// Transforms `n` channels from `c` on: kLanes of them, or fewer if kPartial.
// The values between the transforms of columns and rows do not fit into
// registers.
template <int kPairs, bool kPartial>
[[gnu::always_inline]] inline void InputChannels(Held<InputTile> t, size_t c,
                                                 size_t n) {
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

// The pixels of the k-th tile.
template <int kPairs>
inline void FindPixels(const WinogradInputF32& t, size_t k, const float** x) {
  constexpr int kM = 2 * kPairs, kA = kM + 2;
  const size_t begin = k * kM;
  for (int i = 0; i < kA; ++i) {
    const ptrdiff_t stride = t.lines[i].pixel_stride;
    const float* at =
        t.lines[i].x + static_cast<ptrdiff_t>(begin - t.first) * stride;
    for (size_t j = begin; j < begin + kA; ++j, at += stride) {
      *x++ = j >= t.first && j < t.end ? at : t.zeros;
    }
  }
}

// The channels of a tile from `c` on. This is a separate function because
// compilers then keep more values in registers.
template <int kPairs>
[[gnu::noinline]] void InputTileFrom(const InputTile& tile, size_t channels,
                                     size_t c) {
  using simd::kLanes;
  Held<InputTile> t = tile;
  for (; c + kLanes <= channels; c += kLanes) {
    InputChannels<kPairs, false>(t, c, kLanes);
  }
  if (c < channels) InputChannels<kPairs, true>(t, c, channels - c);
}

// The channels of all tiles from tile `begin` on.
template <int kPairs>
inline void InputFrom(const WinogradInputF32& t, size_t begin) {
  constexpr int kA = 2 * kPairs + 2;
  const float* pixels[kA * kA];
  if (begin == t.channels) return;
  float* v = t.v;
  for (size_t k = 0; k < t.tiles; ++k, v += t.tile_stride) {
    FindPixels<kPairs>(t, k, pixels);
    InputTileFrom<kPairs>({pixels, v, t.v_stride, t.group_stride}, t.channels,
                          begin);
  }
}

template <int kPairs>
void WinogradInput(const WinogradInputF32& tiles) {
  InputFrom<kPairs>(tiles, 0);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_INPUT_H_
