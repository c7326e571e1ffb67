// What engines tell about themselves.
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "mace/base/search.h"
#include "mace/runtime/engine.h"
#include "mace/runtime/io/external_memory.h"

namespace mace {

std::vector<MaceTensorInfo> MaceEngine::Impl::Infos(bool of_inputs) const {
  std::lock_guard<Mutex> lock(mutex_);
  const Graph& graph = plans_->latest().plan().graph;
  const Model& model = model_->impl()->model;
  const auto& orders = of_inputs ? model.input_order : model.output_order;
  std::vector<MaceTensorInfo> infos;
  std::vector<int> ids = of_inputs ? graph_.inputs : graph_.outputs;
  ids.resize(ids.size() - states_.tensors());  // the last are no one else's
  for (const int id : ids) {
    // Of an output that waits for data, only what the file states is known.
    const TensorType* type = &graph.values[id].type;
    const auto stated = model.stated_outputs.find(id);
    if (type->dtype == DataType::kInvalid &&
        stated != model.stated_outputs.end()) {
      type = &stated->second;
    }
    const auto order = orders.find(id);
    infos.push_back(
        {graph.values[id].name, type->shape, ToPublic(type->dtype),
         order == orders.end() ? DataFormat::NONE : ToPublic(order->second),
         ScaleOf(*type), ZeroPointOf(*type)});
  }
  return infos;
}

Status MaceEngine::Impl::GetMemoryUsage(MaceMemoryUsage* usage) const {
  if (usage == nullptr) return InvalidArgument("GetMemoryUsage: usage is null");
  std::lock_guard<Mutex> lock(mutex_);
  MACE_ASSIGN_OR_RETURN(*usage, Usage());
  return Status();
}

Status MaceEngine::Impl::GetMemoryTotals(MaceMemoryTotals* totals) const {
  if (totals == nullptr) {
    return InvalidArgument("GetMemoryTotals: totals is null");
  }
  std::lock_guard<Mutex> lock(mutex_);
  MACE_ASSIGN_OR_RETURN(*totals, Totals());
  return Status();
}

Status MaceEngine::Impl::GetDeviceCounts(MaceDeviceCounts* counts) const {
  if (counts == nullptr) {
    return InvalidArgument("GetDeviceCounts: counts is null");
  }
  std::lock_guard<Mutex> lock(mutex_);
  *counts = MaceDeviceCounts();
  for (const auto& device : devices_.all().list) {
    if (device->activity() == nullptr) continue;
    const DeviceCounts found = device->activity()->counts();
    counts->compiled_programs += found.compiled_programs;
    counts->loaded_programs += found.loaded_programs;
    counts->measurements += found.measurements;
    counts->kernels += found.kernels;
    counts->enqueues += found.enqueues;
    counts->bytes_from_host += found.bytes_from_host;
    counts->bytes_to_host += found.bytes_to_host;
  }
  return Status();
}

bool MaceEngine::Impl::RunsOnFirstDevice() const {
  std::lock_guard<Mutex> lock(mutex_);
  const std::vector<Step>& steps = plans_->latest().plan().steps;
  return devices_.all().note.empty() && AnyOf(steps, [&](const Step& step) {
           return step.device == &devices_.first();
         });
}

Status MaceEngine::Impl::GetGPUHandles(MaceGPUHandles* handles) const {
  if (handles == nullptr) {
    return InvalidArgument("GetGPUHandles: handles is null");
  }
  std::lock_guard<Mutex> lock(mutex_);
  Device* const device = plans_->latest().plan().image_device;
  if (device == nullptr) {
    return Unsupported(
        "GetGPUHandles: nothing of this engine runs on the GPU; "
        "Dump(\"plan\") says why");
  }
  const NativeHandles native = device->storage()->native_handles();
  *handles = {native.context, native.device};
  return Status();
}

Status MaceEngine::Impl::ImportMemory(const MaceExternalMemory& memory,
                                      const std::vector<int64_t>& shape,
                                      MaceTensor* tensor) const {
  if (tensor == nullptr) {
    return InvalidArgument("ImportMemory: tensor is null");
  }
  std::lock_guard<Mutex> lock(mutex_);
  Device* const device = plans_->latest().plan().image_device;
  MACE_ASSIGN_OR_RETURN(
      *tensor, ImportTensor(device == nullptr ? nullptr : device->storage(),
                            memory, shape));
  return Status();
}

}  // namespace mace
