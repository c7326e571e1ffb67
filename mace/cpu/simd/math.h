// exp, log and related functions of F32, for every instruction set.
// SPDX-License-Identifier: Apache-2.0
//
// The stated errors are bounds, in units of the last place (ulp), for results
// that are normal numbers; activate_f32_test compares activations with double
// precision. The polynomials are our own minimax fits (Lawson's algorithm); the
// argument reductions are the usual ones: Muller, Elementary Functions, 3rd
// ed., chapter 11.
//
// simd.h includes this file behind the functions of the instruction set. NaN
// stays NaN in all functions, because what follows from x is the second operand
// of each Max and Min. A function without a stated limit takes any x,
// infinities included.
#ifndef MACE_CPU_SIMD_MATH_H_
#define MACE_CPU_SIMD_MATH_H_

#include <cstdint>

namespace mace::simd {
namespace {

#if !defined(__AVX512F__) || defined(MACE_SIMD_SCALAR)
// x * 2^n for an integer n in [-252, 254], in two steps, because n may exceed
// the exponents of normal numbers. AVX-512 has an instruction, for any n.
inline F32 ScaleByPowerOf2(F32 x, F32 n) {
  const F32 half = Round(n * Set1(0.5f));
  return x * PowerOf2(half) * PowerOf2(n - half);
}
#endif

// x = n log(2) + r, |r| <= log(2) / 2; expm1 = e^r - 1. Then e^x = 2^n (1 +
// expm1). n is an integer. The fit is of (e^r - 1 - r) / r^2, so that e^r - 1 =
// r + r^2 p is accurate near 0, too. REQUIRES: |x| <= 105, or x is NaN.
struct ReducedExp {
  F32 n;
  F32 expm1;
};
inline ReducedExp ReduceExp(F32 x) {
  // x / log(2)
  const F32 n = Round(x * Set1(1.44269504f));
  // log(2) as the sum of two parts. The first has few bits, so that its product
  // with n is exact.
  F32 r = MulAdd(n, Set1(-0.693359375f), x);
  r = MulAdd(n, Set1(2.12194440e-4f), r);
  F32 p = Set1(0.0013950492f);
  p = MulAdd(p, r, Set1(0.00836889f));
  p = MulAdd(p, r, Set1(0.041666206f));
  p = MulAdd(p, r, Set1(0.16666518f));
  p = MulAdd(p, r, Set1(0.5f));
  return {n, MulAdd(r * r, p, r)};
}

// e^x, which is infinity from 88.73 on and 0 below -104 (below -87.34 if
// denormals are flushed to zero). 2 ulp. Within the limits of the Clamp, |n| <=
// 152, which ScaleByPowerOf2 takes.
inline F32 Exp(F32 x) {
  const ReducedExp e = ReduceExp(Clamp(x, Set1(-105.f), Set1(89.f)));
  return ScaleByPowerOf2(e.expm1 + Set1(1), e.n);
}

// e^x for x <= 0, with one limit less. Softmax calls it for each element.
inline F32 ExpOfNegative(F32 x) {
  const ReducedExp e = ReduceExp(Max(Set1(-105.f), x));
  return ScaleByPowerOf2(e.expm1 + Set1(1), e.n);
}

// e^x - 1 for x <= 88. 3 ulp. Below -40 the result is -1, as it is from about
// -17 on. 2^n (1 + expm1) - 1 is added up as 2^n expm1 + (2^n - 1), where
// nothing cancels near 0: n is 0 there.
inline F32 Expm1(F32 x) {
  const ReducedExp e = ReduceExp(Max(Set1(-40.f), x));
  const F32 power = PowerOf2(e.n);
  return MulAdd(power, e.expm1, power - Set1(1));
}

// log(1 + x) for x in [0, 1]. 2 ulp.
inline F32 Log1p(F32 x) {
  // 2 atanh(s), s in [0, 1/3], whose series is 2 s (1 + s^2 / 3 + s^4 / 5 +
  // ...).
  const F32 s = x / (x + Set1(2));
  const F32 u = s * s;
  F32 p = Set1(0.1401257f);
  p = MulAdd(p, u, Set1(0.13999507f));
  p = MulAdd(p, u, Set1(0.20010853f));
  p = MulAdd(p, u, Set1(0.33333206f));
  const F32 twice = s + s;
  return MulAdd(twice * u, p, twice);
}

// 4 ulp. With e = e^(2 |x|) - 1, tanh |x| = e / (e + 2); from 2 |x| = 20 on, it
// is 1 in floats.
inline F32 Tanh(F32 x) {
  const F32 e = Expm1(Min(Set1(20), Abs(x) + Abs(x)));
  const F32 y = e / (e + Set1(2));
  return Select(Less(x, Set1(0)), Set1(0) - y, y);
}

// 1 / (1 + e^-x). 4 ulp. 0 where e^-x is infinite.
inline F32 Sigmoid(F32 x) { return Set1(1) / (Set1(1) + Exp(Set1(0) - x)); }

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), which does not overflow. 4 ulp.
inline F32 Softplus(F32 x) {
  const F32 positive = Max(Set1(0), x);
  return positive + Log1p(Exp(Set1(0) - Abs(x)));
}

// The cumulative distribution function of the normal distribution, erfc(-x /
// sqrt(2)) / 2. Relative error 4e-7 (1 + x^2), because that of x^2 in the
// exponent grows with x^2. For z = |x| / sqrt(2), erfc(z) is e^(-z^2) / (1 + 2
// z) times a function between 1 and 1.3, which a polynomial approximates. Both
// tails come from it, so that nothing cancels in the lower one. At z = 10,
// where z is cut off, erfc is less than any normal float.
inline F32 NormalCdf(F32 x) {
  // e^(z^2) erfc(z) (1 + 2 z), as a polynomial in t = (z - 2) / (z + 2).
  const F32 z = Min(Set1(10), Abs(x) * Set1(0.70710678f));
  const F32 t = (z - Set1(2)) / (z + Set1(2));
  F32 p = Set1(-0.00040171522f);
  p = MulAdd(p, t, Set1(-0.0012318772f));
  p = MulAdd(p, t, Set1(0.0013137226f));
  p = MulAdd(p, t, Set1(0.008633271f));
  p = MulAdd(p, t, Set1(-0.008059599f));
  p = MulAdd(p, t, Set1(-0.05420471f));
  p = MulAdd(p, t, Set1(0.16405527f));
  p = MulAdd(p, t, Set1(-0.16603139f));
  p = MulAdd(p, t, Set1(-0.092763975f));
  p = MulAdd(p, t, Set1(1.2769784f));
  const F32 e = Exp(Set1(0) - z * z);
  const F32 tail = Set1(0.5f) * e * p / MulAdd(z, Set1(2), Set1(1));
  return Select(Less(x, Set1(0)), tail, Set1(1) - tail);
}

}  // namespace
}  // namespace mace::simd

#endif  // MACE_CPU_SIMD_MATH_H_
