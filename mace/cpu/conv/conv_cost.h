// The cost model of convolutions.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_COST_H_
#define MACE_CPU_CONV_CONV_COST_H_

#include "mace/cpu/reference/conv.h"

namespace mace::cpu {

// Costs are in multiply-adds of the float32 GEMM micro-kernels at full speed,
// and the same for any number of threads.

// As a matrix product of patches and filters.
double DirectCost(const ConvShape& shape);

// By Winograd's F(m, 3); m is 2, 4 or 6. REQUIRES: Winograd::Fits(shape).
double WinogradCost(const ConvShape& shape, int m);

// By Strassen's method, one level of it, of a convolution in one group.
double StrassenCost(const ConvShape& shape);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_COST_H_
