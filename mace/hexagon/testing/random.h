// Random quantized values and factors for tests of the DSP.
// SPDX-License-Identifier: Apache-2.0
//
// The same on every machine for a seed: std::mt19937 is fixed by the standard,
// and no distribution of the library is used, which may differ.
#ifndef MACE_HEXAGON_TESTING_RANDOM_H_
#define MACE_HEXAGON_TESTING_RANDOM_H_

#include <cstdint>
#include <random>
#include <vector>

#include "mace/hexagon/packing/filters.h"

namespace mace::hexagon::testing {

using Bytes = std::vector<uint8_t>;

class Random {
 public:
  explicit Random(uint32_t seed) : engine_(seed) {}

  // A number from least to most, both included. Slightly uneven for large
  // ranges. REQUIRES: 0 <= most - least <= INT32_MAX.
  int32_t Between(int32_t least, int32_t most) {
    return least + static_cast<int32_t>(engine_() % (most - least + 1u));
  }
  // Returns `n` bytes, any of the 256 values each, for int8 or uint8.
  std::vector<uint8_t> Bytes(size_t n) {
    std::vector<uint8_t> bytes(n);
    for (uint8_t& b : bytes) b = static_cast<uint8_t>(engine_() >> 7);
    return bytes;
  }
  // Words from -size to size.
  std::vector<int32_t> Words(size_t n, int32_t size) {
    std::vector<int32_t> words(n);
    for (int32_t& w : words) w = Between(-size, size);
    return words;
  }
  // About `real`: times 0.25 to 3.95. REQUIRES: as ToFixed.
  FixedParams Factor(double real) {
    return ToFixed(real * (0.25 + Between(0, 1000) / 270.0));
  }

 private:
  std::mt19937 engine_;
};

}  // namespace mace::hexagon::testing

#endif  // MACE_HEXAGON_TESTING_RANDOM_H_
