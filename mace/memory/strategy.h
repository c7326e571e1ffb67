// Memory strategies: the names from which users choose, and which planner each
// stands for.
// SPDX-License-Identifier: Apache-2.0
//
// A model has tensors in an arena of bytes, images on a GPU, or both. The full
// name of a planner ("offsets/SKYLINE") stands for this planner. A short name
// ("AUTO") stands for the planners of that name of both kinds, "offsets/" and
// "objects/", as far as they exist. GREEDY is GREEDY_BY_SIZE for arenas and
// GREEDY_IN_ORDER for images. PRESERVE_ALL keeps every tensor.
#ifndef MACE_MEMORY_STRATEGY_H_
#define MACE_MEMORY_STRATEGY_H_

#include <string>
#include <vector>

#include "mace/memory/planners.h"

namespace mace::memory {

// The strategy that keeps every tensor to the end, for inspection.
inline constexpr char kPreserveAll[] = "PRESERVE_ALL";

struct Strategy {
  std::string name;
  const Planner* offsets = nullptr;  // at least one of the two is not null
  const Planner* objects = nullptr;

  bool preserves_all() const { return name == kPreserveAll; }
  // Returns the planner of an arena, for SolveInArena: offsets if both exist.
  const Planner* arena() const {
    return offsets != nullptr ? offsets : objects;
  }
  // Returns the planner of 2-D images; null if the strategy cannot plan them.
  const Planner* images() const {
    return objects != nullptr && objects->max_rank >= 2 ? objects : nullptr;
  }
};

// Returns every strategy: the short names first, then those of planners, then
// GREEDY and PRESERVE_ALL. tools/memory_strategies.json is the same list.
const std::vector<Strategy>& Strategies();

// Errors: MACE_INVALID_ARGS for an unknown name; the message lists the names.
Result<Strategy> FindStrategy(const std::string& name);

// Returns the names of the strategies that plan images: "NAIVE, AUTO, ...".
std::string ImageStrategyNames();

// As Solve, for records in arenas, one for each pool. If the planner assigns
// shared objects, each object gets its own piece of its arena; sizes are first
// rounded up to the largest alignment of the problem and its records, so that
// pieces can follow each other. The plan then has both `offsets` and
// `object_ids`. Errors: as Solve; MACE_UNSUPPORTED for sizes that are not in
// bytes.
Result<Plan> SolveInArena(const Problem& problem, const Planner& planner,
                          const Options& options = {});

}  // namespace mace::memory

#endif  // MACE_MEMORY_STRATEGY_H_
