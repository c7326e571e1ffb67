// PoolLines: pooling line by line, for windows that share most of their pixels
// and for few channels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_POOL_LINES_H_
#define MACE_CPU_CONV_POOL_LINES_H_

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/reference/pooling.h"
#include "mace/cpu/ukernels/pool/pool_f32_table.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Whether lines take fewer operations than windows, which fill a vector with
// the channels of one pixel.
bool LinesPay(const PoolShape& shape, const PoolF32& row);

KernelPtr MakePoolLines(const PoolShape& shape, const ActivationFunction& act,
                        const PoolF32& row, const CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_POOL_LINES_H_
