// CopyBox: moving a box of elements between tensors, whatever their strides.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_STRIDED_COPY_H_
#define MACE_CPU_COPY_STRIDED_COPY_H_

#include <cstdint>
#include <vector>

#include "mace/base/thread_pool.h"
#include "mace/graph/tensor_type.h"

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

// One element at a time: the reference of CopyStrided's tests.
void CopyNaive(const CopyBox& box, const void* src, void* dst);

// REQUIRES: box is simplified. Allocates nothing.
void CopyStrided(const CopyBox& box, const void* src, void* dst,
                 ThreadPool* threads);

// A box that sets all of `type`, densely stored, to the kernel's fill element.
CopyBox FillBox(const TensorType& type);

}  // namespace mace

#endif  // MACE_CPU_COPY_STRIDED_COPY_H_
