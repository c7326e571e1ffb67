// Recording: where the bytes of an engine are.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_MEMORY_USAGE_H_
#define MACE_RUNTIME_MEMORY_USAGE_H_

#include <string>

#include "mace/memory/single_arena.h"
#include "mace/plan/plan.h"
#include "mace/runtime/mace_model.h"

namespace mace {

// `arena`: the sections of the engine's arena, or what one would hold.
MaceMemoryUsage UsageOf(const Plan& plan, const MaceModel::Impl& model,
                        const memory::SingleArena& arena);

// A table for people.
std::string ToText(const MaceMemoryUsage& usage);

}  // namespace mace

#endif  // MACE_RUNTIME_MEMORY_USAGE_H_
