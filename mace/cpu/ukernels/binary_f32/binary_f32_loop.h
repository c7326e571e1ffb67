// The bodies of the binary micro-kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_BINARY_F32_BINARY_F32_LOOP_H_
#define MACE_CPU_UKERNELS_BINARY_F32_BINARY_F32_LOOP_H_

#include "mace/cpu/simd.h"
#include "mace/cpu/ukernels/binary_f32/binary_f32.h"

namespace mace::cpu {
namespace {

using simd::F32;

struct AddOf {
  static F32 Of(F32 a, F32 b) { return a + b; }
};
struct SubtractOf {
  static F32 Of(F32 a, F32 b) { return a - b; }
};
struct MultiplyOf {
  static F32 Of(F32 a, F32 b) { return a * b; }
};
struct DivideOf {
  static F32 Of(F32 a, F32 b) { return a / b; }
};
struct MinOf {
  static F32 Of(F32 a, F32 b) {
    return simd::Select(simd::IsNan(a), a, simd::Min(a, b));
  }
};
struct MaxOf {
  static F32 Of(F32 a, F32 b) {
    return simd::Select(simd::IsNan(a), a, simd::Max(a, b));
  }
};
struct SquaredDifferenceOf {
  static F32 Of(F32 a, F32 b) { return (a - b) * (a - b); }
};

// `a` and `b` are F32 (*)(size_t i, size_t n): elements i to i + n.
template <typename Function, typename A, typename B>
inline void BinaryLoop(const BinaryF32Args& args, const A& a, const B& b) {
  using simd::kLanes;
  constexpr size_t kVectors = 4;  // at a time
  constexpr float kLargest = 3.4028235e38f;
  const size_t n = args.n;  // stores cannot change a copy
  float* const to = args.y;
  const F32 lower = simd::Set1(args.lower), upper = simd::Set1(args.upper);
  const bool is_bounded = args.lower >= -kLargest || args.upper <= kLargest;
  size_t i = 0;
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
    F32 y[kVectors];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      y[v] = Function::Of(a(i + v * kLanes, kLanes), b(i + v * kLanes, kLanes));
    }
    if (is_bounded) {
#pragma GCC unroll 4
      for (F32& each : y) each = simd::Clamp(each, lower, upper);
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      simd::Store(to + i + v * kLanes, y[v]);
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    const F32 y = Function::Of(a(i, kLanes), b(i, kLanes));
    simd::Store(to + i, simd::Clamp(y, lower, upper));
  }
  const size_t left = n - i;
  if (left == 0) return;
  const F32 y = Function::Of(a(i, left), b(i, left));
  simd::StoreN(to + i, simd::Clamp(y, lower, upper), left);
}

template <typename Function>
void Binary(const BinaryF32Args& args) {
  const auto elements = [](const float* p) {
    return [p](size_t i, size_t n) {
      return n == simd::kLanes ? simd::Load(p + i) : simd::LoadN(p + i, n);
    };
  };
  const auto single = [](float v) {
    return [v](size_t, size_t) { return simd::Set1(v); };
  };
  if (args.one_a) {
    BinaryLoop<Function>(args, single(*args.a), elements(args.b));
  } else if (args.one_b) {
    BinaryLoop<Function>(args, elements(args.a), single(*args.b));
  } else {
    BinaryLoop<Function>(args, elements(args.a), elements(args.b));
  }
}

constexpr BinaryF32Set kAllFunctions = {Binary<AddOf>,
                                        Binary<SubtractOf>,
                                        Binary<MultiplyOf>,
                                        Binary<DivideOf>,
                                        Binary<MinOf>,
                                        Binary<MaxOf>,
                                        Binary<SquaredDifferenceOf>};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_BINARY_F32_BINARY_F32_LOOP_H_
