// What kernels of halves ask of the constants that they read.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_HALF_WEIGHTS_H_
#define MACE_CPU_COMMON_HALF_WEIGHTS_H_

#include <cstdint>
#include <vector>

#include "mace/base/large_array.h"
#include "mace/graph/node.h"

namespace mace::cpu {

// Whether input 0 is an activation, f32 or f16, input 1 a constant stored as
// f16, and input 2, if there is one, a constant.
bool HasHalfWeights(const Node& node);

// Whether input 0 is f32 and no f32 input is constant.
bool ReadsActivationsOnly(const Node& node);

// The f32 constant rounded to halves, and zeros up to `n`; empty if it is not
// present.
Result<LargeArray<uint16_t>> RoundedToHalves(const Operand& operand, int64_t n);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_HALF_WEIGHTS_H_
