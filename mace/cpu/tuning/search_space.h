// The search space of tuning: which plans of a step are worth measuring.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_SEARCH_SPACE_H_
#define MACE_CPU_TUNING_SEARCH_SPACE_H_

#include <vector>

#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// What candidates may differ in. Aspects are tuned one after the other, because
// the choice in one determines the candidates of the next.
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

// Returns the plan of a node, or of nodes that run as one step: as
// context.asked demands, or else as the cost model chooses.
StepPlan PlanStep(const std::vector<FusedNode>& links,
                  const CpuContext& context);

// Returns plans that differ from `best` in one aspect, all within what the
// context permits (context.max_winograd). Only candidates of kMethod change
// bits of the result.
std::vector<StepPlan> Candidates(Aspect aspect,
                                 const std::vector<FusedNode>& links,
                                 const StepPlan& best,
                                 const CpuContext& context);

// Returns whether there is anything to choose: a matrix product with several
// rows, or a depthwise convolution.
bool HasCandidates(const std::vector<FusedNode>& links,
                   const CpuContext& context);

// Returns whether the nodes can be computed as the plan says. They cannot if it
// is a plan of other nodes, or exceeds what the context permits.
bool CanRunAs(const StepPlan& plan, const std::vector<FusedNode>& links,
              CpuContext context);

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_SEARCH_SPACE_H_
