// Bitcast on the CPU: a view.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/bitcast.h"

#include "mace/cpu/copy/copy_kernel.h"

namespace mace::cpu {

CpuKernelDefs Bitcast() { return ForAllTypes(PrepareView); }

}  // namespace mace::cpu
