// Collects the nodes of a plan.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/dump/placed_nodes.h"

#include <map>
#include <utility>

#include "mace/base/str_cat.h"

namespace mace {
namespace {

// Returns the 16-bit type in which a node's weights are stored, or "".
std::string StoredAs(const Node& node) {
  for (const Operand& operand : node.inputs) {
    if (operand.stored != DataType::kInvalid) return Name(operand.stored);
  }
  return "";
}

class Collector {
 public:
  explicit Collector(const Plan& plan)
      : plan_(plan),
        idle_(plan.graph.nodes.size(), "none: a view"),
        part_of_(plan.graph.nodes.size()) {
    for (const Placement& p : plan.placements) placements_[p.node] = &p;
    for (const Step& step : plan.steps) AddStep(step);
    for (size_t n = 0; n < idle_.size(); ++n) {
      if (idle_[n].empty()) continue;
      const Node& node = plan.graph.nodes[n].node;
      const Placement* placed = PlacementOf(Label(node));
      PlacedNode& added =
          Add(node, placed == nullptr ? "CPU" : placed->device, Label(node));
      added.kernel = idle_[n];
      added.part_of = part_of_[n];
    }
  }

  std::vector<PlacedNode> nodes;

 private:
  const Placement* PlacementOf(const std::string& label) const {
    const auto it = placements_.find(label);
    return it == placements_.end() ? nullptr : it->second;
  }

  PlacedNode& Add(const Node& node, const std::string& device,
                  const std::string& label) {
    PlacedNode added;
    added.name = node.name;
    added.op = node.op;
    added.outputs = node.outputs;
    added.stored = StoredAs(node);
    added.device = device;
    const Placement* placed = PlacementOf(label);
    if (placed != nullptr) added.reason = placed->reason;
    nodes.push_back(std::move(added));
    return nodes.back();
  }

  void AddStep(const Step& step) {
    const Node& node = plan_.graph.nodes[step.node].node;
    idle_[step.node].clear();
    const std::vector<RegionPart> parts = PartsOf(step);
    for (const RegionPart& part : parts) AddPart(part, step);
    for (const int n : step.fused) {
      idle_[n] = parts.empty() ? StrCat("none: part of '", node.name, "'") : "";
      part_of_[n] = node.name;
    }
    if (!parts.empty() || IsMove(node)) return;
    const int first = step.fused.empty() ? step.node : step.fused[0];
    PlacedNode& added =
        Add(node, step.device->name(), Label(plan_.graph.nodes[first].node));
    added.kernel = step.kernel->variant();
    added.macs = step.kernel->macs();
  }

  void AddPart(const RegionPart& part, const Step& step) {
    Node node;
    node.op = part.op;
    node.name = part.name;
    node.outputs = {part.output};
    PlacedNode& added = Add(node, step.device->name(), Label(node));
    const std::string count = CountOf(part, step);
    added.kernel = count.empty() ? "in a region" : count;
    added.macs = part.macs;
  }

  const Plan& plan_;
  std::map<std::string, const Placement*> placements_;  // by label
  // For nodes without a step of their own: what they do, and the step that they
  // are a part of.
  std::vector<std::string> idle_, part_of_;
};

}  // namespace

bool IsMove(const Node& node) {
  return node.op == "Upload" || node.op == "Download";
}

std::vector<RegionPart> PartsOf(const Step& step) {
  RegionKernels* const regions = step.device->regions();
  if (regions == nullptr) return {};
  return regions->PartsOf(*step.kernel);
}

std::string CountOf(const RegionPart& part, const Step& step) {
  if (part.count < 0) return "";
  return StrCat(part.count, ' ', step.device->regions()->count_unit());
}

std::vector<PlacedNode> PlacedNodes(const Plan& plan) {
  return std::move(Collector(plan).nodes);
}

}  // namespace mace
