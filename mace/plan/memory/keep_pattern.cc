// Comparing the steps and records of two plans.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/memory/keep_pattern.h"

#include <algorithm>
#include <utility>

#include "mace/memory/problem/offline_plan.h"

namespace mace {

uint64_t HashOfSteps(const Plan& plan) {
  uint64_t hash = plan.graph.values.size();
  const auto add = [&](int index) {
    const GraphNode& g = plan.graph.nodes[index];
    for (const char c : g.node.name) {
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;  // FNV-1a
    }
    for (const int id : g.inputs) hash = hash * 31 + static_cast<uint64_t>(id);
    for (const int id : g.outputs) hash = hash * 31 + static_cast<uint64_t>(id);
  };
  for (const Step& step : plan.steps) {
    for (const int node : step.fused) add(node);
    add(step.node);
  }
  return hash;
}

bool KeepOffsets(const MemoryPattern& like, const memory::Problem& problem,
                 Plan& plan) {
  const auto& before = like.problem.records;
  const auto& now = problem.records;
  const bool fits =
      std::equal(now.begin(), now.end(), before.begin(), before.end(),
                 [](const memory::Record& a, const memory::Record& b) {
                   return a.first == b.first && a.last == b.last &&
                          a.size.count() <= b.size.count();
                 });
  if (!fits) return false;
  memory::EmbeddedPlan kept;
  kept.hash = memory::HashOf(problem);
  kept.offsets = like.offsets;
  kept.certificate.total = like.arena_bytes;
  kept.certificate.strategy = like.strategy;
  auto verified = memory::VerifyEmbeddedPlan(problem, kept);
  if (!verified.ok()) return false;
  plan.memory_plan = std::move(*verified);
  return true;
}

void KeepPattern(const memory::Problem& problem,
                 std::shared_ptr<MemoryPattern> pattern, Plan& plan) {
  pattern->problem = problem;
  pattern->offsets = plan.memory_plan.offsets;
  pattern->arena_bytes = plan.memory_plan.certificate.total;
  plan.pattern = std::move(pattern);
}

}  // namespace mace
