// Attributes of Cast.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_CAST_H_
#define MACE_OPS_CAST_H_

#include <string>

namespace mace {

struct CastAttrs {
  // Element type of y. From float to integer: rounds towards zero and
  // saturates, NaN is 0. From integer to a narrower one: the low bits. To bool:
  // x != 0.
  std::string to = "f32";

  template <typename V>
  void Fields(V& v) {
    v("to", to);
  }
};

}  // namespace mace

#endif  // MACE_OPS_CAST_H_
