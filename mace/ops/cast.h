// Attributes of Cast.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CAST_H_
#define MACE_OPS_CAST_H_

#include <string>

namespace mace {

struct CastAttrs {
  std::string to = "f32";  // element type of y

  template <typename V>
  void Fields(V& v) {
    v("to", to);
  }
};

}  // namespace mace

#endif  // MACE_OPS_CAST_H_
