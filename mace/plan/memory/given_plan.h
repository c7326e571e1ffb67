// Memory plans that were made before: those of model files, and of the app.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_MEMORY_GIVEN_PLAN_H_
#define MACE_PLAN_MEMORY_GIVEN_PLAN_H_

#include "mace/base/status.h"
#include "mace/memory/problem/problem.h"
#include "mace/memory/strategy.h"
#include "mace/plan/types/plan.h"
#include "mace/plan/types/plan_options.h"

namespace mace {

// Takes over the offsets of the offline or embedded plan of `options`, if there
// is one that fits. Returns true if an embedded plan places all records, which
// are then in plan.memory_plan. Returns false if records are left to the
// strategy, or there is an offline plan; those that the plan places are then
// fixed in `problem`. An embedded plan that does not fit is logged and ignored;
// with PRESERVE_ALL, it is ignored in any case. A library without the component
// `memory_tools` ignores both plans. Errors: MACE_INVALID_ARGS for an offline
// plan that does not fit, or in which records that live together overlap.
Result<bool> UseGivenPlan(const memory::Strategy& strategy,
                          const PlanOptions& options, memory::Problem& problem,
                          Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_GIVEN_PLAN_H_
