// Attributes of StridedSlice.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_STRIDED_SLICE_H_
#define MACE_OPS_STRIDED_SLICE_H_

#include <cstdint>
#include <vector>

namespace mace {

// As x[entry, entry, ...] in NumPy; each entry is a range begin:end:stride
// unless a mask makes another one of it. For x [5,6,7]:
//
//  x[1:3]                [2,6,7]
//  x[..., 2]             [5,6]       ellipsis, shrink_axis
//  x[1, newaxis, ::2]    [1,3,7]     shrink_axis, new_axis, both range masks
//
// Of an entry with several bits, the ellipsis counts first, then new_axis, then
// shrink_axis. Inputs 1 to 3 override the lists.
struct StridedSliceAttrs {
  std::vector<int64_t> begin;
  std::vector<int64_t> end;      // exclusive
  std::vector<int64_t> strides;  // []: all 1
  int64_t begin_mask = 0;        // bit i: begin[i] is ignored
  int64_t end_mask = 0;          // bit i: end[i] is ignored
  int64_t ellipsis_mask = 0;     // bit i: entry i stands for all other axes
  int64_t new_axis_mask = 0;     // bit i: entry i inserts an extent of 1
  int64_t shrink_axis_mask = 0;  // bit i: one element; the axis is removed

  template <typename V>
  void Fields(V& v) {
    v("begin", begin);
    v("end", end);
    v("strides", strides);
    v("begin_mask", begin_mask);
    v("end_mask", end_mask);
    v("ellipsis_mask", ellipsis_mask);
    v("new_axis_mask", new_axis_mask);
    v("shrink_axis_mask", shrink_axis_mask);
  }
};

}  // namespace mace

#endif  // MACE_OPS_STRIDED_SLICE_H_
