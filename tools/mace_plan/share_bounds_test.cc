// Which plans a bound of another strategy certifies.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_plan/share_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "mace/memory/planners.h"

namespace mace::tools {
namespace {

using memory::Certificate;
using memory::Plan;

Plan PlanOf(const char* strategy, int64_t total, int64_t bound,
            Certificate::Status status) {
  Plan plan;
  plan.certificate = {total, bound, status, strategy, 0, 0};
  return plan;
}

std::vector<Plan> Sample() {
  return {PlanOf("offsets/GREEDY_BY_SIZE", 105, 100, Certificate::kFeasible),
          PlanOf("offsets/NAIVE", 200, 100, Certificate::kFeasible),
          PlanOf("offsets/AUTO", 105, 105, Certificate::kOptimal),
          PlanOf("objects/NAIVE", 105, 90, Certificate::kFeasible)};
}

TEST(ShareBounds, TheBestBoundOfAKindCertifiesAllOfIt) {
  std::vector<Plan> plans = Sample();
  ShareBounds(0, &plans);
  EXPECT_EQ(plans[0].certificate.lower_bound, 105);
  EXPECT_EQ(plans[0].certificate.status, Certificate::kOptimal);
  EXPECT_EQ(plans[1].certificate.lower_bound, 105);
  EXPECT_EQ(plans[1].certificate.status, Certificate::kFeasible);
  EXPECT_EQ(plans[3].certificate.lower_bound, 90) << "of another kind";
  EXPECT_EQ(plans[3].certificate.status, Certificate::kFeasible);
}

TEST(ShareBounds, ABoundAboveTheCapacityProvesThatNoneFits) {
  std::vector<Plan> plans = Sample();
  plans[0].certificate.status = Certificate::kUnknown;
  plans[1].certificate.status = Certificate::kUnknown;
  plans[2].certificate.status = Certificate::kInfeasible;
  ShareBounds(104, &plans);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(plans[k].certificate.status, Certificate::kInfeasible) << k;
  }
  EXPECT_EQ(plans[3].certificate.status, Certificate::kFeasible);
}

TEST(ShareBounds, NoPlanIsBelowAnothersBound) {
  std::mt19937 rng(1);
  for (int problem = 0; problem < 300; ++problem) {
    memory::Problem p;
    const int n = 2 + static_cast<int>(rng() % 9);
    for (int k = 0; k < n; ++k) {
      memory::Record r;
      r.size = static_cast<int64_t>(1 + rng() % 40);
      r.first = static_cast<int64_t>(rng() % 8);
      r.last = r.first + static_cast<int64_t>(rng() % 4);
      r.alignment = int64_t{1} << rng() % 4;
      if (k > 0 && rng() % 3 == 0) {
        r.overlaps.push_back({static_cast<int32_t>(rng() % k),
                              static_cast<int64_t>(rng() % 20)});
      }
      p.records.push_back(r);
    }
    std::vector<Plan> plans;
    for (const memory::Planner& planner : memory::Planners()) {
      auto plan = memory::Solve(p, planner.name);
      if (plan.ok()) plans.push_back(std::move(*plan));
    }
    ASSERT_GT(plans.size(), 10u);
    ShareBounds(0, &plans);
    for (const Plan& plan : plans) {
      const Certificate& c = plan.certificate;
      EXPECT_GE(c.total, c.lower_bound) << problem << ' ' << c.strategy;
      EXPECT_EQ(c.status == Certificate::kOptimal, c.total == c.lower_bound);
    }
  }
}

}  // namespace
}  // namespace mace::tools
