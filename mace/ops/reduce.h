// Attributes of Reduce.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_REDUCE_H_
#define MACE_OPS_REDUCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

enum class ReduceKind {
  kMean,
  kMin,
  kMax,
  kProd,
  kSum,
  kL1,         // sum |x|
  kL2,         // sqrt(sum x^2)
  kLogSum,     // log(sum x)
  kLogSumExp,  // log(sum exp(x))
  kSumSquare,  // sum x^2
  kAll,        // of bool
  kAny,
};

// x [2,5,3] and axis 1 make y [2,3], with keepdims [2,1,3].
struct ReduceAttrs {
  // ReduceKind in capitals: MEAN, MIN, ..., LOG_SUM_EXP, SUM_SQUARE, ALL, ANY.
  std::string reduce_type = "MEAN";
  std::vector<int64_t> axis;  // []: all
  bool keepdims = false;

  template <typename V>
  void Fields(V& v) {
    v("reduce_type", reduce_type);
    v("axis", axis);
    v("keepdims", keepdims);
  }
};

// Errors: MACE_INVALID_MODEL for an unknown name.
Result<ReduceKind> ReduceKindOf(const Node& node, const ReduceAttrs& attrs);
// Returns the axes to reduce, counted from 0, in the order in which the
// attribute or input 1 names them; all axes if they name none. REQUIRES: input
// 1 is absent or known. Errors: MACE_INVALID_MODEL for an axis out of range or
// named twice.
Result<std::vector<int>> ReduceAxesOf(const Node& node,
                                      const ReduceAttrs& attrs);

}  // namespace mace

#endif  // MACE_OPS_REDUCE_H_
