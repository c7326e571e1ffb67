// The kernels of matrix products; several ops use them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_MAT_MUL_KERNEL_H_
#define MACE_CPU_CONV_MAT_MUL_KERNEL_H_

#include <vector>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Matrix i of the output, [m, n], is act(a * b + bias), where a is matrix
// batch_a[i] of input 0 and b is matrix batch_b[i] of input 1. Input 2, if
// present, is the bias [n].
struct MatMulSpec {
  int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false;  // a is stored [k, m]
  bool transpose_b = false;  // b is stored [n, k]
  std::vector<int64_t> batch_a = {0};
  std::vector<int64_t> batch_b = {0};
  int64_t num_a = 1, num_b = 1;  // number of matrices in the inputs
  ActivationFunction activation;
};

// Makes the kernel; it is the reference kernel if the context asks for it, or
// if there is nothing to multiply. Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareMatMul(const Node& node, const MatMulSpec& spec,
                                CpuContext& context);

// As PrepareMatMul, for operands that are quantized i8 or u8, without a bias
// and an activation. Results are those of TFLite's reference kernel of
// BATCH_MATMUL. Errors: also MACE_UNSUPPORTED if n is too large for the
// kernel's tables.
Result<KernelPtr> PrepareMatMulQ8(const Node& node, const MatMulSpec& spec,
                                  CpuContext& context);

// Prepares act(x * w^T + bias) with x [m, k] and w, input 1, [n, k] stored as
// int8 or int4 values. For few rows of x, a micro-kernel multiplies them by w
// as it is stored; for more rows, or without such a micro-kernel, dequantizes
// and packs a few rows of w at a time, for the micro-kernels of GEMM. REQUIRES:
// HasQuantizedRows(w), and m, n and k above 0.
Result<KernelPtr> PrepareMatMulWeightsQ8(const Node& node, int64_t m,
                                         const ActivationFunction& activation,
                                         CpuContext& context);

// The same with dynamic quantization: each Run quantizes every row of x to int8
// with a scale of its own, and multiplies the rows by the quantized values of
// w. REQUIRES: as PrepareMatMulWeightsQ8. Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareMatMulDynamic(const Node& node, int64_t m,
                                       const ActivationFunction& activation,
                                       CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_MAT_MUL_KERNEL_H_
