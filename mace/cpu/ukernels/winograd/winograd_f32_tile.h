// The functions of a set of Winograd micro-kernels.
// SPDX-License-Identifier: Apache-2.0
//
// Included by simd__{scalar,avx2,avx512,neon}.cc, which define winograd_f32__*
// as kWinograd; and by winograd_f32__aarch64.cc, which replaces the transforms
// of inputs and outputs of F(4, 3).
#ifndef MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_TILE_H_
#define MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_TILE_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/winograd/winograd_f32.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_filter.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_input.h"
#include "mace/cpu/ukernels/winograd/winograd_f32_output.h"

namespace mace::cpu {
namespace {

// Transforms filters [c, c + n), u = G g G': kLanes of them, or fewer if
// kPartial, in the lanes of vectors. Computes one line of u at a time: the dot
// products of row i of G with the columns of g are three values, `line`; the
// dot products of each row of G with `line` are line i of u.
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

// A WinogradFilterF32Fn for M = 2 * kPairs.
template <int kPairs>
void WinogradFilter(const WinogradFilterF32& t) {
  size_t c = 0;
  for (; c + simd::kLanes <= t.n; c += simd::kLanes) {
    TransformFilters<kPairs, false>(t, c, simd::kLanes);
  }
  if (c < t.n) TransformFilters<kPairs, true>(t, c, t.n - c);
}

// The set of the instruction set for which the including file is compiled.
constexpr WinogradF32Set kWinograd = {
    simd::kLanes,
    {WinogradInput<1>, WinogradInput<2>, WinogradInput<3>},
    {WinogradOutput<1>, WinogradOutput<2>, WinogradOutput<3>},
    {WinogradFilter<1>, WinogradFilter<2>, WinogradFilter<3>}};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_WINOGRAD_WINOGRAD_F32_TILE_H_
