// What most micro-kernels include, precompiled for each instruction set.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_UKERNELS_PRECOMPILED_H_
#define MACE_CPU_UKERNELS_PRECOMPILED_H_

#include "mace/cpu/simd/element.h"
#include "mace/cpu/simd/simd.h"

#endif  // MACE_CPU_UKERNELS_PRECOMPILED_H_
