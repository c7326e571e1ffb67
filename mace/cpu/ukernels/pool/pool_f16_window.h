// The pooling micro-kernels of fp16: the same code as for floats, with sums in
// float.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_POOL_POOL_F16_WINDOW_H_
#define MACE_CPU_UKERNELS_POOL_POOL_F16_WINDOW_H_

#include "mace/cpu/simd/f16.h"

namespace mace::cpu {
namespace {

// Must precede the templates of pool_f32_window.h, which call it.
inline simd::F16 LargerOrNan(simd::F16 a, simd::F16 b) {
  return simd::Max(a, b);
}

// Elements in fp16 that are accumulated as floats.
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
