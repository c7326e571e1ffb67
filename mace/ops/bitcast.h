// Attributes of Bitcast.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_BITCAST_H_
#define MACE_OPS_BITCAST_H_

#include <string>

namespace mace {

struct BitcastAttrs {
  // A data type whose elements have the size of those of x; not bool. Nothing
  // is computed: y has the bytes of x.
  std::string to = "f32";

  template <typename V>
  void Fields(V& v) {
    v("to", to);
  }
};

}  // namespace mace

#endif  // MACE_OPS_BITCAST_H_
