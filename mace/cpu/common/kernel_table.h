// The CPU kernels of this build, in a table written from the file names in
// mace/cpu/ops: softmax.cc must define `CpuKernelDefs cpu::Softmax()`.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_KERNEL_TABLE_H_
#define MACE_CPU_COMMON_KERNEL_TABLE_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"
#include "mace/graph/attrs.h"

namespace mace {

// A kernel for one element type of the op's first input. `prepare` checks that
// it can run the node, then does all one-time work.
// Errors: MACE_UNSUPPORTED, naming the node and the limit.
struct CpuKernelDef {
  DataType dtype;
  Result<KernelPtr> (*prepare)(const Node& node, CpuContext& context);
  int fp16_input = -1;  // may be stored as fp16 (NodeKernels::TakesFp16)
  // Of a row for kF16: whether it takes a node whose activations, given here as
  // f32, become f16 (NodeKernels::ComputesFp16). Null: it takes none.
  bool (*computes_fp16)(const Node& node, const CpuContext& context) = nullptr;
};
using CpuKernelDefs = std::vector<CpuKernelDef>;

struct CpuKernelEntry {
  const char* op;
  CpuKernelDefs (*defs)();
};
extern const CpuKernelEntry kCpuKernels[];
extern const int kNumCpuKernels;

}  // namespace mace

#endif  // MACE_CPU_COMMON_KERNEL_TABLE_H_
