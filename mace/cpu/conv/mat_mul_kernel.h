// The kernel of matrix products; several ops use it.
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

// Makes the kernel; it is the reference kernel if the context asks for it.
// Errors: MACE_OUT_OF_RESOURCES.
Result<KernelPtr> PrepareMatMul(const Node& node, const MatMulSpec& spec,
                                CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_MAT_MUL_KERNEL_H_
