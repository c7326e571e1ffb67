// GEMM tiles on AVX-512 whose last vector is at most half full: that half is a
// vector of 8, of which the CPU multiplies two in the time of one of 16.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_GEMM_GEMM_F32_HALF_H_
#define MACE_CPU_UKERNELS_GEMM_GEMM_F32_HALF_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/gemm/gemm_f32.h"

namespace mace::cpu {
namespace {

// kRows rows of kFull vectors of 16 and one of 8, of which `mask` says which
// lanes count.
template <int kRows, int kFull, int kPackedVectors>
class Fp16Tile {
 public:
  static void Run(const GemmF32Tile& t) {
    Fp16Tile tile(t);
    tile.Start();
    tile.Multiply();
    if (t.addend != nullptr) tile.Add();
    tile.Finish();
  }

 private:
  using F32 = simd::F32;
  static constexpr int kLanes = static_cast<int>(simd::kLanes);

  explicit Fp16Tile(const GemmF32Tile& t)
      : t_(t),
        mask_(static_cast<__mmask8>((1u << (t.n - kFull * kLanes)) - 1)) {}

  __m256 LoadFp16(const float* p) const {
    return _mm256_maskz_loadu_ps(mask_, p + kFull * kLanes);
  }

  void Start() {
    const F32 zero = simd::Set1(0);
    const float* bias = t_.bias;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
      for (int v = 0; v < kFull; ++v) {
        full_[r][v] = bias != nullptr ? simd::Load(bias + v * kLanes) : zero;
      }
      fp16_[r] = bias != nullptr ? LoadFp16(bias) : _mm256_setzero_ps();
    }
  }

  void Multiply() {
    const float *a = t_.a, *b = t_.b;
    for (size_t s = 0; s < t_.segments; ++s, a += t_.segment_stride) {
      for (size_t k = 0; k < t_.k; ++k, b += kPackedVectors * kLanes) {
        F32 bv[kFull + 1];
#pragma GCC unroll 2
        for (int v = 0; v < kFull; ++v) bv[v] = simd::Load(b + v * kLanes);
        const __m256 bh = _mm256_loadu_ps(b + kFull * kLanes);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
          const F32 av = simd::Set1(a[k + r * t_.a_stride]);
#pragma GCC unroll 2
          for (int v = 0; v < kFull; ++v) {
            full_[r][v] = simd::MulAdd(av, bv[v], full_[r][v]);
          }
          fp16_[r] = _mm256_fmadd_ps(_mm512_castps512_ps256(av), bh, fp16_[r]);
        }
      }
    }
  }

  void Add() {
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      const float* addend = t_.addend + r * t_.addend_stride;
#pragma GCC unroll 2
      for (int v = 0; v < kFull; ++v) {
        full_[r][v] = full_[r][v] + simd::Load(addend + v * kLanes);
      }
      fp16_[r] = _mm256_add_ps(fp16_[r], LoadFp16(addend));
    }
  }

  void Finish() const {
    const F32 lower = simd::Set1(t_.lower), upper = simd::Set1(t_.upper);
    const __m256 lower_half = _mm512_castps512_ps256(lower);
    const __m256 upper_half = _mm512_castps512_ps256(upper);
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
      float* c = t_.c + r * t_.c_stride;
#pragma GCC unroll 2
      for (int v = 0; v < kFull; ++v, c += kLanes) {
        simd::Store(c, simd::Clamp(full_[r][v], lower, upper));
      }
      const __m256 above = _mm256_max_ps(lower_half, fp16_[r]);
      _mm256_mask_storeu_ps(c, mask_, _mm256_min_ps(upper_half, above));
    }
  }

  const GemmF32Tile& t_;
  const __mmask8 mask_;
  F32 full_[kRows][kFull + 1];
  __m256 fp16_[kRows];
};

// Picks the instance with exactly t.m rows. REQUIRES: the last vector of the
// tile has at most 8 columns.
template <int kRows, int kFull, int kPackedVectors>
void DispatchFp16(const GemmF32Tile& t) {
  if constexpr (kFull > 0) {
    if (t.n <= static_cast<size_t>(kFull) * simd::kLanes) {
      return DispatchFp16<kRows, kFull - 1, kPackedVectors>(t);
    }
  }
  if constexpr (kRows > 1) {
    if (t.m < kRows) return DispatchFp16<kRows - 1, kFull, kPackedVectors>(t);
  }
  Fp16Tile<kRows, kFull, kPackedVectors>::Run(t);
}

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_GEMM_GEMM_F32_HALF_H_
