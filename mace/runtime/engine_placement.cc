// Where the nodes of an engine run.
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>
#include <vector>

#include "mace/plan/dump/placed_nodes.h"
#include "mace/runtime/engine.h"

namespace mace {

Status MaceEngine::Impl::GetPlacement(
    std::vector<MaceNodePlacement>* placement) const {
  if (placement == nullptr) {
    return InvalidArgument("GetPlacement: placement is null");
  }
  std::lock_guard<Mutex> lock(mutex_);
  placement->clear();
  const std::string& note = devices_.all().note;
  for (PlacedNode& node : PlacedNodes(plans_->latest().plan())) {
    MaceNodePlacement placed;
    placed.node = std::move(node.name);
    placed.type = std::move(node.op);
    placed.data_type =
        node.outputs.empty() ? "" : Name(node.outputs.front().dtype);
    placed.kernel = std::move(node.kernel);
    // A device that is missing refuses every node.
    placed.reason = node.reason.empty() && node.device == devices_.cpu().name()
                        ? note
                        : std::move(node.reason);
    placed.device = std::move(node.device);
    placed.macs = node.macs;
    placement->push_back(std::move(placed));
  }
  return Status();
}

}  // namespace mace
