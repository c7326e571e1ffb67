// Inputs for the tests and benchmarks of micro-kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_TESTING_RANDOM_FLOATS_H_
#define MACE_CPU_UKERNELS_TESTING_RANDOM_FLOATS_H_

#include <cstddef>
#include <random>
#include <vector>

namespace mace::cpu {

// Returns n floats, uniform in [lo, hi) and equal on every platform and in each
// call: the seed is n, so that two vectors of equal length and range are equal.
// The vector ends where its allocation ends, so that the sanitizers see
// accesses beyond it.
inline std::vector<float> RandomFloats(size_t n, float lo = -1, float hi = 1) {
  std::mt19937 rng(static_cast<uint32_t>(n));
  std::vector<float> values(n);
  for (float& v : values) {
    v = lo + (hi - lo) * static_cast<float>(rng() >> 8) / (1 << 24);
  }
  return values;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_RANDOM_FLOATS_H_
