// InferGraph: infers the types of a graph's values, and folds constants.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_INFER_H_
#define MACE_PLAN_INFER_H_

#include "mace/base/status.h"
#include "mace/device/node_kernels.h"
#include "mace/graph/graph.h"

namespace mace {

// Gives every value of `graph` a type, from the types of the graph's inputs and
// weights. A node whose inputs are all known, or that needs only their types
// (Shape), is computed here by `folder`, and its outputs become constants, so
// that later nodes can read them as shapes. Nodes that take too much work or
// make too large constants are left to Run. Errors: MACE_INVALID_MODEL or
// MACE_UNSUPPORTED, naming the node; MACE_OUT_OF_RESOURCES for a tensor that
// cannot fit in memory.
Status InferGraph(Graph& graph, NodeKernels& folder);

}  // namespace mace

#endif  // MACE_PLAN_INFER_H_
