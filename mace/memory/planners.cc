// Solve: checks and reduces a problem, plans each pool, joins the plans, and
// certifies the result.
// SPDX-License-Identifier: Apache-2.0

#include "mace/memory/planners.h"

#include <algorithm>
#include <chrono>

#include "mace/base/components.h"
#include "mace/base/str_cat.h"
#include "mace/memory/problem/bounds.h"
#include "mace/memory/problem/reduce.h"
#include "mace/memory/problem/validate.h"

namespace mace::memory {
namespace {

bool PlannersIsObjects(const Plan& plan) {
  return HasObjects() && !plan.object_sizes.empty();
}

int64_t TotalOf(const Problem& p, const Plan& plan) {
  int64_t total = 0;
  for (const Size& size : plan.object_sizes) total += Bytes(p, size);
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    total = std::max(total, plan.offsets[i] + p.records[i].size.extent[0]);
  }
  return total;
}

// Completes the certificate of the plan of one pool.
void Certify(const Problem& p, const Options& options, Plan* plan) {
  Certificate& c = plan->certificate;
  c.total = TotalOf(p, *plan);
  const int64_t bound = PlannersIsObjects(*plan) ? ObjectsLowerBound(p)
                                                 : OffsetsLowerBound(p).bytes;
  c.lower_bound = std::max(c.lower_bound, bound);
  if (c.status == Certificate::kOptimal) c.lower_bound = c.total;
  if (c.total <= c.lower_bound) c.status = Certificate::kOptimal;
  if (options.capacity > 0 && c.total > options.capacity) {
    c.status = c.lower_bound > options.capacity ? Certificate::kInfeasible
                                                : Certificate::kUnknown;
  }
}

// Adds the plan of pool `index` to `plan`.
void MergePlanners(const Reduced& reduced, size_t index, const Plan& part,
                   Plan* plan) {
  const PoolProblem& pool = reduced.pools[index];
  const auto objects = static_cast<int32_t>(plan->object_sizes.size());
  for (size_t i = 0; i < pool.record_of.size(); ++i) {
    const int32_t id = pool.record_of[i];
    if (PlannersIsObjects(part)) {
      plan->object_ids[id] = part.object_ids[i] + objects;
    } else {
      plan->offsets[id] = part.offsets[i];
    }
  }
  if (HasObjects()) {
    for (const Size& size : part.object_sizes) {
      plan->object_sizes.push_back(size);
      plan->object_pools.push_back(static_cast<int32_t>(index));
    }
  }
  plan->pool_totals.push_back(part.certificate.total);
  Add(part.certificate, &plan->certificate);
}

// Gives aliases the place of their roots.
void PlaceAliases(const Problem& p, const Reduced& reduced, Plan* plan) {
  for (size_t i = 0; i < p.records.size(); ++i) {
    const Root& root = reduced.roots[i];
    if (root.id == static_cast<int32_t>(i)) continue;
    if (HasObjects() && !plan->object_ids.empty()) {
      plan->object_ids[i] = plan->object_ids[root.id];
    } else {
      plan->offsets[i] = plan->offsets[root.id] + root.delta;
    }
  }
}

Status CheckSupported(const Problem& p, const Planner& planner) {
  for (size_t i = 0; i < p.records.size(); ++i) {
    const Record& r = p.records[i];
    const auto id = static_cast<int32_t>(i);
    if (r.size.rank > planner.max_rank) {
      return Unsupported(Label(p, id), ": ", planner.name,
                         " takes sizes of at most ", planner.max_rank,
                         " extents; this one has ", r.size.rank);
    }
    if (r.fixed_offset != kNoOffset && !planner.takes_constraints) {
      return Unsupported(Label(p, id), ": ", planner.name,
                         " cannot honour a fixed offset");
    }
  }
  return Status();
}

std::string UnknownStrategy(const std::string& name) {
  std::string message = StrCat("there is no planner '", name, "'; there are");
  for (const Planner& planner : Planners()) {
    message += StrCat(" ", planner.name);
  }
  return message;
}

}  // namespace

const Planner* FindPlanner(const std::string& name) {
  for (const Planner& planner : Planners()) {
    if (name == planner.name) return &planner;
  }
  return nullptr;
}

Result<Plan> Solve(const Problem& problem, const std::string& strategy,
                   const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const Planner* planner = FindPlanner(strategy);
  if (planner == nullptr) return InvalidArgument(UnknownStrategy(strategy));
  if (planner->plan == nullptr) {
    return AbsentComponent(StrCat("memory_strategy '", strategy, "'").c_str(),
                           "memory_tools");
  }
  MACE_RETURN_IF_ERROR(Check(problem));
  MACE_RETURN_IF_ERROR(CheckSupported(problem, *planner));

  const Reduced reduced = Reduce(problem);
  const size_t n = problem.records.size();
  Plan plan;
  const bool objects = HasObjects() && strategy.compare(0, 8, "objects/") == 0;
  if (objects) {
    plan.object_ids.assign(n, kNone);
  } else {
    plan.offsets.assign(n, 0);
  }
  plan.certificate.status = Certificate::kOptimal;
  for (size_t i = 0; i < reduced.pools.size(); ++i) {
    const Problem& pool = reduced.pools[i].problem;
    MACE_ASSIGN_OR_RETURN(Plan part, planner->plan(pool, options));
    Certify(pool, options, &part);
    MergePlanners(reduced, i, part, &plan);
  }
  PlaceAliases(problem, reduced, &plan);
  plan.certificate.strategy = strategy;
  plan.certificate.us = std::chrono::duration_cast<std::chrono::microseconds>(
                            std::chrono::steady_clock::now() - start)
                            .count();
#ifndef NDEBUG
  MACE_RETURN_IF_ERROR(Validate(problem, plan));
#endif
  return plan;
}

}  // namespace mace::memory
