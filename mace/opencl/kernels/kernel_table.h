// The GPU kernels of this build, in a table that the build writes from the file
// names in mace/opencl/ops: softmax.cc must define `GpuKernelDef
// opencl::Softmax()`.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_KERNEL_TABLE_H_
#define MACE_OPENCL_KERNELS_KERNEL_TABLE_H_

#include <vector>

#include "mace/device/node_kernels.h"
#include "mace/graph/attrs.h"
#include "mace/opencl/launch/target.h"

namespace mace {

// The kernel of an op for float tensors in channel-major images. `describe`
// checks that it can run the node. It compiles and uploads nothing; what it
// returns can be made unless the driver fails or memory runs out. The
// description may point into the node. Before the call, the device has checked
// the types, and that every tensor which is not a constant fits an image.
// Errors: MACE_UNSUPPORTED, with the node and the limit.
struct GpuKernelDef {
  Result<opencl::KernelSpec> (*describe)(const Node& node,
                                         const opencl::Target& target);
  // An input that may be stored otherwise (NodeKernels::TakesFp16), or -1.
  int stored_input = -1;
  // The kernel of several nodes, of which the first is one of this op, that
  // were all described (NodeKernels::PrepareFused); null: it has none. Where
  // images hold fp16, it may leave out the rounding of tensors between the
  // nodes.
  Result<opencl::KernelSpec> (*describe_fused)(
      const std::vector<FusedNode>& nodes,
      const opencl::Target& target) = nullptr;
};

struct GpuKernelEntry {
  const char* op;
  GpuKernelDef (*def)();
};
extern const GpuKernelEntry kGpuKernels[];
extern const int kNumGpuKernels;

}  // namespace mace

#endif  // MACE_OPENCL_KERNELS_KERNEL_TABLE_H_
