// The implementation of the activation micro-kernels.
// SPDX-License-Identifier: Apache-2.0
//
// simd__{scalar,avx2,avx512,neon}.cc include it, and define activate_f32__{isa}
// and clamp_f32__{isa} by kActivate. exp, tanh and the like come from
// simd/math.h.
#ifndef MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_LOOP_H_
#define MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_LOOP_H_

#include "mace/cpu/simd/simd.h"
#include "mace/cpu/ukernels/activate/activate_f32.h"

namespace mace::cpu {
namespace {

using simd::F32;
using simd::Set1;

// min(max(a x + b, 0), 1), also a factor of hard_swish.
F32 HardSigmoidOf(F32 x, F32 a, F32 b) {
  return simd::Clamp(simd::MulAdd(x, a, b), Set1(0), Set1(1));
}

// Each struct has one function, F32 Of(F32 x, F32 a, F32 b): x is a vector of
// elements, a and b have the parameter in all lanes. activate_f32.h has the
// formulas.
struct ClampOf {
  static F32 Of(F32 x, F32 a, F32 b) { return simd::Clamp(x, a, b); }
};
struct TanhOf {
  static F32 Of(F32 x, F32, F32) { return simd::Tanh(x); }
};
struct SigmoidOf {
  static F32 Of(F32 x, F32, F32) { return simd::Sigmoid(x); }
};
struct LeakyReluOf {
  static F32 Of(F32 x, F32 a, F32) {
    return simd::Select(simd::Less(x, Set1(0)), a * x, x);
  }
};
struct EluOf {
  static F32 Of(F32 x, F32 a, F32 b) {
    // Expm1 requires x <= 88. Where x is positive, `below` is not used.
    const F32 below = a * simd::Expm1(simd::Min(Set1(0), x));
    return b * simd::Select(simd::Less(x, Set1(0)), below, x);
  }
};
struct HardSigmoid {
  static F32 Of(F32 x, F32 a, F32 b) { return HardSigmoidOf(x, a, b); }
};
struct HardSwishOf {
  static F32 Of(F32 x, F32 a, F32 b) { return x * HardSigmoidOf(x, a, b); }
};
struct SoftplusOf {
  static F32 Of(F32 x, F32, F32) { return simd::Softplus(x); }
};
struct SoftsignOf {
  static F32 Of(F32 x, F32, F32) { return x / (Set1(1) + simd::Abs(x)); }
};
struct GeluOf {
  static F32 Of(F32 x, F32, F32) { return x * simd::NormalCdf(x); }
};
struct GeluTanhOf {
  static F32 Of(F32 x, F32 a, F32 b) {
    const F32 slope = simd::MulAdd(x * x, b, a);
    return x / (Set1(1) + simd::Exp(Set1(0) - x * slope));
  }
};
struct SwishOf {
  static F32 Of(F32 x, F32 a, F32) {
    return x / (Set1(1) + simd::Exp(Set1(0) - a * x));
  }
};

// A micro-kernel: whole vectors, then a partial one.
template <typename Function>
void Activate(const ActivateF32Args& args) {
  using simd::kLanes;
  const F32 a = Set1(args.a), b = Set1(args.b);
  size_t i = 0;
  for (; i + kLanes <= args.n; i += kLanes) {
    simd::Store(args.y + i, Function::Of(simd::Load(args.x + i), a, b));
  }
  const size_t left = args.n - i;
  if (left == 0) return;
  const F32 x = simd::LoadN(args.x + i, left);
  simd::StoreN(args.y + i, Function::Of(x, a, b), left);
}

// In the order of ActivateF32Set.
constexpr ActivateF32Set kActivate = {
    Activate<ClampOf>,     Activate<TanhOf>,     Activate<SigmoidOf>,
    Activate<LeakyReluOf>, Activate<EluOf>,      Activate<HardSigmoid>,
    Activate<HardSwishOf>, Activate<SoftplusOf>, Activate<SoftsignOf>,
    Activate<GeluOf>,      Activate<SwishOf>,    Activate<GeluTanhOf>};

}  // namespace
}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_ACTIVATE_ACTIVATE_F32_LOOP_H_
