// Which elements a reduction over some axes adds to which output.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_REDUCE_GEOMETRY_H_
#define MACE_CPU_COMMON_REDUCE_GEOMETRY_H_

#include <cstdint>
#include <vector>

#include "mace/graph/tensor_type.h"

namespace mace::cpu {

// x is divided into rows of `width` contiguous elements. If the last axis is
// kept, row k adds to the same outputs as the other rows of its group; else
// each row is reduced to one element.
struct ReduceGeometry {
  struct Dim {
    int64_t extent, stride;
  };
  std::vector<Dim> kept, gone;  // axes of the rows
  int64_t num_kept = 1, num_gone = 1, width = 1;
  bool keeps_row = true;

  int64_t num_reduced() const {
    return keeps_row ? num_gone : num_gone * width;
  }
};

// Returns the offset of index `i` into dimensions, outermost first.
int64_t OffsetOf(const std::vector<ReduceGeometry::Dim>& dims, int64_t i);

ReduceGeometry ReduceGeometryOf(const Shape& x, const std::vector<int>& axes);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_REDUCE_GEOMETRY_H_
