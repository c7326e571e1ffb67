// Sums of products of quantized values that zero points were subtracted from.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_QUANTIZED_DOT_Q8_H_
#define MACE_CPU_QUANTIZED_DOT_Q8_H_

#include <algorithm>
#include <cstdint>

namespace mace::cpu {

// Returns the sum of a[i] * b[i] modulo 2^32. REQUIRES: magnitudes of at most
// 255: then 2^15 products stay below 2^31, and only those runs are added in 32
// bits with sign, which compilers vectorize.
inline uint32_t DotProduct(const int16_t* a, const int16_t* b, int64_t n) {
  // 2^15 * 255^2 < 2^31.
  constexpr int64_t kMaxRun = 1 << 15;
  uint32_t sum = 0;
  for (int64_t begin = 0; begin < n; begin += kMaxRun) {
    const int64_t end = std::min(n, begin + kMaxRun);
    int32_t part = 0;
    for (int64_t i = begin; i < end; ++i) part += a[i] * b[i];
    sum += static_cast<uint32_t>(part);
  }
  return sum;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_DOT_Q8_H_
