// AxisLines: the lines of a tensor along one of its axes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_AXIS_LINES_H_
#define MACE_CPU_COMMON_AXIS_LINES_H_

#include "mace/ops/common/operands.h"

namespace mace::cpu {

// The tensor is seen as [outer, n, inner]. A line is n elements, `inner`
// elements apart.
struct AxisLines {
  int64_t outer = 1;
  int64_t n = 1;
  int64_t inner = 1;

  int64_t count() const { return outer * inner; }
  // Returns the index of a line's first element. REQUIRES: line < count().
  int64_t Start(int64_t line) const {
    return line / inner * n * inner + line % inner;
  }
};

// Errors: as ResolveAxis.
inline Result<AxisLines> LinesAlong(const Node& node, int64_t axis,
                                    const Shape& shape) {
  MACE_ASSIGN_OR_RETURN(
      const int a, ResolveAxis(node, axis, static_cast<int>(shape.size())));
  return AxisLines{NumElements(Shape(shape.begin(), shape.begin() + a)),
                   shape[a],
                   NumElements(Shape(shape.begin() + a + 1, shape.end()))};
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_AXIS_LINES_H_
