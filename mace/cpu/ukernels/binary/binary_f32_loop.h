// The implementation of the binary micro-kernels.
// SPDX-License-Identifier: Apache-2.0
//
// A micro-kernel is Binary<Function, T>. It chooses one of three loops (two, if
// Function commutes) by which operand is a single element. The loop computes
// four vectors at a time (one, in fp16 in plain C++), then one, then a partial
// one:
//
//   Binary      how a and b are read     elements or single
//   BinaryLoop  the loop                 y = clamp(Function::Of(a, b))
//
// simd__{scalar,avx2,avx512,neon}.cc include this file, and define
// binary_f32__{isa}, binary_add_f32__{isa} and binary_subtract_f32__{isa} by
// the constants at its end. For fp16, binary_f16_loop.h includes it.
#ifndef MACE_CPU_UKERNELS_BINARY_BINARY_F32_LOOP_H_
#define MACE_CPU_UKERNELS_BINARY_BINARY_F32_LOOP_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/binary/binary_f32.h"

namespace mace::cpu {
namespace {

using simd::F32;

// Returns a vector with `x` in all lanes.
inline F32 One(float x) { return simd::Set1(x); }

// The functions, of vectors. kCommutes: f(a, b) is f(b, a), so that Binary can
// make a single element b. An `Of` that is a template serves fp16, too.
struct AddOf {
  static constexpr bool kCommutes = true;
  template <typename V>
  static V Of(V a, V b) {
    return a + b;
  }
};
struct SubtractOf {
  static constexpr bool kCommutes = false;
  template <typename V>
  static V Of(V a, V b) {
    return a - b;
  }
};
struct MultiplyOf {
  static constexpr bool kCommutes = true;
  template <typename V>
  static V Of(V a, V b) {
    return a * b;
  }
};
struct DivideOf {
  static constexpr bool kCommutes = false;
  static F32 Of(F32 a, F32 b) { return a / b; }
};
// simd::Min(a, b) and Max(a, b) are NaN if b is NaN; whether they are if only a
// is depends on the CPU. So NaN in a is selected.
struct MinOf {
  static constexpr bool kCommutes = true;
  static F32 Of(F32 a, F32 b) {
    return simd::Select(simd::IsNan(a), a, simd::Min(a, b));
  }
};
struct MaxOf {
  static constexpr bool kCommutes = true;
  static F32 Of(F32 a, F32 b) {
    return simd::Select(simd::IsNan(a), a, simd::Max(a, b));
  }
};
struct SquaredDifferenceOf {
  static constexpr bool kCommutes = true;
  template <typename V>
  static V Of(V a, V b) {
    return (a - b) * (a - b);
  }
};

// Computes all elements. `a` and `b` have the signature V(size_t i, size_t n)
// and return elements [i, i + n) as a vector, n <= kLanes. The elements of both
// are loaded before those of y at the same indices are stored.
template <typename Function, typename T, typename A, typename B>
inline void BinaryLoop(const BinaryArgs<T>& args, const A& a, const B& b) {
  using Vector = simd::VectorOf<T>;
  using V = typename Vector::Type;
  constexpr size_t kLanes = Vector::kLanes;
  // Vectors that are computed at a time: one if a vector is a single fp16
  // value, which is slow anyway.
  constexpr size_t kVectors = kLanes * sizeof(T) < sizeof(float) ? 1 : 4;
  // The largest finite float: `lower` and `upper` are compared with it, since
  // functions of the standard library are not called (simd.h).
  constexpr float kLargest = 3.4028235e38f;
  const size_t n = args.n;  // a local copy, which stores cannot change
  T* const to = args.y;
  const V lower = Vector::Set1(args.lower), upper = Vector::Set1(args.upper);
  const bool is_bounded = args.lower >= -kLargest || args.upper <= kLargest;
  size_t i = 0;
  // The four results are independent, so that their latencies overlap.
  for (; i + kVectors * kLanes <= n; i += kVectors * kLanes) {
    V y[kVectors];
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      y[v] = Function::Of(a(i + v * kLanes, kLanes), b(i + v * kLanes, kLanes));
    }
    if (is_bounded) {
#pragma GCC unroll 4
      for (V& each : y) each = simd::Clamp(each, lower, upper);
    }
#pragma GCC unroll 4
    for (size_t v = 0; v < kVectors; ++v) {
      simd::Store(to + i + v * kLanes, y[v]);
    }
  }
  for (; i + kLanes <= n; i += kLanes) {
    const V y = Function::Of(a(i, kLanes), b(i, kLanes));
    simd::Store(to + i, simd::Clamp(y, lower, upper));
  }
  const size_t left = n - i;
  if (left == 0) return;
  const V y = Function::Of(a(i, left), b(i, left));
  simd::StoreN(to + i, simd::Clamp(y, lower, upper), left);
}

// A micro-kernel: calls the loop for these operands.
template <typename Function, typename T>
void Binary(const BinaryArgs<T>& args) {
  using Vector = simd::VectorOf<T>;
  // How an operand is read. n is kLanes, except for the last vector; the
  // compiler knows at each call whether it is.
  const auto elements = [](const T* p) {
    return [p](size_t i, size_t n) {
      return n == Vector::kLanes ? simd::Load(p + i) : simd::LoadN(p + i, n);
    };
  };
  // The element is loaded once, before the loop.
  const auto single = [](T element) {
    const auto v = One(element);
    return [v](size_t, size_t) { return v; };
  };
  if (args.one_a) {
    if constexpr (Function::kCommutes) {
      BinaryArgs<T> turned = args;
      turned.a = args.b;
      turned.one_a = false;
      turned.b = args.a;
      turned.one_b = true;
      Binary<Function>(turned);
    } else {
      BinaryLoop<Function>(args, single(*args.a), elements(args.b));
    }
  } else if (args.one_b) {
    BinaryLoop<Function>(args, elements(args.a), single(*args.b));
  } else {
    BinaryLoop<Function>(args, elements(args.a), elements(args.b));
  }
}

// In the order of BinarySet.
constexpr BinaryF32Set kBinary = {Binary<AddOf, float>,
                                  Binary<SubtractOf, float>,
                                  Binary<MultiplyOf, float>,
                                  Binary<DivideOf, float>,
                                  Binary<MinOf, float>,
                                  Binary<MaxOf, float>,
                                  Binary<SquaredDifferenceOf, float>};
constexpr BinaryF32One kAdd = {Binary<AddOf, float>};
constexpr BinaryF32One kSubtract = {Binary<SubtractOf, float>};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_BINARY_BINARY_F32_LOOP_H_
