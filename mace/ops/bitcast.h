// Attributes of Bitcast.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_BITCAST_H_
#define MACE_OPS_BITCAST_H_

#include <string>

namespace mace {

struct BitcastAttrs {
  std::string to = "f32";  // a data type

  template <typename V>
  void Fields(V& v) {
    v("to", to);
  }
};

}  // namespace mace

#endif  // MACE_OPS_BITCAST_H_
