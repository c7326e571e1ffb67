// The memory of the tests of micro-kernels, its numbers, and their comparison.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_SELF_TEST_TEST_MEMORY_H_
#define MACE_CPU_SELF_TEST_TEST_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "mace/cpu/simd/element.h"

namespace mace::cpu {

// Operands of a case, and what it computes. A case begins with operands that
// are full of numbers of its row's type. On the stack of a probe: about 48 KiB
// of its 256.
// memory_   [operand 0] .. [operand 4] [results]     8 KiB each, aligned to 64
class TestMemory {
 public:
  static constexpr int kOperands = 5;
  static constexpr size_t kMaxSums = 24;

  // Fills all operands with numbers of `type`.
  explicit TestMemory(Element type);

  template <typename T>
  T* in(int i) {
    return reinterpret_cast<T*>(memory_[i]);
  }
  // Results: the part behind the operands. Its bytes are 0x5a at first, so that
  // results that are not written give wrong sums.
  template <typename T>
  T* out() {
    return in<T>(kOperands);
  }

  // Fills operand `i` with numbers of a type, which differ from those of the
  // other operands: bytes of all magnitudes but -128, or whole numbers in [-8,
  // 8] but 0, of which sums and products are exact. They are the same in every
  // process.
  void* Fill(Element type, int i);
  template <typename T>
  T* Fill(int i) {
    return static_cast<T*>(Fill(ElementOf<T>(), i));
  }

  // Sum remembers the sum of the first n results, each times 1 to 5 by its
  // index modulo 5, so that results in wrong places are noticed; Add remembers
  // any number. Those beyond kMaxSums since Restart are only counted.
  void Sum(Element type, size_t n);
  void Add(float sum) {
    if (count_ < kMaxSums) sums_[count_] = sum;
    ++count_;
  }
  void Restart() { count_ = 0; }
  // Returns whether these sums, and no others, were remembered: exactly if they
  // are integers, else up to the rounding of a few operations (2e-4 * (1 +
  // |sum|), at most 0.5). NaN equals no sum.
  template <size_t kCount>
  bool Has(const float (&sums)[kCount]) const {
    return HasSums(sums, kCount);
  }
  bool HasSums(const float* sums, size_t count) const;

 private:
  // Of an operand. A case checks no bounds: its sizes are constants that fit.
  static constexpr size_t kBytes = 8 << 10;

  alignas(64) uint8_t memory_[kOperands + 1][kBytes];
  float sums_[kMaxSums];
  size_t count_ = 0;
};

// Return or write element i as a number. 8-bit values are signed unless the
// type is kU8. Put rounds to integers towards zero and to fp16 to the nearest,
// and cuts off the lower half for bf16. REQUIRES: not a type of blocks.
float Get(Element type, const void* from, size_t i);
void Put(Element type, void* to, size_t i, float value);

}  // namespace mace::cpu

#endif  // MACE_CPU_SELF_TEST_TEST_MEMORY_H_
