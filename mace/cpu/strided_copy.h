// CopyBox and CopyKernel: moving a box of elements between tensors, whatever
// their strides; all ops that only rearrange are a list of such boxes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_STRIDED_COPY_H_
#define MACE_CPU_STRIDED_COPY_H_

#include <cstdint>
#include <vector>

#include "mace/cpu/kernel_table.h"

namespace mace {

struct CopyDim {
  int64_t extent = 1;
  int64_t src_stride = 0;  // in bytes; 0 repeats, negative reverses
  int64_t dst_stride = 0;  // in bytes, > 0
};

// Element (i0, i1, ...) of the box goes from src + src_offset + sum of
// i * src_stride to dst + dst_offset + sum of i * dst_stride. No two elements
// go to the same place.
struct CopyBox {
  static constexpr int kFill = -1;

  int input = 0;  // which input of the node, or kFill: one constant element
  int output = 0;
  int64_t src_offset = 0;  // in bytes
  int64_t dst_offset = 0;
  std::vector<CopyDim> dims;  // outermost first
  int64_t run_bytes = 0;      // moved at each index: an element, or many

  int64_t bytes() const;
};

// The element strides of a densely stored shape.
std::vector<int64_t> DenseStrides(const Shape& shape);

// A box of `extents` elements of `elem_bytes` each, with strides and offsets
// counted in elements.
CopyBox MakeBox(size_t elem_bytes, const Shape& extents,
                const std::vector<int64_t>& src_strides, int64_t src_offset,
                const std::vector<int64_t>& dst_strides, int64_t dst_offset);

// The same copy in as few dimensions and as long runs as possible.
CopyBox Simplify(CopyBox box);

// One element at a time: the twin that CopyStrided is tested against.
void CopyNaive(const CopyBox& box, const void* src, void* dst);

// REQUIRES: box is simplified. Allocates nothing.
void CopyStrided(const CopyBox& box, const void* src, void* dst,
                 ThreadPool* threads);

// A box that sets all of `type`, densely stored, to the kernel's fill element.
CopyBox FillBox(const TensorType& type);

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

}  // namespace mace

#endif  // MACE_CPU_STRIDED_COPY_H_
