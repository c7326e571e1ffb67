// The pooling micro-kernels of fp16: the bodies of floats, sums as floats.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_POOL_POOL_F16_WINDOW_H_
#define MACE_CPU_UKERNELS_POOL_POOL_F16_WINDOW_H_

#include "mace/cpu/simd/f16.h"

namespace mace::cpu {
namespace {

// Found by the templates of pool_f32_window.h, which must follow.
inline simd::F16 LargerOrNan(simd::F16 a, simd::F16 b) {
  return simd::Max(a, b);
}

// Fp16 values that are computed with as floats.
struct Widened {
  using T = uint16_t;
  using V = simd::WideF16;
  static constexpr size_t kLanes = simd::kFp16Lanes;
  static V Load(const T* p) { return simd::Widen(simd::Load(p)); }
  static V LoadN(const T* p, size_t n) {
    return simd::Widen(simd::LoadN(p, n));
  }
  static void Store(T* p, V v) { simd::Store(p, simd::Narrow(v)); }
  static void StoreN(T* p, V v, size_t n) {
    simd::StoreN(p, simd::Narrow(v), n);
  }
  static V Set1(float x) { return simd::SetWide(x); }
};

}  // namespace
}  // namespace mace::cpu

#include "mace/cpu/ukernels/pool/pool_f32_window.h"

#endif  // MACE_CPU_UKERNELS_POOL_POOL_F16_WINDOW_H_
