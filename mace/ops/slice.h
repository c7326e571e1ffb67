// Attributes of Slice.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SLICE_H_
#define MACE_OPS_SLICE_H_

#include <cstdint>
#include <vector>

namespace mace {

// As x[start:end:step] in Python, for each of `axes`. Each list may be an input
// instead (1 to 4), in this order. Elements 0 1 2 3 4 5 of an axis:
//
//  start 1, end 5, step 2     1 3
//  start -1, end 1, step -2   5 3
struct SliceAttrs {
  std::vector<int64_t> starts;
  std::vector<int64_t> ends;   // exclusive
  std::vector<int64_t> axes;   // []: the first ones
  std::vector<int64_t> steps;  // []: all 1

  template <typename V>
  void Fields(V& v) {
    v("starts", starts);
    v("ends", ends);
    v("axes", axes);
    v("steps", steps);
  }
};

}  // namespace mace

#endif  // MACE_OPS_SLICE_H_
