// The numbers of the tests of micro-kernels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/self_test/test_memory.h"

#include <cstring>

#include "mace/base/fp16.h"

namespace mace::cpu {

void Put(Element type, void* to, size_t i, float value) {
  const size_t bytes = SizeOf(type);
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  if (type == Element::kBf16) {
    bits >>= 16;
  } else if (type == Element::kF16) {
    bits = ToFp16(value);
  } else if (type != Element::kF32) {
    bits = static_cast<uint32_t>(static_cast<int32_t>(value));
  }
  std::memcpy(static_cast<char*>(to) + i * bytes, &bits, bytes);
}

float Get(Element type, const void* from, size_t i) {
  const size_t bytes = SizeOf(type), unused = 32 - 8 * bytes;
  uint32_t bits = 0;
  std::memcpy(&bits, static_cast<const char*>(from) + i * bytes, bytes);
  if (type == Element::kF16) return FromFp16(static_cast<uint16_t>(bits));
  if (type == Element::kU8) return static_cast<float>(bits);
  bits <<= unused;
  if (type == Element::kF32 || type == Element::kBf16) {
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  return static_cast<float>(static_cast<int32_t>(bits) >> unused);
}

TestMemory::TestMemory(Element type) {
  for (int i = 0; i < kOperands; ++i) Fill(type, i);
  std::memset(out<char>(), 0x5a, kBytes);
}

void* TestMemory::Fill(Element type, int operand) {
  const bool is_byte = SizeOf(type) == 1;
  void* const to = memory_[operand];
  auto seed = static_cast<uint32_t>(operand);
  for (size_t i = 0; i < kBytes / SizeOf(type); ++i) {
    seed = seed * 1664525 + 1013904223;  // Numerical Recipes
    int value = static_cast<int8_t>(seed >> 24);
    if (!is_byte) {
      value >>= 4;
      value += value >= 0;
    }
    value += value == -128;
    Put(type, to, i, static_cast<float>(value));
  }
  return to;
}

void TestMemory::Sum(Element type, size_t n) {
  float sum = 0;
  for (size_t i = 0; i < n; ++i) {
    sum += Get(type, out<void>(), i) * static_cast<float>(i % 5 + 1);
  }
  Add(sum);
}

bool TestMemory::HasSums(const float* sums, size_t count) const {
  if (count != count_ || count > kMaxSums) return false;
  for (size_t i = 0; i < count; ++i) {
    const float wanted = sums[i], found = sums_[i];
    const float difference = found < wanted ? wanted - found : found - wanted;
    const float error = 2e-4f * (1 + (wanted < 0 ? -wanted : wanted));
    if (!(difference <= (error < 0.5f ? error : 0.5f))) return false;
  }
  return true;
}

}  // namespace mace::cpu
