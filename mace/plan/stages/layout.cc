// Inserts uploads and downloads between values and their image copies.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/layout.h"

#include <utility>

#include "mace/base/search.h"

namespace mace {
namespace {

class Inserter {
 public:
  explicit Inserter(Plan& plan) : plan_(plan), graph_(plan.graph) {}

  Status Insert() {
    const size_t num_values = graph_.values.size();
    image_of_.assign(num_values, -1);
    on_host_.assign(num_values, true);
    on_device_.assign(num_values, false);
    FindWantedFloats();
    std::vector<Step> steps = std::move(plan_.steps);
    plan_.steps.clear();
    for (Step& step : steps) {
      MACE_RETURN_IF_ERROR(PrepareInputs(step));
      RenameOutputs(step);
      plan_.steps.push_back(std::move(step));
    }
    for (int id : graph_.outputs) MACE_RETURN_IF_ERROR(NeedOnHost(id));
    return Status();
  }

 private:
  void FindWantedFloats() {
    wants_floats_.assign(graph_.values.size(), false);
    for (const Step& step : plan_.steps) {
      if (step.kernel->output_layout() != Layout::kImage ||
          step.kernel->image_dtype() != DataType::kF32) {
        continue;
      }
      for (int id : graph_.nodes[step.node].inputs) {
        if (id >= 0) wants_floats_[id] = true;
      }
    }
  }

  // Makes the image copy of value `id`.
  int AddImage(int id, DataType dtype) {
    Value copy;
    copy.name = graph_.values[id].name;
    copy.type = graph_.values[id].type;
    copy.type.layout = Layout::kImage;
    copy.type.dtype = dtype;
    image_of_[id] = static_cast<int>(graph_.values.size());
    graph_.values.push_back(std::move(copy));
    return image_of_[id];
  }

  Status NeedOnHost(int id) {
    if (on_host_[id]) return Status();
    on_host_[id] = true;
    return AddConvert("Download", image_of_[id], id);
  }

  Status NeedOnDevice(int id) {
    if (on_device_[id]) return Status();
    on_device_[id] = true;
    // All readers get floats if one of them needs floats.
    const DataType dtype = wants_floats_[id]
                               ? DataType::kF32
                               : plan_.image_device->storage()->image_dtype();
    return AddConvert("Upload", id, AddImage(id, dtype));
  }

  Status PrepareInputs(const Step& step) {
    for (size_t i = 0; i < graph_.nodes[step.node].inputs.size(); ++i) {
      const int id = graph_.nodes[step.node].inputs[i];
      if (id < 0) continue;
      if (step.kernel->input_layout(i) != Layout::kImage) {
        MACE_RETURN_IF_ERROR(NeedOnHost(id));
        continue;
      }
      plan_.image_device = step.device;
      MACE_RETURN_IF_ERROR(NeedOnDevice(id));
      GraphNode& g = graph_.nodes[step.node];  // moved by AddConvert
      g.inputs[i] = image_of_[id];
      g.node.inputs[i].type = graph_.values[image_of_[id]].type;
    }
    return Status();
  }

  // Returns the type of a step's output images. A step that only renames keeps
  // the type of its input.
  DataType OutputDtype(const Step& step) const {
    const GraphNode& g = graph_.nodes[step.node];
    return step.kernel->renames_only() ? graph_.values[g.inputs[0]].type.dtype
                                       : step.kernel->image_dtype();
  }

  void RenameOutputs(const Step& step) {
    if (step.kernel->output_layout() != Layout::kImage) return;
    plan_.image_device = step.device;
    const DataType dtype = OutputDtype(step);
    GraphNode& g = graph_.nodes[step.node];
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      const int id = g.outputs[i];
      on_host_[id] = false;
      on_device_[id] = true;
      g.outputs[i] = AddImage(id, dtype);
      g.node.outputs[i] = graph_.values[g.outputs[i]].type;
    }
  }

  Status AddConvert(const char* op, int from, int to) {
    GraphNode g;
    g.node.name = graph_.values[from].name;
    g.node.op = op;
    g.node.inputs.push_back({graph_.values[from].type, nullptr, -1});
    g.node.outputs.push_back(graph_.values[to].type);
    g.inputs = {from};
    g.outputs = {to};
    Step step;
    step.node = static_cast<int>(graph_.nodes.size());
    step.device = plan_.image_device;
    MACE_ASSIGN_OR_RETURN(
        step.kernel, plan_.image_device->storage()->PrepareConvert(g.node));
    graph_.nodes.push_back(std::move(g));
    plan_.steps.push_back(std::move(step));
    return Status();
  }

  Plan& plan_;
  Graph& graph_;
  std::vector<int> image_of_;       // by value: its image copy, or -1
  std::vector<bool> wants_floats_;  // by value: whether a reader needs floats
  std::vector<bool> on_host_;  // by value: whether it has been computed so far
  std::vector<bool> on_device_;  // by value: whether its image copy has been
};

}  // namespace

Status InsertConverts(Plan& plan) {
  const bool images = AnyOf(plan.steps, [](const Step& s) {
    return s.kernel->output_layout() == Layout::kImage;
  });
  return images ? Inserter(plan).Insert() : Status();
}

}  // namespace mace
