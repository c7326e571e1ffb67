// Attributes of LshProjection.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_LSH_PROJECTION_H_
#define MACE_OPS_LSH_PROJECTION_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

// kDense: y has each bit as an element. kSparse: for each hash function h of B
// bits the number that the bits form, the first bit highest, plus h * 2^B,
// modulo 2^32.
enum class LshProjectionType { kDense, kSparse };

struct LshProjectionAttrs {
  // DENSE or SPARSE.
  std::string type = "DENSE";

  template <typename V>
  void Fields(V& v) {
    v("type", type);
  }
};

// Errors: MACE_INVALID_MODEL for an unknown name.
Result<LshProjectionType> LshProjectionTypeOf(const Node& node,
                                              const LshProjectionAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_LSH_PROJECTION_H_
