// Infers types, and folds constants, in execution order.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/stages/infer.h"

#include <algorithm>

#include "mace/base/cancellation.h"
#include "mace/base/make_shared.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/memory/arena_sections.h"
#include "mace/ops/common/op.h"
#include "mace/plan/stages/deferral.h"

namespace mace {
namespace {

// Nodes with larger results are not folded, so that a Fill or Tile does not
// make megabytes of constants out of a few bytes.
constexpr int64_t kMaxFoldedBytes = 1 << 20;

// The work spent on folding the constants of a graph, in bytes read and written
// and in multiply-adds: some 100 ms on one core. Nodes beyond it are not
// folded. Shape arithmetic takes a millionth of it.
constexpr int64_t kMaxFoldingWork = int64_t{1} << 28;

Status BindOperands(const Graph& graph, const NodeKernels& folder,
                    GraphNode& g) {
  g.node.inputs.clear();
  for (int id : g.inputs) {
    Operand operand;
    if (id >= 0) operand = OperandOf(graph.values[id]);
    // See WidenWeights.
    MACE_ENSURE(operand.stored == DataType::kInvalid ||
                folder.TakesFp16(g.node, g.node.inputs.size()));
    g.node.inputs.push_back(operand);
  }
  return Status();
}

// Returns the least work of computing the node: each byte is read or written
// once.
int64_t BytesOf(const Node& node) {
  int64_t bytes = 0;
  for (const Operand& operand : node.inputs) {
    if (operand.present()) bytes += Bytes(operand.type);
  }
  for (const TensorType& type : node.outputs) bytes += Bytes(type);
  return bytes;
}

int64_t WorkOf(const Node& node, const Kernel& kernel) {
  const int64_t bytes = BytesOf(node);
  if (!FindOp(node.op)->reads_many) return bytes;
  if (kernel.macs() > 0) return std::max(bytes, kernel.macs());
  // Each output may read all of the largest input.
  int64_t inputs = 1, outputs = 0;
  for (const Operand& operand : node.inputs) {
    if (!operand.present()) continue;
    inputs = std::max(inputs, NumElements(operand.type.shape));
  }
  for (const TensorType& type : node.outputs) {
    outputs += NumElements(type.shape);
  }
  return std::max(bytes, SaturatedProduct({inputs, outputs}));
}

// Returns whether a tensor fits the memory that there is. Extents of 0 count as
// 1, so that no axis may be too long either.
bool Fits(const TensorType& type, int64_t limit) {
  return BytesOfExtents(type) <= limit;
}

Status DoesNotFit(const TensorType& type, int64_t limit,
                  const std::string& what) {
  return OutOfResources(what, " is ", ToString(type), ", ",
                        BytesOfExtents(type), " bytes; there are ", limit,
                        " (SetMemoryLimit, or else what the machine has)");
}

bool CanFold(const Node& node) {
  if (node.custom.state != nullptr) return false;
  int64_t bytes = 0;
  for (const TensorType& type : node.outputs) bytes += Bytes(type);
  if (bytes > kMaxFoldedBytes) return false;
  if (FindOp(node.op)->reads_types_only) return true;
  return AllOf(node.inputs, [](const Operand& operand) {
    return !operand.present() || operand.data != nullptr;
  });
}

// Computes the node now, and subtracts its work from `work_left`. Leaves the
// node as it is if that is not enough or the folder has no kernel for it.
Status Fold(Graph& graph, GraphNode& g, NodeKernels& folder,
            int64_t* work_left) {
  if (BytesOf(g.node) > *work_left) return Status();
  auto prepared = folder.Prepare(g.node);
  if (prepared.status() == Status::MACE_UNSUPPORTED) return Status();
  MACE_RETURN_IF_ERROR(prepared.status());
  const KernelPtr& kernel = *prepared;
  const int64_t work = WorkOf(g.node, *kernel);
  if (work > *work_left) return Status();
  *work_left -= work;

  RunArgs args;
  for (const Operand& operand : g.node.inputs) {
    args.inputs.push_back({const_cast<void*>(operand.data)});
  }
  std::vector<std::shared_ptr<memory::SectionBuffer>> buffers;
  for (const TensorType& type : g.node.outputs) {
    MACE_ASSIGN_OR_RETURN(
        memory::SectionBuffer buffer,
        memory::SectionBuffer::Persistent(Bytes(type), "a folded constant"));
    buffers.push_back(MakeShared<memory::SectionBuffer>(std::move(buffer)));
    args.outputs.push_back({buffers.back()->data()});
  }
  MACE_ASSIGN_OR_RETURN(
      const memory::SectionBuffer scratch,
      memory::SectionBuffer::Temporary(kernel->scratch_bytes(),
                                       "scratch of a folded node"));
  args.scratch = {scratch.data()};
  MACE_RETURN_IF_ERROR(kernel->Run(args));
  for (size_t i = 0; i < buffers.size(); ++i) {
    Value& value = graph.values[g.outputs[i]];
    value.data = buffers[i]->data();
    value.owner = std::shared_ptr<const void>(buffers[i], buffers[i]->data());
  }
  return Status();
}

// Infers the nodes of a graph, in order.
class Inferrer {
 public:
  Inferrer(Graph& graph, NodeKernels& folder,
           std::unique_ptr<DeferredSubgraph>* deferred)
      : graph_(graph), folder_(folder), deferral_(graph, deferred) {}

  Status CheckInputs() const {
    for (int id : graph_.inputs) {
      const Value& value = graph_.values[id];
      if (!Fits(value.type, limit_)) {
        return DoesNotFit(value.type, limit_,
                          StrCat("input '", value.name, "'"));
      }
    }
    return Status();
  }

  Status InferNodes(std::vector<GraphNode>& nodes) {
    for (GraphNode& g : nodes) {
      if (deferral_.Reads(g)) {
        deferral_.Add(g);
      } else if (deferral_.is_allowed() &&
                 (g.node.op == "If" || g.node.op == "Loop")) {
        MACE_ASSIGN_OR_RETURN(std::vector<GraphNode> branch,
                              deferral_.AddControlFlow(g));
        MACE_RETURN_IF_ERROR(InferNodes(branch));
      } else {
        MACE_RETURN_IF_ERROR(InferNode(g));
      }
    }
    return Status();
  }

  void Finish() {
    graph_.nodes = std::move(left_);
    deferral_.Finish();
  }

 private:
  Status InferNode(GraphNode& g) {
    MACE_RETURN_IF_ERROR(Cancellation::CheckPlan());
    MACE_RETURN_IF_ERROR(BindOperands(graph_, folder_, g));
    int unknown = -1;
    MACE_RETURN_IF_ERROR(
        Infer(g.node, deferral_.is_allowed() ? &unknown : nullptr));
    if (unknown >= 0) return deferral_.AddFor(g, unknown);
    MACE_ENSURE(g.node.outputs.size() == g.outputs.size());
    for (size_t i = 0; i < g.outputs.size(); ++i) {
      if (!Fits(g.node.outputs[i], limit_)) {
        return DoesNotFit(g.node.outputs[i], limit_,
                          StrCat(Label(g.node), ": output ", i));
      }
      graph_.values[g.outputs[i]].type = g.node.outputs[i];
    }
    if (g.node.custom.scratch_bytes > limit_) {
      return OutOfResources(Label(g.node), ": asks for ",
                            g.node.custom.scratch_bytes,
                            " bytes of scratch; there are ", limit_);
    }
    if (CanFold(g.node)) {
      MACE_RETURN_IF_ERROR(Fold(graph_, g, folder_, &work_left_));
    }
    if (!graph_.values[g.outputs[0]].is_constant()) {
      left_.push_back(std::move(g));
    }
    return Status();
  }

  Graph& graph_;
  NodeKernels& folder_;
  Deferral deferral_;
  const int64_t limit_ =
      std::max(MachineMemoryBytes(), MemoryBudget::Current()->limit());
  int64_t work_left_ = kMaxFoldingWork;
  std::vector<GraphNode> left_;
};

}  // namespace

Status InferGraph(Graph& graph, NodeKernels& folder,
                  std::unique_ptr<DeferredSubgraph>* deferred) {
  Inferrer inferrer(graph, folder, deferred);
  MACE_RETURN_IF_ERROR(inferrer.CheckInputs());
  std::vector<GraphNode> nodes = std::move(graph.nodes);
  MACE_RETURN_IF_ERROR(inferrer.InferNodes(nodes));
  inferrer.Finish();
  return Status();
}

}  // namespace mace
