// Collects nodes that can run together as regions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/passes/form_regions.h"

#include <string>
#include <utility>
#include <vector>

#include "mace/base/logging.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

class Former {
 public:
  Former(Plan& plan, bool each_node_alone, Device& host)
      : plan_(plan),
        graph_(plan.graph),
        host_(host),
        each_node_alone_(each_node_alone),
        waits_(graph_.values.size(), false) {
    for (const Step& step : plan.steps) SetWaits(NodeOf(step).outputs, true);
  }

  // Alternates: first all steps with a kernel whose inputs are available, then
  // a region of everything that its device can run then. The first remaining
  // step is always ready, because steps come in execution order.
  Status Form() {
    std::vector<Step> left = std::move(plan_.steps);
    plan_.steps.clear();
    while (!left.empty()) {
      std::vector<Step> later;
      for (Step& step : left) {
        const bool runs = step.kernel != nullptr && IsReady(step);
        if (runs) SetWaits(NodeOf(step).outputs, false);
        (runs ? plan_.steps : later).push_back(std::move(step));
      }
      left = std::move(later);
      if (!left.empty()) MACE_RETURN_IF_ERROR(FormOne(left));
    }
    return Status();
  }

 private:
  const GraphNode& NodeOf(const Step& step) const {
    return graph_.nodes[step.node];
  }

  void SetWaits(const std::vector<int>& values, bool waits) {
    for (int id : values) waits_[id] = waits;
  }

  bool IsReady(const Step& step) const {
    const std::vector<int>& inputs = NodeOf(step).inputs;
    return !AnyOf(inputs, [&](int id) { return id >= 0 && waits_[id]; });
  }

  // Takes a region out of `left`. The first step of `left` belongs to it.
  Status FormOne(std::vector<Step>& left) {
    Device* const device = left[0].device;
    Region region;
    region.graph = &graph_;
    std::vector<Step> others;
    for (Step& step : left) {
      const bool is_full = each_node_alone_ && !region.nodes.empty();
      if (step.kernel != nullptr || step.device != device || is_full ||
          !IsReady(step)) {
        others.push_back(std::move(step));
        continue;
      }
      region.nodes.push_back(step.node);
      SetWaits(NodeOf(step).outputs, false);
    }
    left = std::move(others);
    FindInputs(region);
    FindOutputs(left, region);
    Step step;
    step.device = device;
    step.node = region.nodes.back();
    step.fused.assign(region.nodes.begin(), region.nodes.end() - 1);
    auto kernel = device->regions()->PrepareRegion(region);
    if (kernel.status() == Status::MACE_OUT_OF_RESOURCES) {
      return GiveToHost(region, *device, kernel.status(), left);
    }
    MACE_ASSIGN_OR_RETURN(step.kernel, std::move(kernel));
    Merge(region);
    plan_.steps.push_back(std::move(step));
    return Status();
  }

  // The nodes of a region for which its device has no room go back to `left`,
  // as steps of the host.
  Status GiveToHost(const Region& region, const Device& device,
                    const Status& status, std::vector<Step>& left) {
    const std::string reason =
        StrCat("the ", device.name(),
               " has no room for the region: ", status.information());
    LOG(WARNING) << reason << "; the " << host_.name() << " runs its "
                 << region.nodes.size() << " nodes";
    for (const int n : region.nodes) {
      Step step;
      step.node = n;
      step.device = &host_;
      MACE_ASSIGN_OR_RETURN(step.kernel,
                            host_.kernels()->Prepare(graph_.nodes[n].node));
      SetWaits(NodeOf(step).outputs, true);
      const auto later =
          FindIf(left, [n](const Step& s) { return s.node > n; });
      left.insert(later, std::move(step));
      const auto at = static_cast<size_t>(n);
      if (at >= plan_.placements.size()) continue;
      plan_.placements[at].device = host_.name();
      plan_.placements[at].reason = reason;
    }
    return Status();
  }

  void FindInputs(Region& region) const {
    std::vector<bool> is_known(graph_.values.size(), false);
    for (int n : region.nodes) {
      for (int id : graph_.nodes[n].outputs) is_known[id] = true;
    }
    for (int n : region.nodes) {
      for (int id : graph_.nodes[n].inputs) {
        if (id < 0 || is_known[id] || graph_.values[id].is_constant()) continue;
        is_known[id] = true;
        region.inputs.push_back(id);
      }
    }
  }

  // Outputs are read by the remaining steps or by the caller; earlier steps are
  // done.
  void FindOutputs(const std::vector<Step>& left, Region& region) const {
    std::vector<bool> is_read(graph_.values.size(), false);
    for (const Step& step : left) {
      for (int id : NodeOf(step).inputs) {
        if (id >= 0) is_read[id] = true;
      }
    }
    for (int id : graph_.outputs) is_read[id] = true;
    for (int n : region.nodes) {
      for (int id : graph_.nodes[n].outputs) {
        if (is_read[id] || each_node_alone_) region.outputs.push_back(id);
      }
    }
  }

  // Turns the last node into the region, with the names of all nodes.
  void Merge(const Region& region) {
    GraphNode merged;
    merged.node.op = "Region";
    for (int n : region.nodes) {
      merged.node.name += StrCat(merged.node.name.empty() ? "" : " + ",
                                 graph_.nodes[n].node.name);
    }
    merged.inputs = region.inputs;
    merged.outputs = region.outputs;
    for (int id : region.inputs) {
      merged.node.inputs.push_back({graph_.values[id].type, nullptr, -1});
    }
    for (int id : region.outputs) {
      merged.node.outputs.push_back(graph_.values[id].type);
    }
    graph_.nodes[region.nodes.back()] = std::move(merged);
  }

  Plan& plan_;
  Graph& graph_;
  Device& host_;
  const bool each_node_alone_;
  std::vector<bool> waits_;  // by value: whether a remaining step makes it
};

}  // namespace

Status FormRegions(Plan& plan, bool each_node_alone, Device& host) {
  const bool any = AnyOf(
      plan.steps, [](const Step& step) { return step.kernel == nullptr; });
  return any ? Former(plan, each_node_alone, host).Form() : Status();
}

}  // namespace mace
