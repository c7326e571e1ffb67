// SliceSpec: a regular selection of elements, the common form of Slice and
// StridedSlice.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_SLICE_SPEC_H_
#define MACE_OPS_COMMON_SLICE_SPEC_H_

#include <cstdint>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// Along axis d of x, selects the elements starts[d] + k * steps[d] for k in [0,
// counts[d]). All of them lie inside x.
struct SliceSpec {
  std::vector<int64_t> starts, steps, counts;
  Shape shape;  // of the result: counts, with axes removed or added
};

// Selects all of `x`.
SliceSpec WholeSlice(const Shape& x);

// Sets axis `d` of `spec` to [start, end) with a step. Negative bounds count
// from the end, and both are clamped to the extent. REQUIRES: step != 0.
void SetSlice(int d, int64_t extent, int64_t start, int64_t end, int64_t step,
              SliceSpec* spec);

// Returns the byte at which the selection begins within x if it is a contiguous
// part of it, else -1.
int64_t PartOffset(const TensorType& x, const SliceSpec& spec);

// Returns the selection of a Slice or StridedSlice node. Errors:
// MACE_INVALID_MODEL.
Result<SliceSpec> SliceOf(const Node& node);
Result<SliceSpec> StridedSliceOf(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_COMMON_SLICE_SPEC_H_
