// Counting bytes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/memory_usage.h"

#include <algorithm>
#include <cstdio>

namespace mace {
namespace {

constexpr size_t kMaxHolders = 5;

void Add(MaceMemoryCategory& category, int64_t bytes) {
  category.requested_bytes += bytes;
  ++category.count;
}

// Bytes of the tables that the plan itself consists of.
int64_t PlanTableBytes(const Plan& plan) {
  int64_t bytes = sizeof(Plan);
  bytes += static_cast<int64_t>(plan.places.size() * sizeof(Place));
  bytes += static_cast<int64_t>(plan.memory_plan.offsets.size() *
                                (sizeof(int64_t) + sizeof(memory::Record)));
  for (const Value& value : plan.graph.values) {
    bytes += static_cast<int64_t>(sizeof(Value) + value.name.size());
  }
  return bytes;
}

int64_t OpTableBytes(const Plan& plan) {
  int64_t bytes = 0;
  for (const GraphNode& g : plan.graph.nodes) {
    bytes += static_cast<int64_t>(
        sizeof(GraphNode) + sizeof(Step) + g.node.name.size() +
        (g.inputs.size() + g.outputs.size()) * sizeof(Buffer));
  }
  return bytes;
}

// The step with the most live bytes, and what lives there.
void FindPeak(const Plan& plan, MaceMemoryUsage& usage) {
  const auto& records = plan.memory_problem.records;
  int64_t peak_step = -1;
  for (size_t s = 0; s < plan.steps.size(); ++s) {
    int64_t live = 0;
    for (const memory::Record& r : records) {
      const auto step = static_cast<int64_t>(s);
      if (r.first <= step && step <= r.last) live += r.size.count();
    }
    if (live <= usage.peak_bytes) continue;
    usage.peak_bytes = live;
    peak_step = static_cast<int64_t>(s);
  }
  if (peak_step < 0) return;
  const Step& step = plan.steps[static_cast<size_t>(peak_step)];
  usage.peak_node = Label(plan.graph.nodes[step.node].node);
  for (const memory::Record& r : records) {
    if (r.first <= peak_step && peak_step <= r.last) {
      usage.peak_holders.emplace_back(r.name, r.size.count());
    }
  }
  std::stable_sort(
      usage.peak_holders.begin(), usage.peak_holders.end(),
      [](const auto& a, const auto& b) { return a.second > b.second; });
  if (usage.peak_holders.size() > kMaxHolders) {
    usage.peak_holders.resize(kMaxHolders);
  }
}

}  // namespace

MaceMemoryUsage UsageOf(const Plan& plan, const MaceModel::Impl& model) {
  MaceMemoryCategory activations, scratch, persistent, weights, packed,
      on_device, variables, op_data, tables;
  activations.name = "activations";
  scratch.name = "scratch";
  persistent.name = "persistent";
  weights.name = "weights";
  packed.name = "packed_weights";
  on_device.name = "device_weights";
  variables.name = "variables";
  op_data.name = "op_data";
  tables.name = "plan";

  // Of the records, those of a step's scratch are named so.
  const auto& records = plan.memory_problem.records;
  for (size_t r = 0; r < records.size(); ++r) {
    Add(plan.scratch_records[r] ? scratch : activations,
        records[r].size.count());
  }
  // They share one arena; scratch lies between activations, so its own share is
  // what it asks for at most at a time.
  for (size_t r = 0; r < records.size(); ++r) {
    if (plan.scratch_records[r]) {
      scratch.used_bytes =
          std::max(scratch.used_bytes, records[r].size.count());
    }
  }
  activations.used_bytes = plan.arena_bytes - scratch.used_bytes;
  for (const Value& value : plan.graph.values) {
    if (value.weight_id >= 0) Add(weights, Bytes(value.type));
  }
  weights.used_bytes = static_cast<int64_t>(model.model.weights.size);
  packed.requested_bytes = packed.used_bytes = model.packed->total_bytes();
  packed.count = model.packed->count();
  const DeviceWeights& copies = *model.device_weights;
  on_device.requested_bytes = on_device.used_bytes = copies.total_bytes();
  on_device.count = copies.count();
  op_data.requested_bytes = op_data.used_bytes = OpTableBytes(plan);
  op_data.count = static_cast<int64_t>(plan.steps.size());
  tables.requested_bytes = tables.used_bytes = PlanTableBytes(plan);
  tables.count = 1;

  MaceMemoryUsage usage;
  usage.categories = {activations, scratch,   persistent, weights, packed,
                      on_device,   variables, op_data,    tables};
  usage.head_bytes = plan.arena_bytes;
  usage.lower_bound_bytes = plan.memory_plan.certificate.lower_bound;
  FindPeak(plan, usage);
  if (plan.arena_bytes > 0) {
    const auto live = std::min(usage.peak_bytes, plan.arena_bytes);
    usage.fragmentation =
        1 - static_cast<double>(live) / static_cast<double>(plan.arena_bytes);
  }
  return usage;
}

std::string ToText(const MaceMemoryUsage& usage) {
  std::string text;
  char line[160];
  std::snprintf(line, sizeof(line), "%-16s%14s%14s%8s\n", "memory", "requested",
                "used", "count");
  text += line;
  for (const MaceMemoryCategory& c : usage.categories) {
    std::snprintf(line, sizeof(line), "%-16s%14lld%14lld%8lld\n",
                  c.name.c_str(), static_cast<long long>(c.requested_bytes),
                  static_cast<long long>(c.used_bytes),
                  static_cast<long long>(c.count));
    text += line;
  }
  std::snprintf(line, sizeof(line),
                "arena: head %lld, temporary %lld, tail %lld bytes; "
                "fragmentation %.1f %%\n",
                static_cast<long long>(usage.head_bytes),
                static_cast<long long>(usage.temporary_bytes),
                static_cast<long long>(usage.tail_bytes),
                100 * usage.fragmentation);
  text += line;
  text += "peak: " + std::to_string(usage.peak_bytes) + " bytes live at " +
          usage.peak_node + "\n";
  for (const auto& [name, bytes] : usage.peak_holders) {
    text += "  " + std::to_string(bytes) + "  " + name + "\n";
  }
  return text;
}

}  // namespace mace
