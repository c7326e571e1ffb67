// Which algorithm computes a convolution soonest.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_CONV_CHOICE_H_
#define MACE_CPU_CONV_CONV_CHOICE_H_

#include "mace/cpu/reference/conv.h"

namespace mace::cpu {

// Costs in multiply-adds of the GEMM micro-kernels at full speed.

// As a matrix product of patches and filters.
double DirectCost(const ConvShape& shape);

// By Winograd's F(m, 3); m is 2, 4 or 6. REQUIRES: Winograd::Fits(shape).
double WinogradCost(const ConvShape& shape, int m);

// The m of the cheapest Winograd convolution, 0 if none is worth its error and
// its larger filter. `max_m` bounds the error: 0 none, 2, 4 or 6 (see
// winograd_f32_points.h). The same for any number of threads.
// `direct_speed`: of the direct product's micro-kernel, against that of floats.
int ChooseWinograd(const ConvShape& shape, int max_m, double direct_speed = 1);

// By Strassen's method, one level of it, of a convolution in one group.
double StrassenCost(const ConvShape& shape);

// Whether that is worth its larger filter. `max_winograd` as above: 0, none.
bool ChooseStrassen(const ConvShape& shape, int max_winograd);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CONV_CHOICE_H_
