// UsageOf: counts which part of an engine's memory is used for what.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_REPORT_MEMORY_USAGE_H_
#define MACE_RUNTIME_REPORT_MEMORY_USAGE_H_

#include <string>

#include "mace/memory/single_arena.h"
#include "mace/plan/types/plan.h"
#include "mace/runtime/model/mace_model.h"

namespace mace {

// Returns the usage of a plan. `arena` holds the sections of the caller's
// arena; if the engine allocates its own memory, the sections that an arena of
// the caller's would have. The bytes of states and what is allocated at present
// are 0: the engine fills them in.
MaceMemoryUsage UsageOf(const Plan& plan, const MaceModel::Impl& model,
                        const memory::SingleArena& arena);

// Format a usage as a table for people, and totals as a line. Empty if this
// library does without the component `memory_tools`.
std::string ToText(const MaceMemoryUsage& usage);
std::string ToText(const MaceMemoryTotals& totals);

}  // namespace mace

#endif  // MACE_RUNTIME_REPORT_MEMORY_USAGE_H_
