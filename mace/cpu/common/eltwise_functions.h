// The binary functions of Eltwise, for floats and for integers.
// SPDX-License-Identifier: Apache-2.0
//
// These are the definitions, and what CPUs compute for types and functions
// without a micro-kernel (ukernels/binary). Integers never trap: overflow wraps
// around, and division by zero gives 0.
#ifndef MACE_CPU_COMMON_ELTWISE_FUNCTIONS_H_
#define MACE_CPU_COMMON_ELTWISE_FUNCTIONS_H_

#include <cmath>
#include <type_traits>

#include "mace/cpu/common/wrap.h"
#include "mace/ops/eltwise.h"

namespace mace::cpu {

// Returns a / b, rounded towards zero. -1 is apart because the quotient of the
// lowest number by -1 overflows, and traps on x86.
template <typename T>
T IntegerQuotient(T a, T b) {
  if (b == 0) return 0;
  return b == -1 ? Wrap<T>::Sub(0, a) : static_cast<T>(a / b);
}

// Returns a - b * IntegerQuotient(a, b), which has the sign of a; 0 for b = 0.
template <typename T>
T IntegerRemainder(T a, T b) {
  return b == 0 || b == -1 ? 0 : static_cast<T>(a % b);
}

// Returns base^exponent by repeated squaring. For a negative exponent, the real
// result rounded towards zero: 0 but for bases of 1 and -1.
template <typename T>
T IntegerPower(T base, T exponent) {
  if (exponent < 0) {
    if (base == 1 || (base == -1 && exponent % 2 == 0)) return 1;
    return base == -1 ? -1 : 0;
  }
  T result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = Wrap<T>::Mul(result, base);
    base = Wrap<T>::Mul(base, base);
  }
  return result;
}

// Returns a kType b. kFloorDiv rounds down, kMod has the sign of b (as in
// Python), kFmod that of a (as in C).
template <EltwiseType kType, typename T>
std::enable_if_t<std::is_integral_v<T>, T> ApplyEltwise(T a, T b) {
  switch (kType) {
    case EltwiseType::kSum:
      return Wrap<T>::Add(a, b);
    case EltwiseType::kSub:
      return Wrap<T>::Sub(a, b);
    case EltwiseType::kProd:
      return Wrap<T>::Mul(a, b);
    case EltwiseType::kDiv:
      return IntegerQuotient(a, b);
    case EltwiseType::kMin:
      return a < b ? a : b;
    case EltwiseType::kMax:
      return a > b ? a : b;
    case EltwiseType::kPow:
      return IntegerPower(a, b);
    case EltwiseType::kSqrDiff: {
      const T d = Wrap<T>::Sub(a, b);
      return Wrap<T>::Mul(d, d);
    }
    case EltwiseType::kFloorDiv: {
      const T r = IntegerRemainder(a, b);
      const bool down = r != 0 && (r < 0) != (b < 0);
      return static_cast<T>(IntegerQuotient(a, b) - (down ? 1 : 0));
    }
    case EltwiseType::kMod: {
      const T r = IntegerRemainder(a, b);
      return r != 0 && (r < 0) != (b < 0) ? static_cast<T>(r + b) : r;
    }
    case EltwiseType::kFmod:
      return IntegerRemainder(a, b);
  }
  return a;
}

// The same for floats, by IEEE 754 and the C library. If either operand is NaN,
// the result is NaN, also for MIN and MAX; but NaN^0 and 1^NaN are 1, as of
// std::pow.
template <EltwiseType kType>
float ApplyEltwise(float a, float b) {
  switch (kType) {
    case EltwiseType::kSum:
      return a + b;
    case EltwiseType::kSub:
      return a - b;
    case EltwiseType::kProd:
      return a * b;
    case EltwiseType::kDiv:
      return a / b;
    case EltwiseType::kMin:
      return a < b || std::isnan(a) ? a : b;
    case EltwiseType::kMax:
      return a > b || std::isnan(a) ? a : b;
    case EltwiseType::kPow:
      return std::pow(a, b);
    case EltwiseType::kSqrDiff:
      return (a - b) * (a - b);
    case EltwiseType::kFloorDiv:
      return std::floor(a / b);
    case EltwiseType::kMod: {
      const float r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    case EltwiseType::kFmod:
      return std::fmod(a, b);
  }
  return a;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_ELTWISE_FUNCTIONS_H_
