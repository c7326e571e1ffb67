// Random: a generator that gives the same numbers for the same seed on every
// machine.
// SPDX-License-Identifier: Apache-2.0
#ifndef TEST_FUZZ_RANDOM_H_
#define TEST_FUZZ_RANDOM_H_

#include <cstdint>
#include <vector>

namespace mace::fuzz {

// SplitMix64 (Steele, Lea and Flood 2014). The standard library's
// distributions may differ between implementations.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  // In [0, n), nearly uniform: the remainder favours small numbers by n / 2^64.
  // REQUIRES: n > 0.
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(Next() % static_cast<uint64_t>(n));
  }
  // In [lo, hi]. REQUIRES: lo <= hi, and hi - lo + 1 does not overflow.
  int64_t Between(int64_t lo, int64_t hi) { return lo + Below(hi - lo + 1); }
  // True in about `percent` of 100 calls.
  bool Percent(int percent) { return Below(100) < percent; }
  // In [-1, 1), a multiple of 2^-23.
  float Unit() {
    return static_cast<float>(Below(1 << 24)) / static_cast<float>(1 << 23) - 1;
  }
  // REQUIRES: not empty.
  template <typename T>
  const T& Of(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(
        Below(static_cast<int64_t>(choices.size())))];
  }

 private:
  uint64_t state_;
};

}  // namespace mace::fuzz

#endif  // TEST_FUZZ_RANDOM_H_
