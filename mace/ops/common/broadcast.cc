// NumPy broadcasting.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/broadcast.h"

#include <algorithm>

namespace mace {
namespace {

// Returns the extent of dimension `d` after padding the shape with 1 in front
// to `rank` dimensions.
int64_t ExtentAt(const Shape& shape, size_t rank, size_t d) {
  const size_t pad = rank - shape.size();
  return d < pad ? 1 : shape[d - pad];
}

}  // namespace

Result<Shape> BroadcastShapes(const Node& node, const Shape& a,
                              const Shape& b) {
  Shape out(std::max(a.size(), b.size()));
  for (size_t d = 0; d < out.size(); ++d) {
    const int64_t ea = ExtentAt(a, out.size(), d);
    const int64_t eb = ExtentAt(b, out.size(), d);
    if (ea != eb && ea != 1 && eb != 1) {
      return InvalidModel(Label(node), ": shapes ", ToString(a), " and ",
                          ToString(b), " do not broadcast together: extents ",
                          ea, " and ", eb, " must be equal, or one of them 1");
    }
    out[d] = ea == 1 ? eb : ea;
  }
  return out;
}

bool BroadcastsTo(const Shape& from, const Shape& to) {
  if (from.size() > to.size()) return false;
  for (size_t d = 0; d < to.size(); ++d) {
    const int64_t e = ExtentAt(from, to.size(), d);
    if (e != to[d] && e != 1) return false;
  }
  return true;
}

BroadcastPlan PlanBroadcast(const Shape& out,
                            const std::vector<Shape>& operands) {
  BroadcastPlan plan;
  const size_t num_operands = operands.size();
  plan.strides.resize(num_operands);
  std::vector<int64_t> inner(num_operands, 1);  // elements of inner dimensions
  std::vector<int64_t> step(num_operands);
  for (size_t d = out.size(); d-- > 0;) {  // innermost first, reversed below
    if (out[d] == 1) continue;
    bool merge = !plan.extents.empty();
    for (size_t i = 0; i < num_operands; ++i) {
      const int64_t extent = ExtentAt(operands[i], out.size(), d);
      step[i] = extent == 1 ? 0 : inner[i];
      inner[i] *= extent;
      if (merge) {
        merge = step[i] == plan.strides[i].back() * plan.extents.back();
      }
    }
    if (merge) {
      plan.extents.back() *= out[d];
      continue;
    }
    plan.extents.push_back(out[d]);
    for (size_t i = 0; i < num_operands; ++i)
      plan.strides[i].push_back(step[i]);
  }
  if (plan.extents.empty()) {  // a single element
    plan.extents.push_back(1);
    for (auto& strides : plan.strides) strides.push_back(0);
  }
  std::reverse(plan.extents.begin(), plan.extents.end());
  for (auto& s : plan.strides) std::reverse(s.begin(), s.end());
  return plan;
}

}  // namespace mace
