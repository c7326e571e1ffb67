// Adds quantized values in plain C++: the definition for other files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/add_q8/add_q8.h"

namespace mace::cpu {
namespace {

int32_t Scaled(int32_t x, AddQ8Factor f) {
  int64_t y = (int64_t{x} * f.mantissa + (1 << 30)) >> 31;
  if (f.right > 0) {
    y = (y + (int64_t{1} << (f.right - 1)) - (y < 0 ? 1 : 0)) >> f.right;
  }
  return static_cast<int32_t>(y);
}

int32_t Scaled(const AddQ8Args::Operand& x, bool is_unsigned, size_t i) {
  const int32_t value = is_unsigned
                            ? int32_t{x.quantized[i]}
                            : int32_t{static_cast<int8_t>(x.quantized[i])};
  return Scaled((value - x.zero_point) * (1 << kAddQ8Bits), x.factor);
}

}  // namespace

void add_q8__scalar(const AddQ8Args& t) {
  for (size_t i = 0; i < t.n; ++i) {
    const int32_t a = Scaled(t.a, t.is_unsigned, i);
    const int32_t b = Scaled(t.b, t.is_unsigned, i);
    const int32_t value =
        Scaled(t.subtract ? a - b : a + b, t.factor) + t.zero_point;
    const int32_t above = value < t.least ? t.least : value;
    t.y[i] = static_cast<uint8_t>(above > t.most ? t.most : above);
  }
}

}  // namespace mace::cpu
