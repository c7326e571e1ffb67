// PlanOptions: what a plan is made for.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TYPES_PLAN_OPTIONS_H_
#define MACE_PLAN_TYPES_PLAN_OPTIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mace/device/device.h"
#include "mace/memory/problem/offline_plan.h"
#include "mace/plan/types/memory_pattern.h"

namespace mace {

struct PlanOptions {
  // In order of preference; the last one folds constants. Not owned.
  std::vector<Device*> devices;
  // A name of mace/memory/strategy.h. The strategy plans the arena, and images
  // if it can. If it cannot, AUTO plans the images if there is an arena too;
  // otherwise this is an error. With PRESERVE_ALL, no tensor is overwritten
  // before the end of a run, and none is left out by fusion; views and the
  // inputs of a concat still share bytes.
  std::string memory_strategy = "AUTO";
  MemorySavings savings;
  // Offsets in the format of memory::OfflinePlan, one for each record; empty:
  // none. If there are any, embedded_plan is ignored.
  std::vector<int32_t> offline_plan;
  // A plan from the model file (hash 0: none). It is used if it is valid and
  // was made for records of the same hash; offsets of -1 are left to the
  // strategy. Otherwise the log has the reason, and the memory is planned
  // again. With PRESERVE_ALL, and in a library without the component
  // `memory_tools`, it is ignored.
  memory::EmbeddedPlan embedded_plan;
  // Plan::pattern of a plan of the same graph with other shapes, or null. If
  // the steps and the strategy are the same, its order and its savings are
  // taken over, which takes much less time than to search for them.
  std::shared_ptr<const MemoryPattern> like;
  // Whether to take over the offsets of `like`, too, if each record has the
  // same lifetime and is at most as large as it was there.
  bool keeps_offsets = false;
};

}  // namespace mace

#endif  // MACE_PLAN_TYPES_PLAN_OPTIONS_H_
