// CheckRequired: whether devices run as much of a plan as the app requires.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_PLANNING_REQUIRE_H_
#define MACE_RUNTIME_PLANNING_REQUIRE_H_

#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/plan/types/plan.h"

namespace mace {

// `required` is the setting `require`; `note` says why a device is missing, or
// is empty. A share is that of the multiply-adds of the plan, or of its nodes
// if there are none; what is fused counts for the node whose kernel runs it.
// Errors: MACE_UNSUPPORTED, with the share of the first item of `required` that
// is not met, and the nodes that count and run elsewhere (at most ten by name),
// those with most multiply-adds first, with the reasons; or if this library
// does without the component `diagnostics` and `required` is not empty.
// MACE_INVALID_ARGS for an item that is no share.
Status CheckRequired(const std::vector<std::string>& required,
                     const std::string& note, const Plan& plan);

}  // namespace mace

#endif  // MACE_RUNTIME_PLANNING_REQUIRE_H_
