// What scattering does with an element that is already there.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_SCATTER_H_
#define MACE_OPS_COMMON_SCATTER_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

struct Op;

// What becomes of an element and an update: the update (NONE), or their sum,
// product, minimum or maximum. Updates with equal indices are applied in their
// order.
enum class ScatterKind { kNone, kSum, kProd, kMin, kMax };

// Returns the kind of the attribute `reduction`. Errors: MACE_INVALID_MODEL for
// an unknown name.
Result<ScatterKind> ScatterKindOf(const Node& node, const std::string& name);

// Adds to `op` what its attribute `reduction` demands: its choices, and the
// types of data, indices and updates. NONE takes data of any type, the others
// take f32, i32 and i64.
Op WithReduction(Op&& op);

}  // namespace mace

#endif  // MACE_OPS_COMMON_SCATTER_H_
