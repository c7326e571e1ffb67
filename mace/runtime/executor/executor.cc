// The loop over steps.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/executor.h"

#include <algorithm>
#include <cstring>

#include "mace/base/fork.h"
#include "mace/base/search.h"
#include "mace/runtime/executor/op_stats.h"

namespace mace {

Executor::Executor(std::unique_ptr<Plan> plan) : plan_(std::move(plan)) {
  const Graph& graph = plan_->graph;
  input_slots_.resize(graph.inputs.size());
  output_slots_.resize(graph.outputs.size());
  inputs_.resize(graph.inputs.size());
  outputs_.resize(graph.outputs.size());
  // Slots point into these vectors, which therefore must not grow any more.
  args_.resize(plan_->steps.size());
  copy_from_.resize(plan_->copies.size());

  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const Step& step = plan_->steps[s];
    DeviceActivity* const activity = step.device->activity();
    if (activity != nullptr && !Contains(activities_, activity)) {
      activities_.push_back(activity);
    }
    const GraphNode& g = graph.nodes[step.node];
    args_[s].inputs.resize(g.inputs.size());
    args_[s].outputs.resize(g.outputs.size());
    const auto add = [&](int id, Buffer& buffer) {
      if (id >= 0) {
        AddSlot(plan_->locations[id], &buffer.handle);
      }
    };
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      add(g.inputs[i], args_[s].inputs[i]);
    }
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      add(g.outputs[i], args_[s].outputs[i]);
    }
    if (step.kernel->scratch_bytes() > 0) {
      AddSlot({Location::kArena, -1, step.scratch_offset},
              &args_[s].scratch.handle);
    }
    args_[s].images.resize(step.images.size());
    for (size_t i = 0; i < step.images.size(); ++i) {
      image_slots_.push_back({&args_[s].images[i].handle, step.images[i]});
    }
  }
  for (size_t c = 0; c < plan_->copies.size(); ++c) {
    AddSlot(plan_->locations[plan_->copies[c].value], &copy_from_[c].handle);
  }
}

void Executor::AddSlot(const Location& location, void** pointer) {
  const Slot slot = {pointer, location.offset};
  switch (location.kind) {
    case Location::kUnused:
      break;
    case Location::kConstant:
      Bind({slot}, const_cast<void*>(plan_->graph.values[location.index].data));
      break;
    case Location::kInput:
      input_slots_[location.index].push_back(slot);
      break;
    case Location::kOutput:
      output_slots_[location.index].push_back(slot);
      break;
    case Location::kArena:
      arena_slots_.push_back(slot);
      break;
    case Location::kImage:
      image_slots_.push_back({pointer, location.index});
      break;
  }
}

void Executor::Bind(const std::vector<Slot>& slots, void* base) {
  for (const Slot& slot : slots) {
    *slot.pointer = static_cast<char*>(base) + slot.offset;
  }
}

Status Executor::Tune() {
  if (kOneDevice) return Status();
  Device* const device = plan_->image_device;
  if (device == nullptr || device->tuning() == nullptr) return Status();
  std::vector<BoundKernel> kernels;
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    if (plan_->steps[s].device != device) continue;
    kernels.push_back({plan_->steps[s].kernel.get(), &args_[s]});
  }
  return device->tuning()->Tune(kernels);
}

void Executor::BindArena(void* arena) {
  if (arena == arena_) return;
  arena_ = arena;
  Bind(arena_slots_, arena);
}

void Executor::BindImages(const std::vector<Buffer>& images,
                          uint64_t generation) {
  if (kOneDevice) return;
  if (device_tensors_ != nullptr) device_tensors_->Restore();
  for (const ImageSlot& slot : image_slots_) {
    *slot.pointer = images[slot.image].handle;
  }
  device_tensors_ = std::make_unique<DeviceTensors>(*plan_, args_);
  generation_ = generation;
}

Status Executor::PoisonUnused() {
  MACE_ASSIGN_OR_RETURN(unused_, UnusedRanges(*plan_));
  return Status();
}

Status Executor::CheckNumerics() {
  MACE_ASSIGN_OR_RETURN(check_, NumericCheck::Create(*plan_));
  return Status();
}

Status Executor::BindOnDevice(bool is_input, int index, MemoryType type,
                              void* memory) {
  if (has_device_tensors()) {
    return device_tensors_->Bind(is_input, index, type, memory);
  }
  if (type == MemoryType::CPU_BUFFER) return Status();
  const Graph& graph = plan_->graph;
  const int id = (is_input ? graph.inputs : graph.outputs)[index];
  return Unsupported(is_input ? "input '" : "output '", graph.values[id].name,
                     "' in GPU memory: nothing runs on the GPU; give host "
                     "memory (Dump(\"plan\") says why)");
}

Status Executor::BindInput(int index, MemoryType type, const void* data) {
  inputs_[index] = data;
  void* const memory = const_cast<void*>(data);
  MACE_RETURN_IF_ERROR(BindOnDevice(true, index, type, memory));
  if (type == MemoryType::CPU_BUFFER) Bind(input_slots_[index], memory);
  return Status();
}

Status Executor::BindOutput(int index, MemoryType type, void* data) {
  outputs_[index] = data;
  MACE_RETURN_IF_ERROR(BindOnDevice(false, index, type, data));
  if (type == MemoryType::CPU_BUFFER) Bind(output_slots_[index], data);
  return Status();
}

Status Executor::RunStep(size_t s, RunMetadata* metadata) {
  const bool runs = !skips(s);
  if (metadata != nullptr) {
    return RunTimed(*plan_, s, runs ? &args_[s] : nullptr, trace_, metadata);
  }
  return runs ? plan_->steps[s].kernel->Run(args_[s]) : Status();
}

// Waits for all devices, even if one of them fails.
Status Executor::FinishDevices() {
  Status first;
  for (DeviceActivity* activity : activities_) {
    const Status status = activity->Finish();
    if (first.ok()) first = status;
  }
  return first;
}

Status Executor::CheckInputs() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    MACE_RETURN_IF_ERROR(check_->CheckInput(static_cast<int>(i), inputs_[i]));
  }
  return Status();
}

Status Executor::Run(RunMetadata* metadata, const Cancellation* cancellation) {
  for (DeviceActivity* activity : activities_) {
    activity->SetProfiling(metadata != nullptr);
  }
  const bool is_on_device = has_device_tensors() && device_tensors_->any();
  if (is_on_device && checks()) {
    return Unsupported(
        "SetNumericCheck looks at inputs in host memory; give no GPU memory");
  }
  for (DeviceActivity* activity : activities_) {
    activity->SetCancellation(cancellation);
  }
  for (DeviceActivity* activity : activities_) {
    activity->BeginRun(&wake_times_);
  }
  const Status status = [&] {
    const AllowFork allow_fork;
    return RunSteps(metadata, cancellation);
  }();
  for (DeviceActivity* activity : activities_) {
    activity->SetCancellation(nullptr);
    if (status.ok()) activity->EndRun();
  }
  // Devices must not touch the caller's memory after Run has returned.
  if (!status.ok() || is_on_device) {
    const Status finished = FinishDevices();
    if (status.ok()) return finished;
  }
  return status;
}

Status Executor::RunSteps(RunMetadata* metadata,
                          const Cancellation* cancellation) {
  if (is_poisoned()) Poison(arena_, unused_[0]);
  if (checks()) MACE_RETURN_IF_ERROR(CheckInputs());
  const auto is_cancelled = [&] {
    return cancellation != nullptr && cancellation->is_cancelled();
  };
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    if (is_cancelled()) break;
    const Status ran = RunStep(s, metadata);
    const bool is_error = !ran.ok() && ran.code() != Status::MACE_CANCELLED;
    if (is_cancelled() && !is_error) break;
    MACE_RETURN_IF_ERROR(ran);
    if (checks()) {
      MACE_RETURN_IF_ERROR(check_->CheckStep(s, args_[s]));
    }
    if (is_poisoned()) Poison(arena_, unused_[s + 1]);
  }
  // A kernel that saw it may have left out work, even in the last step.
  if (is_cancelled()) return cancellation->Check();
  if (metadata != nullptr) {
    MACE_RETURN_IF_ERROR(FinishDevices());
    FinishOpStats(*plan_, device_tensors_.get(), metadata);
  }
  for (size_t c = 0; c < plan_->copies.size(); ++c) {
    const Plan::Copy& copy = plan_->copies[c];
    const int64_t bytes = Bytes(plan_->graph.values[copy.value].type);
    if (bytes > 0) {
      std::memcpy(outputs_[copy.output], copy_from_[c].handle, bytes);
    }
  }
  return Status();
}

}  // namespace mace
