// NarrowToFp16: f16 activations between the nodes that compute with them.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_PASSES_NARROW_TO_FP16_H_
#define MACE_PLAN_PASSES_NARROW_TO_FP16_H_

#include <functional>

#include "mace/graph/graph.h"

namespace mace {

// Narrows activations from f32 to f16 where weights are stored as f16 and nodes
// can compute with such activations (`computes_fp16`, from the device). The
// activations that such nodes, and nodes between them, read and write get a
// converted copy, such that the fewest elements are converted by the nodes (op
// "Cast") that this adds. A Cast of the graph from or to f16 is not duplicated;
// it may become an Identity or be left without readers. Inputs and outputs of
// the graph keep their types. REQUIRES: types are inferred.
void NarrowToFp16(const std::function<bool(const Node&)>& computes_fp16,
                  Graph& graph);

}  // namespace mace

#endif  // MACE_PLAN_PASSES_NARROW_TO_FP16_H_
