// Attributes of Logical.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_LOGICAL_H_
#define MACE_OPS_LOGICAL_H_

#include <string>

namespace mace {

struct LogicalAttrs {
  // NOT takes one input, the others two.
  std::string type = "AND";  // AND, OR, XOR, NOT

  template <typename V>
  void Fields(V& v) {
    v("type", type);
  }
};

}  // namespace mace

#endif  // MACE_OPS_LOGICAL_H_
