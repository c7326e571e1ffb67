// The list of strategies, and the layout of shared objects in an arena.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/strategy.h"

#include <algorithm>

#include "mace/base/fork.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/memory/objects/objects.h"
#include "mace/memory/problem/reduce.h"

namespace mace::memory {
namespace {

constexpr char kOffsets[] = "offsets/";
constexpr char kObjects[] = "objects/";

bool StrategyIsObjects(const Planner& planner) {
  return std::string(planner.name).rfind(kObjects, 0) == 0;
}

// "objects/NAIVE" -> "NAIVE"
std::string ShortName(const Planner& planner) {
  const std::string name = planner.name;
  return name.substr(name.find('/') + 1);
}

std::vector<Strategy> MakeStrategies() {
  std::vector<Strategy> list;
  for (const Planner& planner : Planners()) {
    const std::string name = ShortName(planner);
    const bool known =
        AnyOf(list, [&](const Strategy& s) { return s.name == name; });
    if (known) continue;
    list.push_back({name, FindPlanner(StrCat(kOffsets, name)),
                    FindPlanner(StrCat(kObjects, name))});
  }
  for (const Planner& planner : Planners()) {
    if (StrategyIsObjects(planner)) {
      list.push_back({planner.name, nullptr, &planner});
    } else {
      list.push_back({planner.name, &planner, nullptr});
    }
  }
  list.push_back({"GREEDY", FindPlanner("offsets/GREEDY_BY_SIZE"),
                  FindPlanner("objects/GREEDY_IN_ORDER")});
  list.push_back({kPreserveAll, FindPlanner("offsets/NAIVE"),
                  FindPlanner("objects/NAIVE")});
  return list;
}

}  // namespace

const std::vector<Strategy>& Strategies() {
  const HoldFork hold_fork;
  static const auto* strategies = new std::vector<Strategy>(MakeStrategies());
  return *strategies;
}

Result<Strategy> FindStrategy(const std::string& name) {
  std::string names;
  for (const Strategy& strategy : Strategies()) {
    if (strategy.name == name) return strategy;
    names += StrCat(names.empty() ? "" : ", ", strategy.name);
  }
  return InvalidArgument("there is no memory strategy '", name,
                         "'; choose one of ", names);
}

std::string ImageStrategyNames() {
  std::string names;
  for (const Strategy& strategy : Strategies()) {
    if (strategy.images() == nullptr) continue;
    names += StrCat(names.empty() ? "" : ", ", strategy.name);
  }
  return names;
}

Result<Plan> SolveInArena(const Problem& problem, const Planner& planner,
                          const Options& options) {
  if (!HasObjects() || !StrategyIsObjects(planner)) {
    return Solve(problem, planner.name, options);
  }
  MACE_RETURN_IF_ERROR(Check(problem));
  Problem rounded = problem;
  int64_t alignment = problem.alignment;
  for (const Record& r : problem.records) {
    alignment = std::max(alignment, r.alignment);
  }
  for (size_t i = 0; i < rounded.records.size(); ++i) {
    Record& r = rounded.records[i];
    if (r.size.rank != 1) {
      return Unsupported(Label(problem, static_cast<int32_t>(i)),
                         ": an arena takes sizes in bytes; this one has ",
                         r.size.rank, " extents");
    }
    // An alias does not exceed its root, which is rounded up.
    if (r.alias_of == kNone) r.size = AlignUp(r.size.count(), alignment);
  }
  MACE_ASSIGN_OR_RETURN(Plan plan, Solve(rounded, planner.name, options));
  // Each pool has its own arena, in which objects begin at 0.
  std::vector<int64_t> begin_of;  // by object
  std::vector<int64_t> end_of;    // by pool
  for (size_t k = 0; k < plan.object_sizes.size(); ++k) {
    const auto pool = static_cast<size_t>(plan.object_pools[k]);
    if (pool >= end_of.size()) end_of.resize(pool + 1);
    begin_of.push_back(end_of[pool]);
    end_of[pool] += plan.object_sizes[k].count();
  }
  const std::vector<Root> roots = FindRoots(problem);
  plan.offsets.assign(problem.records.size(), 0);
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    if (plan.object_ids[i] == kNone) continue;
    plan.offsets[i] = begin_of[plan.object_ids[i]] + roots[i].delta;
  }
  return plan;
}

}  // namespace mace::memory
