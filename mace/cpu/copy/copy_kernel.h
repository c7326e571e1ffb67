// Kernels that only rearrange: a list of boxes to copy.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_COPY_KERNEL_H_
#define MACE_CPU_COPY_COPY_KERNEL_H_

#include <initializer_list>
#include <vector>

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/copy/strided_copy.h"

namespace mace {

// A kernel that copies boxes, one after the other. Boxes with input kFill read
// the `fill` element (zeros if not given).
KernelPtr MakeCopyKernel(const CpuContext& context, std::vector<CopyBox> boxes,
                         const void* fill = nullptr);

// The kernel of a view: copies the bytes of input 0, or does nothing where the
// plan let input and output share memory.
Result<KernelPtr> PrepareView(const Node& node, CpuContext& context);

// One row of a kernel table for each of `types`.
CpuKernelDefs ForTypes(std::initializer_list<DataType> types,
                       Result<KernelPtr> (*prepare)(const Node&, CpuContext&));
// For every element type: ops that look at no value.
CpuKernelDefs ForAllTypes(Result<KernelPtr> (*prepare)(const Node&,
                                                       CpuContext&));
// The same for ops that may move f16 in place of f32.
CpuKernelDefs ForAllTypesAndFp16(Result<KernelPtr> (*prepare)(const Node&,
                                                              CpuContext&));

}  // namespace mace

#endif  // MACE_CPU_COPY_COPY_KERNEL_H_
