// Attributes of Unary.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_UNARY_H_
#define MACE_OPS_UNARY_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

// The functions, in the order of their names in unary.cc: UnaryKindOf converts
// an index of that list.
enum class UnaryKind {
  kAbs,
  kNeg,  // -x
  kExp,
  kLog,  // to the base e
  kSqrt,
  kRsqrt,  // 1 / sqrt(x)
  kSquare,
  kReciprocal,  // 1 / x
  kFloor,
  kCeil,
  kRound,  // halves to even
  kSign,   // -1, 0 or 1
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kIsNan,  // y is bool
  kIsInf,  // of either sign; y is bool
  kErfc,   // 1 - erf(x)
};

struct UnaryAttrs {
  std::string type = "ABS";  // the name of the function

  template <typename V>
  void Fields(V& v) {
    v("type", type);
  }
};

// Errors: MACE_INVALID_MODEL for an unknown name.
Result<UnaryKind> UnaryKindOf(const Node& node, const UnaryAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_UNARY_H_
