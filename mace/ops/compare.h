// Attributes of Compare.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMPARE_H_
#define MACE_OPS_COMPARE_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

// With a NaN, kNotEqual holds and nothing else.
enum class CompareType {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
};

struct CompareAttrs {
  std::string type = "EQUAL";  // CompareType in capitals

  template <typename V>
  void Fields(V& v) {
    v("type", type);
  }
};

// Errors: MACE_INVALID_MODEL for an unknown name.
Result<CompareType> CompareTypeOf(const Node& node, const CompareAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_COMPARE_H_
