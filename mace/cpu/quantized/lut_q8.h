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

// Makes a kernel that replaces each value q of input 0 by table[uint8_t(q)], in
// place if the plan gives both tensors the same memory. The table is copied.
// REQUIRES: input 0 and output 0 are i8 or u8, and have as many elements.
KernelPtr MakeLut(const Node& node, CpuContext& context,
                  const std::array<uint8_t, 256>& table);

// Returns a table for MakeLut: entry uint8_t(q) is quantize_value(q), of which
// the low 8 bits are kept. q is an int32_t: -128 to 127 if input 0 is i8, 0 to
// 255 if it is u8. REQUIRES: it is one of these.
template <typename F>
std::array<uint8_t, 256> TableOf(const Node& node, const F& quantize_value) {
  std::array<uint8_t, 256> table;
  const QuantizedRange range = RangeOf(node.inputs[0].type.dtype);
  for (int32_t q = range.least; q <= range.most; ++q) {
    table[static_cast<uint8_t>(q)] = static_cast<uint8_t>(quantize_value(q));
  }
  return table;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_QUANTIZED_LUT_Q8_H_
