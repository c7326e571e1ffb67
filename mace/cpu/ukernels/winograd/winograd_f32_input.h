// Winograd's transform of input tiles.
// SPDX-License-Identifier: Apache-2.0
//
// Each vector has kLanes channels of one pixel, so that all lanes do the same.
// For a tile and a vector of channels, v = B' d B takes two passes of the same
// one-dimensional transform:
//
//   d [A][A]  --columns-->  B' d  --rows-->  B' d B [A][A]
//   pixels                  `columns`        v
//
// This is the version for all instruction sets. winograd_f32_tile.h makes a set
// of it, in the simd__*.cc; winograd_f32__aarch64.cc has F(4, 3) in assembly
// instead (winograd_f32_input_four.h) and computes the last channels % 16
// channels with this file.
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

// kUnrolledLines is the factor by which the loops over rows and columns are
// unrolled. Wide cores reorder the instructions of all of them. Arm does not
// have enough registers for that. Held is how the description of a tile is kept
// while its channels are transformed: a copy on Arm, elsewhere a reference to
// that of the caller. Both choices come from instruction counts.
#if defined(__ARM_NEON)
constexpr int kUnrolledLines = 1;
template <typename Tile>
using Held = const Tile;
#else
constexpr int kUnrolledLines = 8;
template <typename Tile>
using Held = const Tile&;
#endif

// Transforms one row or column, v = B' d. Element i of v is the sum of d[k]
// times the coefficient of x^k in the product of (x - point) over all finite
// points but the i-th. Each point of a pair has the factors x, (x + p) or (x -
// p), and without[p]:
//
//   v[0]      sum of all[j] * d[2j]
//   v[2p+1]   sum of without[p][j] * (d[2j+2] + p * d[2j+1])      point +p
//   v[2p+2]   sum of without[p][j] * (d[2j+2] - p * d[2j+1])      point -p
//   v[M+1]    sum of all[j] * d[2j+1]                             infinity
//
// The last factors are 1: sums begin with their element of d.
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

// A tile, once its pixels are found; v and strides as in WinogradInputF32.
struct InputTile {
  const float* const* x;  // [A][A] pixels, each with all channels
  float* v;
  ptrdiff_t v_stride, group_stride;
};

// Transforms `n` channels from `c` on: kLanes of them, or fewer if kPartial.
// Other channels are neither read nor written. REQUIRES: c is a multiple of
// kLanes. The values between the transforms of columns and rows, `columns`, do
// not fit into registers: they are 16, 36 or 64 vectors.
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

// Writes the addresses of the A x A pixels of the k-th tile to x, line by line;
// pixels of columns outside [first, end) are t.zeros. This takes as long for
// one channel as for many, and the loops over channels need no conditions.
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

// Transforms the channels of a tile from `c` on, a multiple of kLanes. This is
// a separate function because compilers then keep more values in registers.
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

// Transforms the channels of all tiles from channel `begin` on, a multiple of
// kLanes: 0, or the number of channels that assembly has transformed.
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

// A WinogradInputF32Fn for M = 2 * kPairs.
template <int kPairs>
void WinogradInput(const WinogradInputF32& tiles) {
  InputFrom<kPairs>(tiles, 0);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_INPUT_H_
