// What scattering does with an element that is already there.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_SCATTER_H_
#define MACE_OPS_COMMON_SCATTER_H_

#include <string>

#include "mace/graph/node.h"

namespace mace {

struct Op;

enum class ScatterKind { kNone, kSum, kProd, kMin, kMax };

// Errors: MACE_INVALID_MODEL for an unknown name.
Result<ScatterKind> ScatterKindOf(const Node& node, const std::string& name);

// Returns `op` with what an attribute `reduction` takes: any type is replaced,
// numbers are also combined.
Op WithReduction(Op&& op);

}  // namespace mace

#endif  // MACE_OPS_COMMON_SCATTER_H_
