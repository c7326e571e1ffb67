// What engines tell about themselves.
// SPDX-License-Identifier: Apache-2.0

#include <string>
#include <vector>

#include "mace/base/components.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/plan/dump/dump.h"
#include "mace/runtime/engine.h"
#include "mace/runtime/report/memory_usage.h"

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

Status MaceEngine::Impl::Dump(const std::string& stage,
                              std::string* text) const {
  if (!kHasDiagnostics) return AbsentComponent("Dump", "diagnostics");
  if (text == nullptr) return InvalidArgument("Dump: text is null");
  std::lock_guard<Mutex> lock(mutex_);
  const Plan& plan = plans_->latest().plan();
  const Devices& devices = devices_.all();
  if (stage == "graph") {
    *text = mace::Dump(plan.graph);
  } else if (stage == "plan") {
    text->clear();
    for (const std::string& line : {devices.note, devices.without_effect}) {
      if (!line.empty()) *text += StrCat(line, '\n');
    }
    *text += StrCat(DumpPlacement(plan), DumpSteps(plan));
  } else if (stage == "plan_json") {
    const bool has_both =
        !devices.note.empty() && !devices.without_effect.empty();
    *text = DumpPlanJson(plan, StrCat(devices.note, has_both ? "; " : "",
                                      devices.without_effect));
  } else if (stage == "memory") {
    *text = StrCat(DumpMemory(plan), kHasDynamic ? states_.Dump() : "",
                   ToText(Usage()));
  } else if (stage == "memory_json") {
    *text = DumpMemoryJson(plan);
  } else if (stage == "tuning") {
    text->clear();
    for (const auto& device : devices.list) {
      if (device->tuning() != nullptr) *text += device->tuning()->DumpTuning();
    }
  } else {
    return InvalidArgument(
        "there is no stage '", stage,
        "'; choose graph, plan, plan_json, memory, memory_json or tuning");
  }
  return Status();
}

Status MaceEngine::Impl::GetMemoryUsage(MaceMemoryUsage* usage) const {
  if (usage == nullptr) return InvalidArgument("GetMemoryUsage: usage is null");
  if (!kHasMemoryTools)
    return AbsentComponent("GetMemoryUsage", "memory_tools");
  std::lock_guard<Mutex> lock(mutex_);
  *usage = Usage();
  return Status();
}

MaceMemoryUsage MaceEngine::Impl::Usage() const {
  MaceMemoryUsage usage = UsageOf(plans_->latest().plan(), *model_->impl(),
                                  memory_.sections()->arena());
  usage.allocated_arena_bytes = memory_.workspace().arena_bytes();
  usage.allocated_image_bytes = memory_.workspace().image_bytes();
  const bool no_arena =
      !memory_.has_callers_arena() && usage.allocated_arena_bytes == 0;
  for (MaceMemoryCategory& c : usage.categories) {
    if (kHasDynamic && c.name == "variables") {
      c.requested_bytes = states_.bytes();
      c.used_bytes = states_.held_bytes();
      c.count = static_cast<int64_t>(states_.size());
    }
    const bool is_image = c.name == "images";
    const bool is_arena = c.name == "activations" || c.name == "scratch";
    if ((is_arena && no_arena) ||
        (is_image && usage.allocated_image_bytes == 0)) {
      c.used_bytes = 0;
    }
  }
  return usage;
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

}  // namespace mace
