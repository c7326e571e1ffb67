// The kernel of matrix products, for several ops.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CONV_MAT_MUL_KERNEL_H_
#define MACE_CPU_CONV_MAT_MUL_KERNEL_H_

#include <vector>

#include "mace/cpu/common/activation.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// Product i of the output is act(a * b + bias) of matrix batch_a[i] of input 0
// and matrix batch_b[i] of input 1; input 2, if there is one, is the bias [n].
struct MatMulSpec {
  int64_t m = 0, n = 0, k = 0;
  bool transpose_a = false;  // a is stored [k, m]
  bool transpose_b = false;  // b is stored [n, k]
  std::vector<int64_t> batch_a = {0};
  std::vector<int64_t> batch_b = {0};
  int64_t num_a = 1, num_b = 1;  // matrices in the inputs
  ActivationFunction activation;
};

// Takes the reference kernel if the context asks for it.
Result<KernelPtr> PrepareMatMul(const Node& node, const MatMulSpec& spec,
                                CpuContext& context);

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_MAT_MUL_KERNEL_H_
