// Binding the caller's memory of a device to the steps of a plan.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/device_tensors.h"

#include <algorithm>
#include <string>
#include <utility>

#include "mace/base/search.h"
#include "mace/base/str_cat.h"

namespace mace {

DeviceTensors::DeviceTensors(const Plan& plan, std::vector<RunArgs>& args)
    : plan_(plan), skipped_(plan.steps.size(), false) {
  for (BoundaryConvert& convert : InputConverts(plan)) {
    inputs_.push_back({std::move(convert), MemoryType::CPU_BUFFER, {}, {}});
  }
  for (BoundaryConvert& convert : OutputConverts(plan)) {
    outputs_.push_back({std::move(convert), MemoryType::CPU_BUFFER, {}, {}});
  }
  for (auto* tensors : {&inputs_, &outputs_}) {
    for (Tensor& tensor : *tensors) AddUses(tensor, args);
  }
}

void DeviceTensors::AddUses(Tensor& tensor, std::vector<RunArgs>& args) const {
  const auto& images = tensor.convert.images;
  if (images.empty()) return;
  const auto add = [&](const std::vector<int>& values,
                       std::vector<Buffer>& buffers) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (std::count(images.begin(), images.end(), values[i]) == 0) continue;
      tensor.uses.push_back(&buffers[i]);
      tensor.planned.push_back(buffers[i]);
    }
  };
  for (size_t s = 0; s < plan_.steps.size(); ++s) {
    const GraphNode& g = plan_.graph.nodes[plan_.steps[s].node];
    add(g.inputs, args[s].inputs);
    add(g.outputs, args[s].outputs);
  }
}

bool DeviceTensors::any() const {
  const auto is_on_device = [](const Tensor& tensor) {
    return tensor.type != MemoryType::CPU_BUFFER;
  };
  return AnyOf(inputs_, is_on_device) || AnyOf(outputs_, is_on_device);
}

Status DeviceTensors::Check(const Tensor& tensor, bool is_input, int id,
                            MemoryType type, void* memory) const {
  const Value& value = plan_.graph.values[id];
  const bool is_image = type == MemoryType::GPU_IMAGE;
  const std::string what = StrCat(is_input ? "input '" : "output '", value.name,
                                  "' in GPU memory: ");
  if (type != MemoryType::GPU_BUFFER && !is_image) {
    return InvalidArgument(what, "there is no memory type ",
                           static_cast<int>(type));
  }
  if (!tensor.convert.obstacle.empty()) {
    return Unsupported(what, tensor.convert.obstacle,
                       "; give host memory (Dump(\"plan\") says what runs "
                       "where and why)");
  }
  if (is_image && !tensor.convert.no_image.empty()) {
    return Unsupported(what, tensor.convert.no_image, "; give a GPU_BUFFER");
  }
  const Status status = plan_.image_device->storage()->CheckMemory(
      {memory, is_image, !is_input}, value.type);
  return status.ok()
             ? Status()
             : Status(status.code(), StrCat(what, status.information()));
}

void DeviceTensors::Restore(Tensor& tensor) {
  if (tensor.type == MemoryType::CPU_BUFFER) return;
  for (size_t i = 0; i < tensor.uses.size(); ++i) {
    *tensor.uses[i] = tensor.planned[i];
  }
  const Step& convert = plan_.steps[tensor.convert.step];
  plan_.image_device->storage()->UseBuffer(*convert.kernel, nullptr);
  skipped_[tensor.convert.step] = false;
  tensor.type = MemoryType::CPU_BUFFER;
}

void DeviceTensors::Restore() {
  for (auto* tensors : {&inputs_, &outputs_}) {
    for (Tensor& tensor : *tensors) Restore(tensor);
  }
}

Status DeviceTensors::Bind(bool is_input, int index, MemoryType type,
                           void* memory) {
  Tensor& tensor = (is_input ? inputs_ : outputs_)[index];
  Restore(tensor);
  if (type == MemoryType::CPU_BUFFER) return Status();
  const Graph& graph = plan_.graph;
  const int id = (is_input ? graph.inputs : graph.outputs)[index];
  MACE_RETURN_IF_ERROR(Check(tensor, is_input, id, type, memory));
  tensor.type = type;
  if (type == MemoryType::GPU_BUFFER) {
    const Step& convert = plan_.steps[tensor.convert.step];
    plan_.image_device->storage()->UseBuffer(*convert.kernel, memory);
    return Status();
  }
  skipped_[tensor.convert.step] = true;
  for (Buffer* use : tensor.uses) use->handle = memory;
  return Status();
}

}  // namespace mace
