// PoolLines: computes pooling line by line, for overlapping windows and for few
// channels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_POOLING_POOL_LINES_H_
#define MACE_CPU_POOLING_POOL_LINES_H_

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/reference/pooling.h"
#include "mace/cpu/ukernels/pool/pool_table.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Returns whether pooling by lines takes fewer operations than window by
// window, where vectors are filled with the channels of one pixel. `row` is the
// micro-kernel. False, too, if `row` cannot pool by lines or the tables of an
// average would be too large.
bool LinesPay(const PoolShape& shape, const PoolF32& row);

// REQUIRES: LinesPay(shape, row).
KernelPtr MakePoolLines(const PoolShape& shape, const ActivationFunction& act,
                        const PoolF32& row, const CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_POOLING_POOL_LINES_H_
