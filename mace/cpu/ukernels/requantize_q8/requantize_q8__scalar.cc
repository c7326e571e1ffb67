// Requantizes sums in plain C++, for all sums and factors.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/requantize_q8/requantize_q8.h"

namespace mace::cpu {
namespace {

int32_t Sum(const RequantizeQ8Tile& t, size_t i, size_t j) {
  const auto add = t.row_add == nullptr ? 0 : t.row_add[i];
  return static_cast<int32_t>(
      static_cast<uint32_t>(t.sums[i * t.sums_stride + j]) +
      static_cast<uint32_t>(add));
}

uint8_t Code(const RequantizeQ8Tile& t, int64_t scaled) {
  const int64_t code = scaled + t.zero_point;
  const int64_t above = code < t.least ? t.least : code;
  return static_cast<uint8_t>(above > t.most ? t.most : above);
}

}  // namespace

void requantize_q8__scalar(const RequantizeQ8Tile& t) {
  for (size_t i = 0; i < t.m; ++i) {
    for (size_t j = 0; j < t.n; ++j) {
      const int left = t.left[j], right = t.right[j];
      const auto bits = static_cast<uint32_t>(Sum(t, i, j));
      const auto x = static_cast<int32_t>(left > 31 ? 0 : bits << left);
      int64_t y = (int64_t{x} * t.mantissa[j] + (int64_t{1} << 30)) >> 31;
      if (right > 0) {
        y = (y + (int64_t{1} << (right - 1)) - (y < 0 ? 1 : 0)) >> right;
      }
      t.y[static_cast<ptrdiff_t>(i) * t.y_stride + static_cast<ptrdiff_t>(j)] =
          Code(t, y);
    }
  }
}

}  // namespace mace::cpu
