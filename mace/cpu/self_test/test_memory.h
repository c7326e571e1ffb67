// The memory of the tests of micro-kernels, its numbers, and their comparison.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_SELF_TEST_TEST_MEMORY_H_
#define MACE_CPU_SELF_TEST_TEST_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "mace/cpu/simd/element.h"

namespace mace::cpu {

// Operands of a case, and what it computes. A case begins with operands that
// are full of numbers of its row's type.
class TestMemory {
 public:
  static constexpr int kOperands = 5;

  explicit TestMemory(Element type);

  template <typename T>
  T* in(int i) {
    return reinterpret_cast<T*>(memory_[i]);
  }
  // Results; at first something that no case computes.
  template <typename T>
  T* out() {
    return in<T>(kOperands);
  }

  // Fills operand `i` with numbers of a type, which differ from those of the
  // other operands: bytes of all magnitudes but -128, or whole numbers in [-8,
  // 8] but 0, of which sums and products are exact.
  void* Fill(Element type, int i);
  template <typename T>
  T* Fill(int i) {
    return static_cast<T*>(Fill(ElementOf<T>(), i));
  }

  // Remembers the sum of the first n results, each times its place in a row of
  // five (1 to 5), or any number.
  void Sum(Element type, size_t n);
  void Add(float sum) { sums_[count_++] = sum; }
  void Restart() { count_ = 0; }
  // Whether the sums are these: of integers to the bit, of others but for the
  // rounding of a few operations. NaN is no sum.
  template <size_t kCount>
  bool Has(const float (&sums)[kCount]) const {
    return HasSums(sums, kCount);
  }
  bool HasSums(const float* sums, size_t count) const;

 private:
  static constexpr size_t kBytes = 8 << 10;
  static constexpr size_t kMaxSums = 24;

  alignas(64) uint8_t memory_[kOperands + 1][kBytes];
  float sums_[kMaxSums];
  size_t count_ = 0;
};

// Element i as a number. Q8 are signed.
float Get(Element type, const void* from, size_t i);
void Put(Element type, void* to, size_t i, float value);

}  // namespace mace::cpu

#endif  // MACE_CPU_SELF_TEST_TEST_MEMORY_H_
