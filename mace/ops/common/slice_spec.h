// SliceSpec: a regular selection of elements, what Slice and StridedSlice come
// down to.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_SLICE_SPEC_H_
#define MACE_OPS_COMMON_SLICE_SPEC_H_

#include <cstdint>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// Along axis d of x, the elements starts[d] + k * steps[d] for k in
// [0, counts[d]). All of them lie inside x.
struct SliceSpec {
  std::vector<int64_t> starts, steps, counts;
  Shape shape;  // of the result: counts, with axes dropped or added
};

// Everything of `x`.
SliceSpec WholeSlice(const Shape& x);

// Sets axis `d` of `spec` to [start, end) in steps, where both count from the
// end if negative and are clamped to the extent of x.
// REQUIRES: step != 0.
void SetSlice(int d, int64_t extent, int64_t start, int64_t end, int64_t step,
              SliceSpec* spec);

// Where the selection begins in the bytes of x, if it is a contiguous part of
// them; else -1.
int64_t PartOffset(const TensorType& x, const SliceSpec& spec);

// The selection that a Slice or StridedSlice node makes.
// Errors: MACE_INVALID_MODEL.
Result<SliceSpec> SliceOf(const Node& node);
Result<SliceSpec> StridedSliceOf(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_COMMON_SLICE_SPEC_H_
