// The exponential by a Taylor series between quarters, and the reciprocal by
// Newton's method.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/fixed_exp.h"

namespace mace::cpu {
namespace {

constexpr int32_t kFixedExpMost = std::numeric_limits<int32_t>::max();
constexpr int kExpBits = 5;

// exp(-2^k) for k from -2 to 4, without integer bits.
constexpr int32_t kFixedExpPowers[] = {
    1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};

int32_t FixedExpSaturated(int64_t x) {
  constexpr int64_t kMin = std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(x > kFixedExpMost ? kFixedExpMost
                              : x < kMin        ? kMin
                                                : x);
}

// Returns exp(x) for x in [-1/4, 0), both without integer bits.
int32_t FixedExpOfQuarter(int32_t x) {
  constexpr int32_t kExpOfEighth = 1895147668;  // exp(-1/8)
  constexpr int32_t kThird = 715827883;
  const int32_t a = x + (1 << 28);  // x + 1/8
  const int32_t a2 = MultiplyHigh(a, a);
  const int32_t a3 = MultiplyHigh(a2, a);
  const int32_t a4 = MultiplyHigh(a2, a2);
  const int32_t series =
      RoundingShift(MultiplyHigh(RoundingShift(a4, 2) + a3, kThird) + a2, 1);
  return FixedExpSaturated(int64_t{kExpOfEighth} +
                           MultiplyHigh(kExpOfEighth, a + series));
}

}  // namespace

int32_t FixedExp(int32_t x) {
  if (x == 0) return kFixedExpMost;
  constexpr int kFractionBits = 31 - kExpBits;
  constexpr int32_t kQuarter = 1 << (kFractionBits - 2);
  const int32_t in_quarter = (x & (kQuarter - 1)) - kQuarter;
  int32_t y = FixedExpOfQuarter(
      FixedExpSaturated(int64_t{in_quarter} * (1 << kExpBits)));
  const int32_t rest = in_quarter - x;
  int bit = kFractionBits - 2;
  for (const int32_t power : kFixedExpPowers) {
    if ((rest & (1 << bit)) != 0) y = MultiplyHigh(y, power);
    ++bit;
  }
  return y;
}

FixedReciprocal Reciprocal(int32_t x, int integer_bits) {
  const int headroom = __builtin_clz(static_cast<uint32_t>(x));
  // x = (1 + a) * 2^k, with a in [0, 1).
  const auto a = static_cast<int32_t>((static_cast<uint32_t>(x) << headroom) -
                                      (uint32_t{1} << 31));
  const int64_t sum = int64_t{a} + kFixedExpMost;
  const auto half = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  constexpr int32_t k48Over17 = 1515870810;  // with 2 integer bits, as `guess`
  constexpr int32_t kMinus32Over17 = -1010580540;
  int32_t guess = k48Over17 + MultiplyHigh(half, kMinus32Over17);
  for (int i = 0; i < 3; ++i) {
    const int32_t error = (1 << 29) - MultiplyHigh(half, guess);
    guess += FixedExpSaturated(int64_t{MultiplyHigh(guess, error)} * 4);
  }
  return {FixedExpSaturated(int64_t{guess} * 2), integer_bits - headroom};
}

}  // namespace mace::cpu
