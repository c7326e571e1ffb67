// Fixed-point arithmetic of single numbers, as gemmlowp documents it.
// SPDX-License-Identifier: Apache-2.0
//
// Used by the host (packing/softmax_table.cc) and by the executor (Softmax),
// whose results must be the same bits. A word with i integer bits stands for
// word * 2^(i - 31). Source: gemmlowp's fixedpoint/fixedpoint.h.
#ifndef MACE_HEXAGON_PROTOCOL_FIXED_RECIPROCAL_H_
#define MACE_HEXAGON_PROTOCOL_FIXED_RECIPROCAL_H_

#include <stdint.h>

namespace mace::hexagon {

// a * b / 2^31, rounded to the nearest, ties up; saturates for -2^31 squared.
// gemmlowp: SaturatingRoundingDoublingHighMul. hvx.h has MultiplyHigh for
// vectors.
inline int32_t ScalarMultiplyHigh(int32_t a, int32_t b) {
  if (a == INT32_MIN && b == INT32_MIN) return INT32_MAX;
  return static_cast<int32_t>((int64_t{a} * b + (1 << 30)) >> 31);
}

// x / 2^shift, rounded to the nearest, ties away from zero; shift is in 0..31.
// gemmlowp: RoundingDivideByPOT.
inline int32_t ScalarRoundingShift(int32_t x, int32_t shift) {
  if (shift == 0) return x;
  const int64_t half = int64_t{1} << (shift - 1);
  return static_cast<int32_t>((x + half - (x < 0 ? 1 : 0)) >> shift);
}

// The reciprocal of the number that x stands for is fraction * 2^-(31 +
// bits_over_unit).
struct ScalarReciprocal {
  int32_t fraction;
  int32_t bits_over_unit;
};

inline int32_t ScalarSaturate(int64_t x) {
  return static_cast<int32_t>(x > INT32_MAX   ? INT32_MAX
                              : x < INT32_MIN ? INT32_MIN
                                              : x);
}

// The reciprocal of a word with `integer_bits` integer bits. REQUIRES: x > 0.
// gemmlowp: GetReciprocal. x is shifted up to 1 + a, with a in [0, 1) as a word
// without integer bits. Newton's method finds 1 / d for d = (1 + a) / 2, in
// [1/2, 1): three steps of guess += guess * (1 - d * guess), from 48/17 - 32/17
// * d, whose relative error is 1/17 at most. Guesses have 2 integer bits, so
// that 1 << 29 is 1.
inline ScalarReciprocal FindReciprocal(int32_t x, int32_t integer_bits) {
  const int32_t headroom = __builtin_clz(static_cast<uint32_t>(x));
  const auto a = static_cast<int32_t>((static_cast<uint32_t>(x) << headroom) -
                                      (uint32_t{1} << 31));
  const int64_t sum = int64_t{a} + INT32_MAX;
  const auto half = static_cast<int32_t>((sum + 1) >> 1);
  // 48/17 and -32/17 with 2 integer bits.
  int32_t guess = 1515870810 + ScalarMultiplyHigh(half, -1010580540);
  for (int i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - ScalarMultiplyHigh(half, guess);
    // Such words multiplied have 4 integer bits: times 4 they have 2 again.
    guess += ScalarSaturate(int64_t{ScalarMultiplyHigh(guess, error)} * 4);
  }
  // 1 / (1 + a) is half of the guess: without integer bits, twice its word.
  return {ScalarSaturate(int64_t{guess} * 2), integer_bits - headroom};
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_FIXED_RECIPROCAL_H_
