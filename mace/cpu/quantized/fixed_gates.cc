// The exponential by a Taylor series between quarters, and the quotients by
// Newton's method, in 16 bits.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/fixed_gates.h"

#include "mace/cpu/quantized/fixed_point.h"

namespace mace::cpu {
namespace {

constexpr int32_t kFixedGatesMost = 32767, kFixedGatesLeast = -32768;

int32_t FixedGatesSaturated(int32_t x) {
  return x > kFixedGatesMost    ? kFixedGatesMost
         : x < kFixedGatesLeast ? kFixedGatesLeast
                                : x;
}

int32_t Wrapped(int32_t x) { return static_cast<int16_t>(x); }

// The 16 high bits of a constant of 32, rounded.
constexpr int32_t High(int64_t x) {
  return static_cast<int32_t>((x + (x < 0 ? -(1 << 15) : 1 << 15)) /
                              (int64_t{1} << 16));
}

// Returns x * 2^bits, saturated as gemmlowp does: -2^15 from its last but one
// value on.
int32_t ShiftedUp(int32_t x, int bits) {
  const int32_t limit = (1 << (15 - bits)) - 1;
  if (x > limit) return kFixedGatesMost;
  if (x < -limit) return kFixedGatesLeast;
  return x * (1 << bits);
}

// exp(-2^k) for k from -2 to 4, without integer bits.
constexpr int32_t kFixedGatesPowers[] = {
    High(1672461947), High(1302514674), High(790015084), High(290630308),
    High(39332535),   High(720401),     High(242)};

// Returns exp(x) for x in [-1/4, 0), both without integer bits.
int32_t FixedGatesExpOfQuarter(int32_t x) {
  constexpr int32_t kExpOfEighth = High(1895147668);  // exp(-1/8)
  constexpr int32_t kThird = High(715827883);
  const int32_t a = Wrapped(x + (1 << 12));  // x + 1/8
  const int32_t a2 = MultiplyHigh16(a, a);
  const int32_t a3 = MultiplyHigh16(a2, a);
  const int32_t a4 = MultiplyHigh16(a2, a2);
  const int32_t cubes = Wrapped(RoundingShift(a4, 2) + a3);
  const int32_t series =
      RoundingShift(Wrapped(MultiplyHigh16(cubes, kThird) + a2), 1);
  return FixedGatesSaturated(kExpOfEighth +
                             MultiplyHigh16(kExpOfEighth, Wrapped(a + series)));
}

// Returns exp(x) without integer bits. REQUIRES: x <= 0.
int32_t Exp(int32_t x, int integer_bits) {
  if (x == 0) return kFixedGatesMost;
  const int fraction_bits = 15 - integer_bits;
  const int32_t quarter = 1 << (fraction_bits - 2);
  const int32_t in_quarter = (x & (quarter - 1)) - quarter;
  int32_t y = FixedGatesExpOfQuarter(ShiftedUp(in_quarter, integer_bits));
  const int32_t rest = in_quarter - x;
  int power = -2;
  for (const int32_t factor : kFixedGatesPowers) {
    if (power < integer_bits && (rest & (1 << (fraction_bits + power))) != 0) {
      y = MultiplyHigh16(y, factor);
    }
    ++power;
  }
  if (integer_bits > 5 && x < -(1 << (20 - integer_bits))) return 0;
  return y;
}

// Returns 1 / ((1 + a) / 2) with 2 integer bits, for `a` without, in [0, 1].
int32_t TwiceReciprocal(int32_t a) {
  constexpr int32_t k48Over17 = High(1515870810);
  constexpr int32_t kMinus32Over17 = High(-1010580540);
  const int32_t half = (a + kFixedGatesMost + 1) / 2;  // of a + 1
  int32_t guess = Wrapped(k48Over17 + MultiplyHigh16(half, kMinus32Over17));
  for (int i = 0; i < 3; ++i) {
    const int32_t error = Wrapped((1 << 13) - MultiplyHigh16(half, guess));
    guess = Wrapped(guess + ShiftedUp(MultiplyHigh16(guess, error), 2));
  }
  return guess;
}

int32_t MinusMagnitude(int32_t x) { return x < 0 ? x : -x; }

}  // namespace

int16_t FixedSigmoid16(int16_t x, int integer_bits) {
  if (x == 0) return 1 << 14;
  const int32_t exp = Exp(MinusMagnitude(x), integer_bits);
  const int32_t y = ShiftedUp(TwiceReciprocal(exp), 1);
  return static_cast<int16_t>(x > 0 ? y : kFixedGatesMost - y);
}

int16_t FixedTanh16(int16_t x, int integer_bits) {
  if (x == 0) return 0;
  const int32_t exp = Exp(MinusMagnitude(x), integer_bits + 1);
  const int32_t y = ShiftedUp(Wrapped(TwiceReciprocal(exp) - (1 << 13)), 2);
  return static_cast<int16_t>(x > 0 ? y : -y);
}

}  // namespace mace::cpu
