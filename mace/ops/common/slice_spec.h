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
// counts[d]). All of them lie inside x. The three lists have an entry for each
// axis of x; starts is 0 where nothing is selected, and steps 1 where one
// element or none is.
struct SliceSpec {
  std::vector<int64_t> starts, steps, counts;
  Shape shape;  // of the result: counts, with axes removed or added
};

// Selects all of `x`.
SliceSpec WholeSlice(const Shape& x);

// Sets axis `d` of `spec` to [start, end) with a step, as NumPy does: negative
// bounds count from the end, and both are clamped to the size `extent`; a
// negative step goes down from start. Any values of the bounds will do, also
// INT64_MIN and INT64_MAX. Leaves spec->shape as it is. REQUIRES: step != 0.
void SetSlice(int d, int64_t extent, int64_t start, int64_t end, int64_t step,
              SliceSpec* spec);

// Returns the byte at which the selection begins within x if it is a contiguous
// part of it, else -1; for an empty selection 0 or -1. It is contiguous if all
// steps are 1 and all axes behind the first one with several indices are whole:
//
//  x [4,5,6]:  [1:3] is, [2, 1:3] is, [1:3, 1:3] and [:, 2] are not
int64_t PartOffset(const TensorType& x, const SliceSpec& spec);

// Return the selection of a Slice or StridedSlice node, from its attributes or
// its inputs. REQUIRES: inputs from 1 on are absent or known. Errors:
// MACE_INVALID_MODEL.
Result<SliceSpec> SliceOf(const Node& node);
Result<SliceSpec> StridedSliceOf(const Node& node);

}  // namespace mace

#endif  // MACE_OPS_COMMON_SLICE_SPEC_H_
