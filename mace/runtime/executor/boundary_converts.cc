// Finding the steps that convert inputs and outputs, and what else uses their
// values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/boundary_converts.h"

#include <algorithm>
#include <numeric>

#include "mace/base/str_cat.h"

namespace mace {
namespace {

class Finder {
 public:
  explicit Finder(const Plan& plan)
      : plan_(plan), root_(plan.locations.size()) {
    std::iota(root_.begin(), root_.end(), 0);
    for (const Step& step : plan.steps) {
      if (!step.kernel->renames_only()) continue;
      const GraphNode& g = NodeOf(step);
      root_[Root(g.outputs[0])] = Root(g.inputs[0]);
    }
  }

  std::vector<BoundaryConvert> Find(bool of_inputs) {
    const Graph& graph = plan_.graph;
    const auto& ids = of_inputs ? graph.inputs : graph.outputs;
    std::vector<BoundaryConvert> converts;
    for (size_t i = 0; i < ids.size(); ++i) {
      converts.push_back(FindOne(of_inputs, static_cast<int>(i), ids[i]));
    }
    if (!of_inputs) FindShared(converts);
    return converts;
  }

 private:
  const GraphNode& NodeOf(const Step& step) const {
    return plan_.graph.nodes[step.node];
  }

  int Root(int value) const {
    while (root_[value] != value) value = root_[value];
    return value;
  }

  // Only the convert may touch the host's memory: any other use is an obstacle.
  BoundaryConvert FindOne(bool of_input, int index, int id) const {
    BoundaryConvert convert;
    const Location::Kind kind = of_input ? Location::kInput : Location::kOutput;
    const auto is_here = [&](int value) {
      return value >= 0 && plan_.locations[value].kind == kind &&
             plan_.locations[value].index == index;
    };
    int num_uses = 0;
    for (size_t s = 0; s < plan_.steps.size(); ++s) {
      const GraphNode& g = NodeOf(plan_.steps[s]);
      num_uses += static_cast<int>(
          std::count_if(g.inputs.begin(), g.inputs.end(), is_here) +
          std::count_if(g.outputs.begin(), g.outputs.end(), is_here));
      const bool converts =
          of_input ? g.node.op == "Upload" && is_here(g.inputs[0])
                   : g.node.op == "Download" && is_here(g.outputs[0]);
      if (converts) convert.step = static_cast<int>(s);
    }
    for (const Plan::Copy& copy : plan_.copies) {
      num_uses += is_here(copy.value) ? 1 : 0;
    }
    if (convert.step < 0 || num_uses != 1) {
      convert.obstacle =
          of_input ? "the CPU reads it" : "the CPU computes or reads it";
      return convert;
    }
    AddImages(of_input, id, convert);
    return convert;
  }

  void AddImages(bool of_input, int id, BoundaryConvert& convert) const {
    const GraphNode& g = NodeOf(plan_.steps[convert.step]);
    const int image = of_input ? g.outputs[0] : g.inputs[0];
    const auto& values = plan_.graph.values;
    if (values[image].type.shape != values[id].type.shape) {
      convert.no_image = StrCat("it is moved in the shape ",
                                ToString(values[image].type.shape));
    }
    for (size_t v = 0; v < root_.size(); ++v) {
      if (Root(static_cast<int>(v)) == Root(image)) {
        convert.images.push_back(static_cast<int>(v));
      }
    }
  }

  // Finds outputs that share an image with an input or with another output.
  void FindShared(std::vector<BoundaryConvert>& converts) const {
    std::vector<std::vector<int>> others;
    for (const BoundaryConvert& input : InputConverts(plan_)) {
      others.push_back(input.images);
    }
    for (BoundaryConvert& convert : converts) {
      for (const auto& images : others) {
        if (!convert.images.empty() && images == convert.images) {
          convert.no_image = "its image is that of another input or output";
        }
      }
      others.push_back(convert.images);
    }
  }

  const Plan& plan_;
  std::vector<int> root_;  // by value: the value that it is a view of
};

}  // namespace

std::vector<BoundaryConvert> InputConverts(const Plan& plan) {
  return Finder(plan).Find(true);
}

std::vector<BoundaryConvert> OutputConverts(const Plan& plan) {
  return Finder(plan).Find(false);
}

}  // namespace mace
