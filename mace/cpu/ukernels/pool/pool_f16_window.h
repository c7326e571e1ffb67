// The pooling micro-kernels of fp16: the same code as for floats, with sums in
// float.
// SPDX-License-Identifier: Apache-2.0
//
// A maximum is one of the elements, and needs no more than fp16: vectors have 8
// elements. Means and L2 norms are computed on pairs of vectors of 4 floats,
// and rounded once, when they are stored.
//
// simd__fp16.cc includes this file for armv8.2, and simd__scalar.cc for all
// others, where a vector is a single element.
#ifndef MACE_CPU_UKERNELS_POOL_POOL_F16_WINDOW_H_
#define MACE_CPU_UKERNELS_POOL_POOL_F16_WINDOW_H_

#include "mace/cpu/simd/f16.h"

namespace mace::cpu {
namespace {

// The larger of a and b, or NaN if one is NaN: Max of fp16 returns this on
// every CPU. Must precede the templates of pool_f32_window.h, which call it.
inline simd::F16 LargerOrNan(simd::F16 a, simd::F16 b) {
  return simd::Max(a, b);
}

// Elements in fp16 that are accumulated as floats; Plain has those that are
// accumulated in their own type. A V holds kLanes elements.
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
