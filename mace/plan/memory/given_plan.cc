// Verifying plans that were made before.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/given_plan.h"

#include <algorithm>
#include <utility>

#include "mace/base/logging.h"

namespace mace {
namespace {

// Fixes the records that an offline plan places. Unlike in the runtime that
// defined the format, where a wrong plan leads to wrong results, records that
// live together must not share bytes.
Status FixOffline(const std::vector<int32_t>& words, memory::Problem& problem) {
  const auto plan = memory::OfflinePlanFromWords(words, problem.records.size());
  Status status = plan.status();
  if (status.ok() && (plan->version != 1 || plan->subgraph != 0)) {
    status = InvalidArgument("it is of version ", plan->version,
                             " for subgraph ", plan->subgraph,
                             "; engines take version 1 for subgraph 0");
  }
  if (status.ok()) status = memory::ApplyOfflinePlan(*plan, &problem);
  if (status.ok()) {
    problem.fixed_may_overlap = false;
    status = memory::Check(problem);
  }
  if (status.ok()) return status;
  return InvalidArgument(
      "the offline memory plan does not fit: ", status.information(),
      "; its entries are for the records of Dump(\"memory_json\") in their "
      "order, of an engine with the same settings");
}

}  // namespace

Result<bool> UseGivenPlan(const memory::Strategy& strategy,
                          const PlanOptions& options, memory::Problem& problem,
                          Plan& plan) {
  const memory::Planner& planner = *strategy.arena();
  const memory::EmbeddedPlan& embedded = options.embedded_plan;
  if (!options.offline_plan.empty()) {
    MACE_RETURN_IF_ERROR(FixOffline(options.offline_plan, problem));
    return false;
  }
  // PRESERVE_ALL does not use the plan of the file, in which tensors share
  // bytes.
  if (embedded.hash != 0 && !strategy.preserves_all()) {
    const bool partial =
        embedded.hash == plan.records_hash &&
        embedded.offsets.size() == problem.records.size() &&
        std::count(embedded.offsets.begin(), embedded.offsets.end(), -1) > 0;
    if (partial && !planner.takes_constraints) {
      LOG(INFO) << "the memory plan of the model file is not used: it leaves "
                   "tensors to the memory strategy, and '"
                << strategy.name << "' cannot plan around what is placed";
    } else if (partial) {
      memory::Problem placed = problem;
      for (size_t r = 0; r < problem.records.size(); ++r) {
        placed.records[r].fixed_offset = embedded.offsets[r];
      }
      const Status fits = memory::Check(placed);
      if (fits.ok()) {
        problem = std::move(placed);
      } else {
        LOG(INFO) << "the memory plan of the model file is not used: "
                  << fits.information();
      }
    } else {
      auto verified = memory::VerifyEmbeddedPlan(problem, embedded);
      if (verified.ok()) {
        plan.memory_plan = std::move(*verified);
        plan.used_embedded_plan = true;
        return true;
      }
      LOG(INFO) << "the memory plan of the model file is not used: "
                << verified.status().information();
    }
  }
  return false;
}

}  // namespace mace
