// Attributes of Eltwise.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ELTWISE_H_
#define MACE_OPS_ELTWISE_H_

#include <string>

#include "mace/ops/common/activation_attrs.h"

namespace mace {

// Of integers without a scale, results wrap around; quotients by 0 and their
// remainders are 0, and so are negative powers of bases other than 1 and -1. Of
// floats, the result is NaN if either operand is, also for kMin and kMax; but
// NaN^0 and 1^NaN are 1.
enum class EltwiseType {
  kSum,
  kSub,
  kProd,
  kDiv,  // of integers rounded towards zero
  kMin,
  kMax,
  kPow,
  kSqrDiff,   // (a - b)^2
  kFloorDiv,  // floor(a / b)
  kMod,       // with the sign of the divisor
  kFmod,      // with the sign of the dividend
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
