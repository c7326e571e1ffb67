// Attributes of Slice.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_SLICE_H_
#define MACE_OPS_SLICE_H_

#include <cstdint>
#include <vector>

namespace mace {

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
