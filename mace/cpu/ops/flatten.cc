// Flatten on the CPU: the bytes stay.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {

CpuKernelDefs Flatten() { return ForAllTypesAndHalves(PrepareView); }

}  // namespace mace::cpu
