// The table of planners.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/fork.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/offsets/arena_sequential.h"
#include "mace/memory/offsets/greedy.h"
#include "mace/memory/offsets/optimal.h"
#include "mace/memory/planners.h"

namespace mace::memory {

bool HasObjects() { return true; }

const std::vector<Planner>& Planners() {
  const HoldFork hold_fork;
  static const auto* planners = new std::vector<Planner>{
      {"offsets/NAIVE", OffsetsNaive, 1, true},
      {"offsets/LINEAR", OffsetsNaive, 1, true},
      {"offsets/GREEDY_BY_SIZE", OffsetsGreedyBySize, 1, true},
      {"offsets/TFLM_GREEDY", OffsetsTflmGreedy, 1, true},
      {"offsets/ARENA", OffsetsArena, 1, false},
      {"offsets/ARENA_SEQUENTIAL", OffsetsArenaSequential, 1, false},
      {"offsets/SKYLINE", OffsetsSkyline, 1, true},
      {"offsets/AUTO", OffsetsAuto, 1, true},
      {"offsets/OPTIMAL", OffsetsOptimal, 1, true},
      {"objects/NAIVE", ObjectsNaive, 4, false},
      {"objects/EQUALITY", ObjectsEquality, 4, false},
      {"objects/GREEDY_IN_ORDER", ObjectsGreedyInOrder, 3, false},
      {"objects/GREEDY_BY_BREADTH", ObjectsGreedyByBreadth, 1, false},
      {"objects/GREEDY_BY_SIZE", ObjectsGreedyBySize, 1, false},
      {"objects/GREEDY_BEST", ObjectsGreedyBest, 1, false},
      {"objects/GROW_IN_ORDER", ObjectsGrowInOrder, 3, false},
      {"objects/MINCOSTFLOW", ObjectsMinCostFlow, 1, false},
      {"objects/AUTO", ObjectsAuto, 4, false},
      {"objects/OPTIMAL", ObjectsOptimal, 4, false},
  };
  return *planners;
}

}  // namespace mace::memory
