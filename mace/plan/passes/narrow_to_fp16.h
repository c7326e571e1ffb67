// NarrowToFp16: f16 activations between the nodes that compute with them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_NARROW_TO_FP16_H_
#define MACE_PLAN_PASSES_NARROW_TO_FP16_H_

#include <functional>

#include "mace/graph/graph.h"

namespace mace {

// Where weights are stored as f16 and a node computes with such activations
// (`computes_fp16`, of the device), the f32 activations that the node reads
// and writes get a converted copy of f16, and so do those of nodes between,
// such that the fewest elements are converted, by nodes (op "Cast") that this
// adds. A Cast of the graph from or to f16 is not doubled: one may be left
// without readers. Inputs and outputs of the graph keep their types. REQUIRES:
// types are inferred.
void NarrowToFp16(const std::function<bool(const Node&)>& computes_fp16,
                  Graph& graph);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_NARROW_TO_FP16_H_
