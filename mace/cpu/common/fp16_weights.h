// Requirements of fp16 kernels on the constants that they read.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_FP16_WEIGHTS_H_
#define MACE_CPU_COMMON_FP16_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "mace/base/large_array.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Returns whether input 0 is an activation in f32 or f16, input 1 a constant
// stored as f16, and input 2, if there is one, a constant whose largest finite
// magnitude stays finite in fp16. REQUIRES: two inputs.
bool HasFp16Weights(const Node& node);

// Returns whether input 0 is f32 and no f32 input is a constant: such a node
// can compute in fp16 without converting a constant.
bool ReadsActivationsOnly(const Node& node);

// Returns the f32 constant rounded to fp16, followed by zeros up to `n`
// elements. Empty if the operand is not present. REQUIRES: n is at least the
// number of its elements. Errors: MACE_OUT_OF_RESOURCES.
Result<LargeArray<uint16_t>> RoundedToFp16(const Operand& operand, int64_t n);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_FP16_WEIGHTS_H_
