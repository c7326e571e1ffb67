// Collects what is known of an op, and how long it took.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/executor/op_stats.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mace/base/clock.h"
#include "mace/base/str_cat.h"
#include "mace/plan/types/one_device.h"

namespace mace {
namespace {

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

Status BeginOpStats(RunMetadata* metadata) {
  if (metadata != nullptr) metadata->op_stats.clear();
  return Status();
}

Status RunTimed(const Plan& plan, size_t step, const RunArgs* args,
                const Trace* trace, RunMetadata* metadata) {
  const Step& timed = plan.steps[step];
  OperatorStats stats = StatsOf(plan.graph.nodes[timed.node].node, timed);
  const bool has_section =
      trace != nullptr &&
      trace->BeginSection(StrCat(stats.type, ' ', stats.operator_name));
  stats.stats.start_micros = NowMicros();
  const Status ran = args != nullptr ? timed.kernel->Run(*args) : Status();
  stats.stats.end_micros = NowMicros();
  if (has_section) trace->EndSection();
  if (ran.ok()) metadata->op_stats.push_back(std::move(stats));
  return ran;
}

// Devices that work in the background know the times of their kernels only when
// they have finished.
void FinishOpStats(const Plan& plan, const DeviceTensors* device_tensors,
                   RunMetadata* metadata) {
  if (kOneDevice) return;  // the CPU's times are known already
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const double us = plan.steps[s].kernel->device_us();
    const bool skipped = device_tensors != nullptr && device_tensors->skips(s);
    if (us < 0 || skipped) continue;
    CallStats& stats = metadata->op_stats[s].stats;
    stats.end_micros = stats.start_micros + std::llround(us);
  }
  std::vector<OperatorStats> all;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    const Step& step = plan.steps[s];
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
}

}  // namespace mace
