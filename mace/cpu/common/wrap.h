// Wrap: integer arithmetic that wraps around, as in NumPy; for floats the plain
// operators.
// SPDX-License-Identifier: Apache-2.0
//
// Signed overflow is undefined in C++, but unsigned arithmetic wraps around:
// the operands go through the unsigned type of their width. REQUIRES: integers
// of 32 or 64 bits, as C++ multiplies narrower ones as (signed) int.
#ifndef MACE_CPU_COMMON_WRAP_H_
#define MACE_CPU_COMMON_WRAP_H_

#include <type_traits>

namespace mace {

template <typename T, bool = std::is_integral_v<T>>
struct Wrap {
  static T Add(T a, T b) { return a + b; }
  static T Sub(T a, T b) { return a - b; }
  static T Mul(T a, T b) { return a * b; }
};

template <typename T>
struct Wrap<T, true> {
  using U = std::make_unsigned_t<T>;
  static T Add(T a, T b) {
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
  static T Sub(T a, T b) {
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  }
  static T Mul(T a, T b) {
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  }
};

}  // namespace mace

#endif  // MACE_CPU_COMMON_WRAP_H_
