// MakePlan: makes the plan of a graph for given input shapes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MAKE_PLAN_H_
#define MACE_PLAN_MAKE_PLAN_H_

#include <map>
#include <memory>

#include "mace/base/status.h"
#include "mace/graph/graph.h"
#include "mace/plan/types/plan.h"
#include "mace/plan/types/plan_options.h"

namespace mace {

// Makes the plan of `graph`, whose inputs and weights have types. `declared`
// are types that inference must find, by value id; those of values that it
// folds into constants or defers are not checked. Errors: MACE_INVALID_MODEL;
// MACE_UNSUPPORTED, naming the first node that no device can run, with each
// device's reason, or the memory strategy that cannot plan this model;
// MACE_INVALID_ARGS for an unknown strategy, an offline plan that does not fit
// the records, or sizes that overflow; MACE_OUT_OF_RESOURCES; MACE_CANCELLED;
// those of a driver. REQUIRES: options.devices is not empty (with kOneDevice,
// it has one device), and the last device runs single nodes.
Result<std::unique_ptr<Plan>> MakePlan(
    Graph graph, const std::map<int, TensorType>& declared,
    const PlanOptions& options);

}  // namespace mace

#endif  // MACE_PLAN_MAKE_PLAN_H_
