// Which elements a reduction over some axes adds to which output.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_REDUCE_GEOMETRY_H_
#define MACE_CPU_COMMON_REDUCE_GEOMETRY_H_

#include <cstdint>
#include <vector>

#include "mace/graph/tensor_type.h"

namespace mace::cpu {

// x is divided into rows of `width` contiguous elements, and the rows into
// num_kept groups of num_gone rows. If the last axis (but those of 1) is kept,
// the rows of a group are added up to one row of outputs (keeps_row); else all
// elements of a group are reduced to one output.
// x [2, 3, 4], axis 1:  width 4, keeps_row, kept {2 by 12}, gone {3 by 4}
//   y[i, 0..3] = sum over j < 3 of the row at i * 12 + j * 4
// x [2, 3, 4], axis 2:  width 4, !keeps_row, kept {6 by 4}, gone {}
//   y[i] = sum of the row at i * 4
// Row j of group i begins at OffsetOf(kept, i) + OffsetOf(gone, j); group i
// gives outputs from i * width on, or output i. Adjacent axes are merged, and
// axes of 1 are left out.
struct ReduceGeometry {
  struct Dim {
    // Strides count elements of x.
    int64_t extent, stride;
  };
  std::vector<Dim> kept, gone;  // axes of the rows
  int64_t num_kept = 1, num_gone = 1, width = 1;
  bool keeps_row = true;

  // Returns how many elements each output is made of.
  int64_t num_reduced() const {
    return keeps_row ? num_gone : num_gone * width;
  }
};

// Returns the offset, in elements, of index `i` into dimensions, outermost
// first. REQUIRES: i is less than the product of their extents.
int64_t OffsetOf(const std::vector<ReduceGeometry::Dim>& dims, int64_t i);

// Returns how to reduce `axes` of x, which count from 0 and are in any order.
ReduceGeometry ReduceGeometryOf(const Shape& x, const std::vector<int>& axes);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_REDUCE_GEOMETRY_H_
