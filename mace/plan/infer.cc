// Inference in execution order.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/infer.h"

#include <algorithm>

#include "mace/base/aligned_buffer.h"
#include "mace/ops/common/op.h"

namespace mace {
namespace {

// Larger results stay nodes: a plan is no place for megabytes of constants
// that a Fill or Tile makes out of a few bytes.
constexpr int64_t kMaxFoldedBytes = 1 << 20;

Status BindOperands(const Graph& graph, const Device& folder, GraphNode& g) {
  g.node.inputs.clear();
  for (int id : g.inputs) {
    Operand operand;
    if (id >= 0) {
      const Value& value = graph.values[id];
      operand = {value.type, value.data, value.weight_id, value.stored};
    }
    // See WidenWeights.
    MACE_ENSURE(operand.stored == DataType::kInvalid ||
                folder.TakesHalves(g.node, g.node.inputs.size()));
    g.node.inputs.push_back(operand);
  }
  return Status();
}

bool CanFold(const Node& node) {
  int64_t bytes = 0;
  for (const TensorType& type : node.outputs) bytes += Bytes(type);
  if (bytes > kMaxFoldedBytes) return false;
  if (FindOp(node.op)->reads_types_only) return true;
  return std::all_of(node.inputs.begin(), node.inputs.end(),
                     [](const Operand& operand) {
                       return !operand.present() || operand.data != nullptr;
                     });
}

// Computes the node now. Leaves it a node if the folder has no kernel for it.
Status Fold(Graph& graph, GraphNode& g, Device& folder) {
  auto prepared = folder.Prepare(g.node);
  if (prepared.status() == Status::MACE_UNSUPPORTED) return Status();
  MACE_RETURN_IF_ERROR(prepared.status());
  const KernelPtr& kernel = *prepared;

  RunArgs args;
  for (const Operand& operand : g.node.inputs) {
    args.inputs.push_back({const_cast<void*>(operand.data)});
  }
  std::vector<std::shared_ptr<AlignedBuffer>> buffers;
  for (const TensorType& type : g.node.outputs) {
    MACE_ASSIGN_OR_RETURN(AlignedBuffer buffer,
                          AlignedBuffer::Create(Bytes(type)));
    buffers.push_back(std::make_shared<AlignedBuffer>(std::move(buffer)));
    args.outputs.push_back({buffers.back()->data()});
  }
  MACE_ASSIGN_OR_RETURN(const AlignedBuffer scratch,
                        AlignedBuffer::Create(kernel->scratch_bytes()));
  args.scratch = {scratch.data()};
  MACE_RETURN_IF_ERROR(kernel->Run(args));
  for (size_t i = 0; i < buffers.size(); ++i) {
    Value& value = graph.values[g.outputs[i]];
    value.data = buffers[i]->data();
    value.owner = std::shared_ptr<const void>(buffers[i], buffers[i]->data());
  }
  return Status();
}

}  // namespace

Status InferGraph(Graph& graph, Device& folder) {
  std::vector<GraphNode> left;
  for (GraphNode& g : graph.nodes) {
    MACE_RETURN_IF_ERROR(BindOperands(graph, folder, g));
    MACE_RETURN_IF_ERROR(Infer(g.node));
    MACE_ENSURE(g.node.outputs.size() == g.outputs.size());
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      graph.values[g.outputs[i]].type = g.node.outputs[i];
    }
    if (CanFold(g.node)) MACE_RETURN_IF_ERROR(Fold(graph, g, folder));
    if (!graph.values[g.outputs[0]].is_constant()) left.push_back(std::move(g));
  }
  graph.nodes = std::move(left);
  return Status();
}

}  // namespace mace
