// Attributes of Bitwise.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_BITWISE_H_
#define MACE_OPS_BITWISE_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

// For a shift by n < 0, or by at least the bits of the type, SHIFT_LEFT is 0
// and SHIFT_RIGHT 0 or, of a negative number, -1.
enum class BitwiseType { kAnd, kOr, kXor, kShiftLeft, kShiftRight };

struct BitwiseAttrs {
  std::string type = "AND";  // AND, OR, XOR, SHIFT_LEFT or SHIFT_RIGHT

  template <typename V>
  void Fields(V& v) {
    v("type", type);
  }
};

// Errors: MACE_INVALID_MODEL for a name that is not in the list.
Result<BitwiseType> BitwiseTypeOf(const Node& node, const BitwiseAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_BITWISE_H_
