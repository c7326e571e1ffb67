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
// is one that fits. Returns whether it places all records; else it has fixed
// some of `problem`. A library without the component `memory_tools` gets none.
// Errors: MACE_INVALID_ARGS for an offline plan that does not fit.
Result<bool> UseGivenPlan(const memory::Strategy& strategy,
                          const PlanOptions& options, memory::Problem& problem,
                          Plan& plan);

}  // namespace mace

#endif  // MACE_PLAN_MEMORY_GIVEN_PLAN_H_
