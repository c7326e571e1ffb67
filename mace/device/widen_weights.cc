// Widening the weights that are not kept as they are stored.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/widen_weights.h"

#include "mace/base/search.h"
#include "mace/graph/stored_weight.h"

namespace mace {
namespace {

bool AllTake(const std::vector<Device*>& devices, const Node& node, size_t i) {
  return AllOf(devices, [&](Device* device) {
    return device->kernels() != nullptr &&
           device->kernels()->TakesFp16(node, i);
  });
}

// By value: whether something reads it as floats.
std::vector<uint8_t> ReadAsFloats(const std::vector<Device*>& devices,
                                  const Graph& graph) {
  std::vector<uint8_t> reads(graph.values.size(), false);
  for (const GraphNode& g : graph.nodes) {
    for (size_t i = 0; i < g.inputs.size(); ++i) {
      const int id = g.inputs[i];
      if (id < 0 || graph.values[id].stored == DataType::kInvalid) continue;
      if (!AllTake(devices, g.node, i)) reads[id] = true;
    }
  }
  for (int id : graph.outputs) reads[id] = true;
  return reads;
}

}  // namespace

Result<std::shared_ptr<const void>> KeptFloats(const Operand& weight,
                                               PackedWeights* packed) {
  return packed->GetOrPack(weight.weight_id, "floats", Bytes(weight.type),
                           [&](void* floats) {
                             WidenStored(weight, static_cast<float*>(floats));
                             return Status();
                           });
}

Status WidenWeights(const std::vector<Device*>& devices, PackedWeights& packed,
                    Graph& graph) {
  const std::vector<uint8_t> reads = ReadAsFloats(devices, graph);
  for (size_t id = 0; id < graph.values.size(); ++id) {
    Value& value = graph.values[id];
    if (!reads[id] || value.stored == DataType::kInvalid) continue;
    MACE_ASSIGN_OR_RETURN(value.owner, KeptFloats(OperandOf(value), &packed));
    value.data = value.owner.get();
    value.stored = DataType::kInvalid;
    value.stored_quantization = nullptr;
  }
  return Status();
}

}  // namespace mace
