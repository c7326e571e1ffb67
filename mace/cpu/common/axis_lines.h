// AxisLines: the lines of a tensor along one of its axes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_AXIS_LINES_H_
#define MACE_CPU_COMMON_AXIS_LINES_H_

#include "mace/ops/common/operands.h"

namespace mace::cpu {

// The tensor is seen as [outer, n, inner]. A line is n elements, `inner`
// elements apart; lines l and l + 1 begin side by side unless a block of
// `inner` ends between them.
// shape [2, 3, 4], axis 1:   outer 2, n 3, inner 4
// line 1:  .1..  .1..  .1..     Start(1) = 1, elements 1, 5, 9
// line 4:  4...  4...  4...     Start(4) = 12, elements 12, 16, 20
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

// Returns the lines along `axis` of a tensor of `shape`; a negative axis counts
// from the end. Errors: as ResolveAxis.
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
