// Functions of one code, looked up.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_OPS_UNARY_Q8_H_
#define MACE_CPU_OPS_UNARY_Q8_H_

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"
#include "mace/ops/unary.h"

namespace mace::cpu {

// Computes y[i] = f(x[i]) for n floats.
using RealMap = void (*)(const void* x, void* y, int64_t n);

// Prepares a Unary node whose input is quantized i8 or u8. ABS, SQRT and RSQRT
// are those of TFLite's reference kernels, of which roots are rounded towards
// zero and those of numbers below 0 are the ones of 0; other functions are
// computed by `map`, of the numbers that the codes stand for.
Result<KernelPtr> PrepareUnaryQ8(const Node& node, CpuContext& context,
                                 UnaryKind kind, RealMap map);

// Prepares a Clip node whose input is quantized i8 or u8, as TFLite's
// RELU_N1_TO_1. Errors: MACE_UNSUPPORTED for limits that are inputs.
Result<KernelPtr> PrepareClipQ8(const Node& node, CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_OPS_UNARY_Q8_H_
