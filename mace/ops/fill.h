// Attributes of Fill.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_FILL_H_
#define MACE_OPS_FILL_H_

#include <string>

namespace mace {

struct FillAttrs {
  float value = 0;
  std::string dtype = "f32";  // element type of y

  template <typename V>
  void Fields(V& v) {
    v("value", value);
    v("dtype", dtype);
  }
};

}  // namespace mace

#endif  // MACE_OPS_FILL_H_
