// Attributes of Cumsum.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CUMSUM_H_
#define MACE_OPS_CUMSUM_H_

#include <cstdint>

namespace mace {

struct CumsumAttrs {
  int64_t axis = 0;        // in [-rank, rank)
  bool exclusive = false;  // each sum excludes the element itself
  bool reverse = false;    // sums from the end
  bool product = false;

  template <typename V>
  void Fields(V& v) {
    v("axis", axis);
    v("exclusive", exclusive);
    v("reverse", reverse);
    v("product", product);
  }
};

}  // namespace mace

#endif  // MACE_OPS_CUMSUM_H_
