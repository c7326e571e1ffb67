// Requantizes sums in plain C++, for all sums and factors.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/requantize_q8/requantize_once_q8_plain.h"

namespace mace::cpu {
namespace {

uint8_t QuantizedValue(const RequantizeQ8Tile& t, int64_t scaled) {
  const int64_t value = scaled + t.zero_point;
  const int64_t above = value < t.least ? t.least : value;
  return static_cast<uint8_t>(above > t.most ? t.most : above);
}

}  // namespace

void requantize_q8__scalar(const RequantizeQ8Tile& t) {
  for (size_t i = 0; i < t.m; ++i) {
    for (size_t j = 0; j < t.n; ++j) {
      const int left = t.left[j], right = t.right[j];
      const auto bits = static_cast<uint32_t>(SumOf(t, i, j));
      const auto x = static_cast<int32_t>(left > 31 ? 0 : bits << left);
      int64_t y = (int64_t{x} * t.mantissa[j] + (int64_t{1} << 30)) >> 31;
      if (right > 0) {
        y = (y + (int64_t{1} << (right - 1)) - (y < 0 ? 1 : 0)) >> right;
      }
      t.y[static_cast<ptrdiff_t>(i) * t.y_stride + static_cast<ptrdiff_t>(j)] =
          QuantizedValue(t, y);
    }
  }
}

void requantize_once_q8__scalar(const RequantizeQ8Tile& t) {
  for (size_t i = 0; i < t.m; ++i) RequantizeOnce(t, i, 0);
}

}  // namespace mace::cpu
