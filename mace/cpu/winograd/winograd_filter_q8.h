// Filters of Winograd convolutions of quantized values, transformed and packed.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_WINOGRAD_WINOGRAD_FILTER_Q8_H_
#define MACE_CPU_WINOGRAD_WINOGRAD_FILTER_Q8_H_

#include <cstdint>

#include "mace/cpu/gemm/filter_q8.h"
#include "mace/cpu/ukernels/winograd_q8/winograd_q8_table.h"

namespace mace::cpu {

// A filter of 3x3, [outputs][inputs][3][3]. Its elements are quantized values
// minus `zero`.
struct WinogradFilterQ8 {
  FilterValuesQ8 quantized;
  int32_t zero = 0;
  int64_t outputs = 0, inputs = 0;
};

// Writes [ceil(outputs / nr)][36][depth / group][nr][group], as winograd_q8.h
// says, where depth is the number of inputs rounded up to the micro-kernel's
// step. REQUIRES: `to` is zeros.
void PackWinogradFilterQ8(const WinogradFilterQ8& filter,
                          const WinogradQ8& micro, int16_t* to);

}  // namespace mace::cpu

#endif  // MACE_CPU_WINOGRAD_WINOGRAD_FILTER_Q8_H_
