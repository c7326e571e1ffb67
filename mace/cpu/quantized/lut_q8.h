// A kernel that looks up each value in a table.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_QUANTIZED_LUT_Q8_H_
#define MACE_CPU_QUANTIZED_LUT_Q8_H_

#include <array>
#include <cstdint>

#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Makes a kernel that replaces each code q of input 0 by code_of(q). REQUIRES:
// input 0 and output 0 are i8 or u8, and have as many elements.
KernelPtr MakeLut(const Node& node, CpuContext& context,
                  const std::array<uint8_t, 256>& table);

// Returns a table of code_of(q) for each code q of input 0.
template <typename F>
std::array<uint8_t, 256> TableOf(const Node& node, const F& code_of) {
  std::array<uint8_t, 256> table;
  const QuantizedRange codes = RangeOf(node.inputs[0].type.dtype);
  for (int32_t q = codes.least; q <= codes.most; ++q) {
    table[static_cast<uint8_t>(q)] = static_cast<uint8_t>(code_of(q));
  }
  return table;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_LUT_Q8_H_
