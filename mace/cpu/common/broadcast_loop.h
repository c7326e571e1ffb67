// Loops over operands that broadcast, row by row.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_BROADCAST_LOOP_H_
#define MACE_CPU_COMMON_BROADCAST_LOOP_H_

#include <array>
#include <cstdint>

#include "mace/ops/common/broadcast.h"

namespace mace::cpu {

// Returns the number of rows of a plan: the product of all extents but the
// last.
inline int64_t NumRows(const BroadcastPlan& plan) {
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < plan.extents.size(); ++d) rows *= plan.extents[d];
  return rows;
}

// Calls f(row, offsets) for the rows in [begin, end), so that threads can share
// them. offsets[i] is the first element of the row in operand i; in the output
// it is row * plan.extents.back(). Within the row, an operand steps by
// plan.strides[i].back(). REQUIRES: the plan has N operands.
// out [2, 3], a [2, 3], b [2, 1]:   extents {2, 3}
// row  offsets of a, b
//  0        0, 0         a0 a1 a2  with  b0
//  1        3, 1         a3 a4 a5  with  b1
template <size_t N, typename F>
void ForEachRow(const BroadcastPlan& plan, int64_t begin, int64_t end,
                const F& f) {
  for (int64_t row = begin; row < end; ++row) {
    std::array<int64_t, N> offsets{};
    int64_t rest = row;
    for (size_t d = plan.extents.size() - 1; d-- > 0;) {
      const int64_t at = rest % plan.extents[d];
      rest /= plan.extents[d];
      for (size_t i = 0; i < N; ++i) offsets[i] += at * plan.strides[i][d];
    }
    f(row, offsets);
  }
}

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_BROADCAST_LOOP_H_
