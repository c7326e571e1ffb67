// Flatten on the CPU: a view.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {

CpuKernelDefs Flatten() { return ForAllTypesAndFp16(PrepareView); }

}  // namespace mace::cpu
