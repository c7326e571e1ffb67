// Passing bounds on.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_plan/share_bounds.h"

#include <algorithm>
#include <map>
#include <string>

namespace mace::tools {
namespace {

using memory::Certificate;

// "offsets" or "objects"
std::string KindOf(const memory::Plan& plan) {
  const std::string& strategy = plan.certificate.strategy;
  return strategy.substr(0, strategy.find('/'));
}

}  // namespace

void ShareBounds(int64_t capacity, std::vector<memory::Plan>* plans) {
  std::map<std::string, int64_t> bounds;
  for (const memory::Plan& plan : *plans) {
    int64_t& bound = bounds[KindOf(plan)];
    bound = std::max(bound, plan.certificate.lower_bound);
  }
  for (memory::Plan& plan : *plans) {
    Certificate& c = plan.certificate;
    c.lower_bound = bounds[KindOf(plan)];
    if (capacity > 0 && c.total > capacity) {
      if (c.lower_bound > capacity) c.status = Certificate::kInfeasible;
    } else if (c.total <= c.lower_bound) {
      c.status = Certificate::kOptimal;
    }
  }
}

}  // namespace mace::tools
