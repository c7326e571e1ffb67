// Memory strategies: the names that people choose from, and what each plans.
// SPDX-License-Identifier: Apache-2.0
//
// A model has tensors in an arena of bytes, images on a GPU, or both. The name
// of a planner ("offsets/SKYLINE") stands for that planner. Without the folder
// it stands for both planners of that name, as far as there are any, and
// PRESERVE_ALL keeps every tensor.
#ifndef MACE_MEMORY_STRATEGY_H_
#define MACE_MEMORY_STRATEGY_H_

#include <string>
#include <vector>

#include "mace/memory/planners.h"

namespace mace::memory {

// The strategy that keeps every tensor, for looking at all of them.
inline constexpr char kPreserveAll[] = "PRESERVE_ALL";

struct Strategy {
  std::string name;
  const Planner* offsets = nullptr;  // at least one of both is there
  const Planner* objects = nullptr;

  bool preserves_all() const { return name == kPreserveAll; }
  // What plans an arena (with SolveInArena): offsets where there is a choice.
  const Planner* arena() const {
    return offsets != nullptr ? offsets : objects;
  }
  // What plans 2-D images; null: it cannot.
  const Planner* images() const {
    return objects != nullptr && objects->max_rank >= 2 ? objects : nullptr;
  }
};

// Every strategy: the short names first, then those of planners, then
// PRESERVE_ALL. tools/memory_strategies.json is this list.
const std::vector<Strategy>& Strategies();

// Errors: MACE_INVALID_ARGS for another name; the message lists the names.
Result<Strategy> FindStrategy(const std::string& name);

// "AUTO, NAIVE, ...": the names of the strategies that plan images.
std::string ImageStrategyNames();

// Solve for records that share one arena. A planner of shared objects gives
// each object a piece of the arena of its own; sizes are rounded up to the
// largest alignment of the records first, so that pieces can follow each other.
// The plan then has both `offsets` and `object_ids`.
// Errors: as Solve; MACE_UNSUPPORTED for sizes that are not in bytes.
Result<Plan> SolveInArena(const Problem& problem, const Planner& planner,
                          const Options& options = {});

}  // namespace mace::memory

#endif  // MACE_MEMORY_STRATEGY_H_
