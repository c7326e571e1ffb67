// What the typical calls of float and of quantized micro-kernels share.
// SPDX-License-Identifier: Apache-2.0
//
// For calls.cc and calls_q8.cc only, which make UkernelCalls of each row. The
// two are separate because of their length. A call owns its operands: its `run`
// holds a shared pointer to the Bytes that Values has filled.
#ifndef MACE_CPU_UKERNELS_TESTING_CALL_VALUES_H_
#define MACE_CPU_UKERNELS_TESTING_CALL_VALUES_H_

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "mace/cpu/ukernels/testing/all_tables.h"
#include "mace/cpu/ukernels/testing/calls.h"

namespace mace::cpu {

using Bytes = std::vector<uint8_t>;  // memory for elements of any type
using Calls = std::vector<UkernelCall>;

// Number of elements for elementwise functions: three arrays of kLength floats
// fit into an L1 cache of 32 KiB.
constexpr size_t kLength = 2048;

// Resizes `memory` for n elements and fills them with random values: floats in
// [1, 2), of f32, bf16 or fp16 (also as uint16_t), or any integers. A sum of a
// few thousand products of such floats is neither denormal nor infinite, which
// would take some CPUs longer. Returns the first element; the pointer is valid
// until `memory` is resized. Values depend on T and n only, so that each run
// times the same ones.
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
      // 1 with random digits below: 1 is 0x3f80 in bf16 and 0x3c00 in fp16.
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

// Append typical calls of a row, at least one. calls.cc has these functions for
// the other tables; its Add(GemmUkernel) calls AddQuantized for rows of
// quantized values. Most operands fit into the L1 cache, so that the
// micro-kernel is measured and not memory.
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
