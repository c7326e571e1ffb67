// PlacedNodes: where each node of a plan runs.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_DUMP_PLACED_NODES_H_
#define MACE_PLAN_DUMP_PLACED_NODES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/plan/types/plan.h"

namespace mace {

struct PlacedNode {
  std::string name;  // of several in one step "a + b"
  std::string op;
  std::vector<TensorType> outputs;
  std::string stored;  // Operand::stored of its weights, or ""
  std::string device;
  // Kernel::variant(), or "none: ..." for a node without a step of its own.
  std::string kernel;
  // Why it is not on the first device of the plan; empty: it is, or there is
  // only one.
  std::string reason;
  std::string part_of;  // the step that runs it, too, or ""
  int64_t macs = 0;
};

// Returns the nodes in the order of running; those without a step of their own
// at the end. A region is one node if its device does not report its nodes.
// Leaves out what the plan added to move tensors.
std::vector<PlacedNode> PlacedNodes(const Plan& plan);

// Whether the plan added the node to move a tensor between devices.
bool IsMove(const Node& node);

// Returns the nodes of a step that is a region, as far as its device reports
// them; of other steps none.
std::vector<RegionPart> PartsOf(const Step& step);

// Returns "123 packets", or "" if the device did not count.
std::string CountOf(const RegionPart& part, const Step& step);

}  // namespace mace

#endif  // MACE_PLAN_DUMP_PLACED_NODES_H_
