// Merges the axes of a reduction.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/reduce_geometry.h"

#include "mace/base/search.h"

namespace mace::cpu {

int64_t OffsetOf(const std::vector<ReduceGeometry::Dim>& dims, int64_t i) {
  if (dims.size() == 1) return i * dims[0].stride;
  int64_t offset = 0;
  for (size_t d = dims.size(); d-- > 0;) {
    offset += i % dims[d].extent * dims[d].stride;
    i /= dims[d].extent;
  }
  return offset;
}

ReduceGeometry ReduceGeometryOf(const Shape& x, const std::vector<int>& axes) {
  ReduceGeometry g;
  int64_t stride = 1;
  bool in_row = true;
  for (int d = static_cast<int>(x.size()); d-- > 0;) {
    if (x[d] == 1) continue;
    const bool goes = Contains(axes, d);
    if (stride == 1 && g.width == 1) g.keeps_row = !goes;
    in_row = in_row && goes != g.keeps_row;
    if (in_row) {
      g.width *= x[d];
    } else {
      auto& dims = goes ? g.gone : g.kept;
      (goes ? g.num_gone : g.num_kept) *= x[d];
      if (!dims.empty() &&
          dims.front().stride * dims.front().extent == stride) {
        dims.front().extent *= x[d];
      } else {
        dims.insert(dims.begin(), {x[d], stride});
      }
    }
    stride *= x[d];
  }
  // Do not visit rows without elements.
  if (!g.keeps_row && g.width == 0) g.num_gone = 0;
  return g;
}

}  // namespace mace::cpu
