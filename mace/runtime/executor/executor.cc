// The loop over steps.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/executor.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "mace/base/fork.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <typename T>
std::vector<T> IntsOf(const Node& node, const char* name) {
  const auto it = node.attrs.find(name);
  if (it == node.attrs.end()) return {};
  const auto* ints = std::get_if<std::vector<int64_t>>(&it->second);
  return ints ? std::vector<T>(ints->begin(), ints->end()) : std::vector<T>();
}

OperatorStats StatsOf(const Node& node, const Step& step) {
  OperatorStats stats;
  stats.operator_name = node.name;
  stats.type = node.op;
  for (const TensorType& type : node.outputs) {
    stats.output_shape.push_back(type.shape);
  }
  stats.args.strides = IntsOf<int>(node, "strides");
  stats.args.paddings = IntsOf<int>(node, "padding_values");
  stats.args.dilations = IntsOf<int>(node, "dilations");
  stats.args.kernels = IntsOf<int64_t>(node, "kernels");
  // The window of a convolution is that of its filter, OIHW or MIHW.
  if (stats.args.kernels.empty() && !stats.args.strides.empty() &&
      node.has_input(1) && node.inputs[1].type.rank() == 4) {
    stats.args.kernels = node.inputs[1].type.shape;
  }
  const auto padding = node.attrs.find("padding");
  if (padding != node.attrs.end()) {
    const auto* type = std::get_if<int64_t>(&padding->second);
    if (type != nullptr) stats.args.padding_type = static_cast<int>(*type);
  }
  stats.macs = step.kernel->macs();
  stats.cost_macs = step.kernel->cost_macs();
  for (const Operand& operand : node.inputs) {
    if (operand.present()) stats.bytes += Bytes(operand.type);
  }
  for (const TensorType& type : node.outputs) stats.bytes += Bytes(type);
  stats.device = step.device->name();
  stats.variant = step.kernel->variant();
  const KernelOrigin& origin = step.kernel->origin();
  stats.chosen_by = origin.by;
  stats.tuned_micros = origin.micros;
  stats.model_micros = origin.model_micros;
  return stats;
}

// What is known of a node of a region.
OperatorStats StatsOf(const RegionPart& part, const OperatorStats& region,
                      const char* unit) {
  OperatorStats stats;
  stats.operator_name = part.name;
  stats.type = part.op;
  stats.output_shape = {part.output.shape};
  stats.macs = stats.cost_macs = part.macs;
  stats.bytes = Bytes(part.output);
  stats.device = region.device;
  stats.chosen_by = region.chosen_by;
  stats.variant = part.count < 0 ? "" : StrCat(part.count, ' ', unit);
  return stats;
}

// Divides the time of a region among its nodes, as the device counted.
void AddParts(const std::vector<RegionPart>& parts, const OperatorStats& region,
              const char* unit, std::vector<OperatorStats>* all) {
  double total = 0;
  for (const RegionPart& part : parts) {
    total += static_cast<double>(std::max<int64_t>(part.count, 0));
  }
  const int64_t begin = region.stats.start_micros;
  const auto time = static_cast<double>(region.stats.end_micros - begin);
  double done = 0;
  int64_t at = begin;
  for (const RegionPart& part : parts) {
    all->push_back(StatsOf(part, region, unit));
    done += total > 0
                ? static_cast<double>(std::max<int64_t>(part.count, 0)) / total
                : 1 / static_cast<double>(parts.size());
    all->back().stats.start_micros = at;
    at = begin + std::llround(done * time);
    all->back().stats.end_micros = at;
  }
}

}  // namespace

Status CancelledRun() {
  return Cancelled(
      "the run was cancelled by its MaceCancellation; the outputs hold no "
      "result");
}

Executor::Executor(std::unique_ptr<Plan> plan, bool poison)
    : plan_(std::move(plan)) {
  if (kHasDiagnostics && poison) unused_ = UnusedRanges(*plan_);
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

Status Executor::CheckNumerics() {
  if (!kHasDiagnostics) {
    return AbsentComponent("SetNumericCheck", "diagnostics");
  }
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
  const Step& step = plan_->steps[s];
  const bool runs = !skips(s);
  if (!kHasDiagnostics || metadata == nullptr) {
    return runs ? step.kernel->Run(args_[s]) : Status();
  }
  OperatorStats stats = StatsOf(plan_->graph.nodes[step.node].node, step);
  stats.stats.start_micros = NowMicros();
  if (runs) MACE_RETURN_IF_ERROR(step.kernel->Run(args_[s]));
  stats.stats.end_micros = NowMicros();
  metadata->op_stats.push_back(std::move(stats));
  return Status();
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

// Devices that work in the background know the times of their kernels only when
// they have finished.
Status Executor::FinishMetadata(RunMetadata* metadata) {
  MACE_RETURN_IF_ERROR(FinishDevices());
  if (kOneDevice) return Status();  // the CPU's times are known already
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const double us = plan_->steps[s].kernel->device_us();
    if (us < 0 || skips(s)) continue;
    CallStats& stats = metadata->op_stats[s].stats;
    stats.end_micros = stats.start_micros + std::llround(us);
  }
  std::vector<OperatorStats> all;
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    const Step& step = plan_->steps[s];
    OperatorStats& stats = metadata->op_stats[s];
    RegionKernels* const regions = step.device->regions();
    const auto parts = regions == nullptr ? std::vector<RegionPart>()
                                          : regions->PartsOf(*step.kernel);
    if (parts.empty()) {
      all.push_back(std::move(stats));
    } else {
      AddParts(parts, stats, regions->count_unit(), &all);
    }
  }
  metadata->op_stats = std::move(all);
  return Status();
}

Status Executor::CheckInputs() const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    MACE_RETURN_IF_ERROR(check_->CheckInput(static_cast<int>(i), inputs_[i]));
  }
  return Status();
}

Status Executor::Run(RunMetadata* metadata,
                     const MaceCancellation* cancellation) {
  for (DeviceActivity* activity : activities_) {
    activity->SetProfiling(kHasDiagnostics && metadata != nullptr);
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
                          const MaceCancellation* cancellation) {
  if (is_poisoned()) Poison(arena_, unused_[0]);
  if (checks()) MACE_RETURN_IF_ERROR(CheckInputs());
  for (size_t s = 0; s < plan_->steps.size(); ++s) {
    if (IsCancelled(cancellation)) break;
    const Status ran = RunStep(s, metadata);
    const bool is_error = !ran.ok() && ran.code() != Status::MACE_CANCELLED;
    if (IsCancelled(cancellation) && !is_error) break;
    MACE_RETURN_IF_ERROR(ran);
    if (checks()) {
      MACE_RETURN_IF_ERROR(check_->CheckStep(s, args_[s]));
    }
    if (is_poisoned()) Poison(arena_, unused_[s + 1]);
  }
  // A kernel that saw it may have left out work, even in the last step.
  if (IsCancelled(cancellation)) return CancelledRun();
  if (kHasDiagnostics && metadata != nullptr) {
    MACE_RETURN_IF_ERROR(FinishMetadata(metadata));
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
