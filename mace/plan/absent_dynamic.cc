// Plans depend on no data, and are not for another plan's steps.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/components.h"
#include "mace/base/str_cat.h"
#include "mace/plan/memory/keep_pattern.h"
#include "mace/plan/passes/read_from_kv_cache.h"
#include "mace/plan/stages/deferral.h"

namespace mace {
namespace {

Status AbsentDeferral(const Node& node) {
  return AbsentComponent(
      StrCat(Label(node), ": a plan that waits for data").c_str(), "dynamic");
}

}  // namespace

bool Deferral::Reads(const GraphNode&) const { return false; }

void Deferral::Add(GraphNode&) {}

Status Deferral::AddFor(GraphNode& g, int) { return AbsentDeferral(g.node); }

Result<std::vector<GraphNode>> Deferral::AddControlFlow(GraphNode& g) {
  return AbsentDeferral(g.node);
}

void Deferral::Finish() {}

void ReadFromKvCache(bool, Graph&) {}

uint64_t HashOfSteps(const Plan&) { return 0; }

bool KeepOffsets(const MemoryPattern&, const memory::Problem&, Plan&) {
  return false;
}

void KeepPattern(const memory::Problem&, std::shared_ptr<MemoryPattern>,
                 Plan&) {}

}  // namespace mace
