// Attributes of Eltwise.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ELTWISE_H_
#define MACE_OPS_ELTWISE_H_

#include <string>

#include "mace/ops/common/activation_attrs.h"

namespace mace {

enum class EltwiseType {
  kSum,
  kSub,
  kProd,
  kDiv,
  kMin,
  kMax,
  kPow,
  kSqrDiff,
  kFloorDiv,
  kMod,   // with the sign of the divisor
  kFmod,  // with the sign of the dividend
};

struct EltwiseAttrs : ActivationAttrs {
  std::string type;  // SUM, SUB, PROD, ...: EltwiseType in capitals

  template <typename V>
  void Fields(V& v) {
    v("type", type);
    ActivationFields(v);
  }
};

// Errors: MACE_INVALID_MODEL for a name that is not in the list.
Result<EltwiseType> ParseEltwiseType(const Node& node,
                                     const EltwiseAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_ELTWISE_H_
