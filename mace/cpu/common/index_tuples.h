// The index tuples of GatherNd and ScatterNd: n indices that select a slice.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_INDEX_TUPLES_H_
#define MACE_CPU_COMMON_INDEX_TUPLES_H_

#include <string>
#include <vector>

#include "mace/cpu/common/indices.h"

namespace mace {

// How tuples index the axes of a tensor after its batch axes.
// x [4, 5, 6], idx [7, 2], batch 0:   7 tuples (i, j), extents {4, 5}
// slice of (i, j): x[i, j, :], 6 elements at (i * 5 + j) * 6
struct TupleSpec {
  std::string label;  // of the node, for error messages
  DataType idx_dtype = DataType::kI64;
  bool from_start = false;       // no index counts from the end
  std::vector<int64_t> extents;  // of the indexed axes
  std::vector<int64_t> strides;  // of the indexed axes, in bytes
  int64_t count = 0;             // number of tuples
  int64_t slice_bytes = 0;       // size of what a tuple selects

  // Returns the byte offset of the slice of tuple t from the start of the
  // batch's part of x. REQUIRES: Check is OK for these indices.
  int64_t Offset(const Indices& idx, int64_t t) const {
    const int64_t n = static_cast<int64_t>(extents.size());
    int64_t offset = 0;
    for (int64_t k = 0; k < n; ++k) {
      offset += idx.At(t * n + k, extents[k]) * strides[k];
    }
    return offset;
  }

  // Checks all indices, in each Run before anything is written. Errors:
  // MACE_INVALID_ARGS for an index outside of its axis.
  Status Check(const Indices& idx) const {
    const int64_t n = static_cast<int64_t>(extents.size());
    for (int64_t i = 0; i < count * n; ++i) {
      const int64_t extent = extents[i % n];
      if (idx.At(i, extent) < 0) return IndexError(label, idx[i], extent);
    }
    return Status();
  }
};

// Describes tuples `idx` of shape [..., n] that index the n axes of `x` from
// axis `batch` on; `count` is that of all of `idx`, and the caller divides it
// by batches. REQUIRES: batch + n <= rank of x; checked shapes.
inline TupleSpec TuplesOf(const Node& node, const TensorType& x,
                          const TensorType& idx, int64_t batch) {
  TupleSpec spec;
  spec.label = Label(node);
  spec.idx_dtype = idx.dtype;
  spec.count = NumElements(Shape(idx.shape.begin(), idx.shape.end() - 1));
  const int64_t end = batch + idx.shape.back();
  int64_t stride = static_cast<int64_t>(SizeOf(x.dtype));
  for (int64_t d = x.rank(); d-- > batch;) {
    if (d == end - 1) spec.slice_bytes = stride;
    if (d < end) {
      spec.extents.insert(spec.extents.begin(), x.shape[d]);
      spec.strides.insert(spec.strides.begin(), stride);
    }
    stride *= x.shape[d];
  }
  if (end == batch) spec.slice_bytes = stride;  // empty tuples select all
  return spec;
}

}  // namespace mace

#endif  // MACE_CPU_COMMON_INDEX_TUPLES_H_
