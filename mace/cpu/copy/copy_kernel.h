// Kernels that only move elements: a list of boxes to copy.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_COPY_KERNEL_H_
#define MACE_CPU_COPY_COPY_KERNEL_H_

#include <initializer_list>
#include <vector>

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/copy/strided_copy.h"

namespace mace {

// Makes a kernel that copies the boxes in order, each with all threads. Boxes
// with input kFill read the element `fill`, of run_bytes bytes and copied now,
// or zeros if it is null. Boxes must stay within their tensors; inputs and
// outputs do not overlap.
KernelPtr MakeCopyKernel(const CpuContext& context, std::vector<CopyBox> boxes,
                         const void* fill = nullptr);

// Makes the kernel of a view (Op::is_view), whose output has the bytes of input
// 0. It copies them, or does nothing if the plan placed input and output at the
// same address.
Result<KernelPtr> PrepareView(const Node& node, CpuContext& context);

// Returns a row of the kernel table for each of `types`.
CpuKernelDefs ForTypes(std::initializer_list<DataType> types,
                       Result<KernelPtr> (*prepare)(const Node&, CpuContext&));
// The same for every element type but those of blocks, for ops that do not look
// at values.
CpuKernelDefs ForAllTypes(Result<KernelPtr> (*prepare)(const Node&,
                                                       CpuContext&));
// The same for ops that may also move f16 where the graph says f32.
CpuKernelDefs ForAllTypesAndFp16(Result<KernelPtr> (*prepare)(const Node&,
                                                              CpuContext&));

}  // namespace mace

#endif  // MACE_CPU_COPY_COPY_KERNEL_H_
