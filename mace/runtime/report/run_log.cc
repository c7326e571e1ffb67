// The line of a plan.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/report/run_log.h"

#include "mace/base/logging.h"

namespace mace {

void LogPlan(const Plan& plan, int64_t micros) {
  VLOG(1) << "planned " << plan.steps.size() << " ops in " << micros
          << " us: arena of " << plan.arena_bytes << " bytes, by "
          << plan.memory_plan.certificate.strategy;
  if (MaxVlogLevel() >= 3) LogPlanText(plan);
}

}  // namespace mace
