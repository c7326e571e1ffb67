// What the typical calls of float and of quantized micro-kernels share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_TESTING_CALL_VALUES_H_
#define MACE_CPU_UKERNELS_TESTING_CALL_VALUES_H_

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "mace/cpu/ukernels/testing/all_tables.h"
#include "mace/cpu/ukernels/testing/calls.h"

namespace mace::cpu {

using Bytes = std::vector<uint8_t>;
using Calls = std::vector<UkernelCall>;

constexpr size_t kLength = 2048;  // elements, for elementwise functions

// Random bits: floats in [1, 2), or any integers. No operation on such floats,
// nor a sum of a few thousand of their products, gives a denormal or infinity.
template <typename T>
T* Values(Bytes& memory, size_t n) {
  memory.resize(n * sizeof(T));
  T* values = reinterpret_cast<T*>(memory.data());
  std::minstd_rand random(static_cast<uint32_t>(n));
  for (size_t i = 0; i < n; ++i) {
    const auto bits = static_cast<uint32_t>(random() >> 8);
    if constexpr (std::is_same_v<T, float>) {
      values[i] = 1 + static_cast<float>(bits & 0xffff) / 0x10000;
    } else if constexpr (std::is_same_v<T, Bf16>) {
      values[i].bits = static_cast<uint16_t>(0x3f80 | (bits & 0x7f));
    } else if constexpr (std::is_same_v<T, Fp16>) {
      values[i].bits = static_cast<uint16_t>(0x3c00 | (bits & 0x3ff));
    } else if constexpr (std::is_same_v<T, uint16_t>) {
      values[i] = static_cast<uint16_t>(0x3c00 | (bits & 0x3ff));
    } else {
      values[i] = static_cast<T>(bits);
    }
  }
  return values;
}

// Appends typical calls of a row; those of the other tables are in calls.cc.
void AddQuantized(const GemmUkernel& row, Calls& calls);
void Add(const DwconvQ8& row, Calls& calls);
void Add(const RequantizeQ8& row, Calls& calls);
void Add(const AddQ8& row, Calls& calls);
void Add(const LutQ8& row, Calls& calls);
void Add(const PoolQ8& row, Calls& calls);
void Add(const DequantizeRowsQ8& row, Calls& calls);
void Add(const GemvQ8& row, Calls& calls);
void Add(const QuantizeQ8& row, Calls& calls);
void Add(const WinogradQ8& row, Calls& calls);

}  // namespace mace::cpu

#endif  // MACE_CPU_UKERNELS_TESTING_CALL_VALUES_H_
