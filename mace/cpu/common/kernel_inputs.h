// Reads a node's operands during Run.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_KERNEL_INPUTS_H_
#define MACE_CPU_COMMON_KERNEL_INPUTS_H_

#include "mace/device/kernel.h"

namespace mace::cpu {

// Returns input 2, the bias, or null if there is none.
inline const float* BiasF32(const RunArgs& args) {
  return args.inputs.size() > 2 ? args.inputs[2].as<const float>() : nullptr;
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_KERNEL_INPUTS_H_
