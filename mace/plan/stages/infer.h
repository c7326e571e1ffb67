// InferGraph: infers the types of a graph's values, and folds constants.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_STAGES_INFER_H_
#define MACE_PLAN_STAGES_INFER_H_

#include <memory>

#include "mace/base/status.h"
#include "mace/device/node_kernels.h"
#include "mace/graph/graph.h"
#include "mace/plan/types/deferred_subgraph.h"

namespace mace {

// Gives every value of `graph` a type, from the types of the graph's inputs and
// weights. A node whose inputs are all known, or that needs only their types
// (Shape), is computed here by `folder`, and its outputs become constants, so
// that later nodes can read them as shapes. Left to Run are nodes that take too
// much work, make too large constants, or are of custom ops or ops that
// `folder` does not have. Errors: MACE_INVALID_MODEL or MACE_UNSUPPORTED,
// naming the node; MACE_OUT_OF_RESOURCES, such as for a tensor that cannot fit
// in memory; MACE_CANCELLED; those of the kernels that fold.
//
// An If whose condition is known gives way to the nodes of its branch if
// `deferred` is not null. Then nodes that wait for data, and Loops, move to
// `*deferred` with what depends on them, and the outputs of `graph` become
// those that are left and what the deferred nodes read; `*deferred` stays null
// if nothing is deferred. If `deferred` is null, all these nodes, If and Loop
// included, are errors.
Status InferGraph(Graph& graph, NodeKernels& folder,
                  std::unique_ptr<DeferredSubgraph>* deferred = nullptr);

}  // namespace mace

#endif  // MACE_PLAN_STAGES_INFER_H_
