// The CPU kernels of this build, in a table that the build writes from the file
// names in mace/cpu/ops: softmax.cc must define `CpuKernelDefs cpu::Softmax()`.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_KERNEL_TABLE_H_
#define MACE_CPU_COMMON_KERNEL_TABLE_H_

#include <vector>

#include "mace/base/cpu_rows.h"
#include "mace/base/lazy_table.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/device/kernel.h"
#include "mace/graph/attrs.h"

namespace mace {

// A kernel for one element type of the op's first input, or of its first output
// if the node has no input. `prepare` checks that the kernel can run the node,
// and does all one-time work. The node has an output with elements, checked
// attributes and inferred types; it need not outlive the call, but constants
// must outlive the kernel. Errors: MACE_UNSUPPORTED, with the node and the
// limit; MACE_OUT_OF_RESOURCES.
struct CpuKernelDef {
  DataType dtype;
  Result<KernelPtr> (*prepare)(const Node& node, CpuContext& context);
  // The input that may be stored otherwise than as f32
  // (NodeKernels::TakesFp16); -1: none.
  int fp16_input = -1;
  // Only in rows for kF16: returns whether the kernel can run a node that is
  // still described with f32 (see NodeKernels::ComputesFp16). Null: it runs no
  // such node.
  bool (*computes_fp16)(const Node& node, const CpuContext& context) = nullptr;
  // True: for nodes whose input 0 is quantized. False: for all others, and for
  // quantized ones if the op only moves quantized values.
  bool is_quantized = false;
};
using CpuKernelDefs = std::vector<CpuKernelDef>;

// Returns `defs` and the row `fp16`, which a library without 16-bit kernels
// does not even link.
[[gnu::always_inline]] inline CpuKernelDefs WithFp16(CpuKernelDefs defs,
                                                     const CpuKernelDef& fp16) {
  if constexpr (kHas16BitKernels) defs.push_back(fp16);
  return defs;
}

// Returns `defs` and rows for quantized i8 and u8, which a library without
// 8-bit kernels does not even link.
[[gnu::always_inline]] inline CpuKernelDefs WithQ8(
    CpuKernelDefs defs,
    Result<KernelPtr> (*prepare)(const Node& node, CpuContext& context)) {
  if constexpr (kHas8BitKernels) {
    for (const DataType dtype : {DataType::kI8, DataType::kU8}) {
      defs.push_back({dtype, prepare, -1, nullptr, /*is_quantized=*/true});
    }
  }
  return defs;
}

using CpuKernelEntry = TableEntry<CpuKernelDefs>;
// Sorted by op. FindKernelDefs (fused/prepare.h) searches it.
extern const CpuKernelEntry kCpuKernels[];
extern const int kNumCpuKernels;

}  // namespace mace

#endif  // MACE_CPU_COMMON_KERNEL_TABLE_H_
