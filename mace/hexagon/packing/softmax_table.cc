// Exponentials of fixed-point numbers with 5 integer bits, by the series and
// the factors that gemmlowp documents.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/packing/softmax_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mace/hexagon/packing/filters.h"
#include "mace/hexagon/protocol/fixed_reciprocal.h"

namespace mace::hexagon {
namespace {

constexpr int kIntegerBits = 5;
constexpr int kFractionBits = 31 - kIntegerBits;

// exp(-2^e) for e = -2 to 4.
constexpr int32_t kPowers[] = {1672461947, 1302514674, 790015084, 290630308,
                               39332535,   720401,     242};

// exp(x) for x in [-1/4, 0), without integer bits.
int32_t ExpOfQuarter(int32_t x) {
  constexpr int32_t kExpOfEighth = 1895147668;  // exp(-1/8)
  constexpr int32_t kThird = 715827883;
  const int32_t a = x + (1 << 28);  // x + 1/8
  const int32_t a2 = ScalarMultiplyHigh(a, a);
  const int32_t a3 = ScalarMultiplyHigh(a2, a);
  const int32_t a4 = ScalarMultiplyHigh(a2, a2);
  const int32_t series = ScalarRoundingShift(
      ScalarMultiplyHigh(ScalarRoundingShift(a4, 2) + a3, kThird) + a2, 1);
  return ScalarSaturate(int64_t{kExpOfEighth} +
                        ScalarMultiplyHigh(kExpOfEighth, a + series));
}

int32_t Exp(int32_t x) {
  if (x == 0) return std::numeric_limits<int32_t>::max();
  constexpr int32_t kQuarter = 1 << (kFractionBits - 2);
  const int32_t in_quarter = (x & (kQuarter - 1)) - kQuarter;
  int32_t y = ExpOfQuarter(in_quarter * (1 << kIntegerBits));
  const int32_t rest = in_quarter - x;
  int bit = kFractionBits - 2;
  for (const int32_t power : kPowers) {
    if ((rest & (1 << bit)) != 0) y = ScalarMultiplyHigh(y, power);
    ++bit;
  }
  return y;
}

}  // namespace

Result<SoftmaxTable> MakeSoftmaxTable(float scale) {
  SoftmaxTable table;
  MACE_ASSIGN_OR_RETURN(
      table.exponentials,
      AlignedBuffer::Create(256 * sizeof(int32_t), "exponentials"));
  const double unit = double{scale} * (1 << kFractionBits);
  const FixedParams factor = ToFixed(std::min(unit, 2147483647.0));
  const double reach =
      std::ldexp(31.0 * (1 << kFractionBits), -factor.exponent);
  table.least_difference =
      -static_cast<int32_t>(std::min(std::floor(reach), 256.0));
  auto* exponentials = static_cast<int32_t*>(table.exponentials.data());
  for (int32_t d = 0; d < 256; ++d) {
    exponentials[d] = 0;
    if (-d < table.least_difference) continue;
    // The exponent is at least 0 where differences matter.
    const int32_t left = std::max(factor.exponent, 0);
    const int64_t shifted = -int64_t{d} * (int64_t{1} << left);
    const int32_t x = ScalarRoundingShift(
        ScalarMultiplyHigh(ScalarSaturate(shifted), factor.mantissa),
        std::max(-factor.exponent, 0));
    exponentials[d] = Exp(x);
  }
  return table;
}

}  // namespace mace::hexagon
