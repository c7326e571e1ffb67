// Attributes of ArgMax.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ARG_MAX_H_
#define MACE_OPS_ARG_MAX_H_

#include <cstdint>
#include <string>

namespace mace {

// For x [2,5,3] and axis 1, y [2,1,3] has at (i, 0, k) the j for which
// x[i][j][k] is largest. A NaN is better than any number, and the first NaN
// wins.
struct ArgMaxAttrs {
  int64_t axis = 0;  // in [-rank, rank)
  // Keeps the axis, with size 1.
  bool keepdims = true;
  bool argmin = false;              // the smallest element instead
  bool select_last = false;         // of equal elements the last one
  std::string output_type = "i64";  // or "i32"

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
    v("keepdims", keepdims);
    v("argmin", argmin);
    v("select_last", select_last);
    v("output_type", output_type);
  }
};

}  // namespace mace

#endif  // MACE_OPS_ARG_MAX_H_
