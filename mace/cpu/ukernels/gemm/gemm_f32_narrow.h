// GEMM tiles on AVX-512 whose last vector is at most half full. That half is a
// vector of 8 floats; the CPU multiplies two vectors of 8 floats in the time of
// one of 16.
// SPDX-License-Identifier: Apache-2.0
//
// A row of c with 16 < n <= 24, and the row of the panel by which it is
// multiplied:
//
//   c       [ full_[r][0]: 16 ][ narrow_[r]: 8 ]
//   packed  [ 16              ][ 8      |  not read ]
//
// Results are those of gemm_f32_tile.h to the bit. Included by
// gemm_f32_14x32__avx512.cc.
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F32_NARROW_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F32_NARROW_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm.h"

namespace mace::cpu {
namespace {

// kRows rows of kFull vectors of 16 and one of 8, of which mask_ selects the
// lanes that the tile has, 1 to 8. A row of packed b has kPackedVectors vectors
// of 16. The sums are members, but stay in registers once all is inlined.
template <int kRows, int kFull, int kPackedVectors>
class NarrowTile {
 public:
  // Computes the tile. REQUIRES: t->m == kRows, 16 * kFull < t->n <= 16 * kFull
  // + 8.
  static void Run(GemmF32Tile t) {
    NarrowTile tile(t);
    tile.Start();
    tile.Multiply();
    if (t.addend() != nullptr) tile.Add();
    tile.Finish();
  }

 private:
  using F32 = simd::F32;
  static constexpr int kLanes = static_cast<int>(simd::kLanes);

  explicit NarrowTile(GemmF32Tile t)
      : t_(t),
        mask_(static_cast<__mmask8>((1u << (t->n - kFull * kLanes)) - 1)) {}

  // Loads the narrow part of a row of bias or addend, nothing from column n on.
  __m256 LoadNarrow(const float* p) const {
    return _mm256_maskz_loadu_ps(mask_, p + kFull * kLanes);
  }

  void Start() {
    const F32 zero = simd::Set1(0);
    const float* bias = t_.bias();
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < kFull; ++v) {
        full_[r][v] = bias != nullptr ? simd::Load(bias + v * kLanes) : zero;
      }
      narrow_[r] = bias != nullptr ? LoadNarrow(bias) : _mm256_setzero_ps();
    }
  }

  // Each element of a is broadcast to 16 lanes, whose lower half multiplies the
  // narrow part.
  void Multiply() {
    const float *a = t_.a(), *b = t_.b();
    for (size_t s = 0; s < t_->segments; ++s, a += t_->segment_stride) {
      for (size_t k = 0; k < t_->k; ++k, b += kPackedVectors * kLanes) {
        F32 bv[kFull + 1];
#pragma GCC unroll 2
        for (int v = 0; v < kFull; ++v) bv[v] = simd::Load(b + v * kLanes);
        const __m256 bh = _mm256_loadu_ps(b + kFull * kLanes);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const F32 av = simd::Set1(a[k + r * t_->a_stride]);
#pragma GCC unroll 2
          for (int v = 0; v < kFull; ++v) {
            full_[r][v] = simd::MulAdd(av, bv[v], full_[r][v]);
          }
          narrow_[r] =
              _mm256_fmadd_ps(_mm512_castps512_ps256(av), bh, narrow_[r]);
        }
      }
    }
  }

  void Add() {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const float* addend = t_.addend() + r * t_->addend_stride;
#pragma GCC unroll 2
      for (int v = 0; v < kFull; ++v) {
        full_[r][v] = full_[r][v] + simd::Load(addend + v * kLanes);
      }
      narrow_[r] = _mm256_add_ps(narrow_[r], LoadNarrow(addend));
    }
  }

  void Finish() const {
    const F32 lower = simd::Set1(t_->lower), upper = simd::Set1(t_->upper);
    const __m256 narrow_lower = _mm512_castps512_ps256(lower);
    const __m256 narrow_upper = _mm512_castps512_ps256(upper);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      float* c = t_.c() + r * t_->c_stride;
#pragma GCC unroll 2
      for (int v = 0; v < kFull; ++v, c += kLanes) {
        simd::Store(c, simd::Clamp(full_[r][v], lower, upper));
      }
      const __m256 above = _mm256_max_ps(narrow_lower, narrow_[r]);
      _mm256_mask_storeu_ps(c, mask_, _mm256_min_ps(narrow_upper, above));
    }
  }

  GemmF32Tile t_;
  const __mmask8 mask_;
  // One more than is used: if kFull is 0, an array of size 0 would not compile.
  F32 full_[kRows][kFull + 1];
  __m256 narrow_[kRows];
};

// Calls the instance for exactly t->m rows and the fewest vectors. REQUIRES:
// t->m <= kRows, t->n <= 16 * kFull + 8, and the last vector of the tile has at
// most 8 columns.
template <int kRows, int kFull, int kPackedVectors>
void DispatchNarrow(GemmF32Tile t) {
  if constexpr (kFull > 0) {
    if (t->n <= static_cast<size_t>(kFull) * simd::kLanes) {
      return DispatchNarrow<kRows, kFull - 1, kPackedVectors>(t);
    }
  }
  if constexpr (kRows > 1) {
    if (t->m < kRows)
      return DispatchNarrow<kRows - 1, kFull, kPackedVectors>(t);
  }
  NarrowTile<kRows, kFull, kPackedVectors>::Run(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F32_NARROW_H_
