// The search space of tuning: which plans of a step are worth measuring.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_SEARCH_SPACE_H_
#define MACE_CPU_TUNING_SEARCH_SPACE_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// What candidates differ in. They are tried one after the other, as what is
// found for one decides which candidates there are for the next.
enum class Aspect { kFusion, kMethod, kRows, kKernel, kBlock, kLines, kTile };
struct AspectName {
  Aspect aspect;
  const char* name;
};
inline constexpr AspectName kAspects[] = {
    {Aspect::kFusion, "fusion"}, {Aspect::kMethod, "method"},
    {Aspect::kRows, "rows"},     {Aspect::kKernel, "kernel"},
    {Aspect::kBlock, "block"},   {Aspect::kLines, "lines"},
    {Aspect::kTile, "tile"},
};

// The plan of a node, or of several as one step: as context.asked says, or as
// the cost model has it.
StepPlan PlanStep(const std::vector<FusedNode>& links,
                  const CpuContext& context);

// Plans that differ from `best` in one aspect. Never what the context forbids
// (context.max_winograd). Only those of kMethod have other bits.
std::vector<StepPlan> Candidates(Aspect aspect,
                                 const std::vector<FusedNode>& links,
                                 const StepPlan& best,
                                 const CpuContext& context);

// Whether there is anything to choose at all.
bool HasCandidates(const std::vector<FusedNode>& links,
                   const CpuContext& context);

// Whether the nodes can be computed as the plan says: false for one of other
// nodes, or beyond what the context allows.
bool CanRunAs(const StepPlan& plan, const std::vector<FusedNode>& links,
              CpuContext context);

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_SEARCH_SPACE_H_
