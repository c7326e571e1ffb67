// CopyBox: a box of elements to be moved between tensors of any strides.
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

// Element (i0, i1, ...) of the box moves from src + src_offset + sum of i *
// src_stride to dst + dst_offset + sum of i * dst_stride. No two elements have
// the same destination.
// transpose [2, 3] of floats:  dims {3, from 4, to 8}, {2, from 12, to 4}
// src  a b c d e f             run_bytes 4
// dst  a d b e c f
struct CopyBox {
  static constexpr int kFill = -1;

  int input = 0;  // of the node; kFill: one constant element
  int output = 0;
  int64_t src_offset = 0;  // in bytes
  int64_t dst_offset = 0;
  std::vector<CopyDim> dims;  // outermost first
  int64_t run_bytes = 0;      // contiguous bytes at each index

  // Returns the bytes of all elements of the box.
  int64_t bytes() const;
};

// Returns the strides, in elements, of a dense tensor.
std::vector<int64_t> DenseStrides(const Shape& shape);

// Returns a box of `extents` elements of `elem_bytes` bytes each. Strides and
// offsets are in elements.
CopyBox MakeBox(size_t elem_bytes, const Shape& extents,
                const std::vector<int64_t>& src_strides, int64_t src_offset,
                const std::vector<int64_t>& dst_strides, int64_t dst_offset);

// Returns a box for the same copy with as few dimensions and as long runs as
// possible, whose dimensions are ordered so that addresses of writes increase.
// An empty box has run_bytes 0.
CopyBox Simplify(CopyBox box);

// Copies one run at a time, on the calling thread: the definition that
// CopyStrided is tested against.
void CopyNaive(const CopyBox& box, const void* src, void* dst);

// Copies with all threads; as CopyNaive if there are more dimensions than
// Odometer::kMaxDims. src and dst are the starts of the tensors, of any
// alignment, and do not overlap unless every element stays where it is.
// REQUIRES: `box` is simplified. Allocates nothing.
void CopyStrided(const CopyBox& box, const void* src, void* dst,
                 ThreadPool* threads);

// Returns a box that sets a whole dense tensor to the kernel's fill element.
CopyBox FillBox(const TensorType& type);

}  // namespace mace

#endif  // MACE_CPU_COPY_STRIDED_COPY_H_
