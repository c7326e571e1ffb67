// Looking up the CPU kernel of a node by op and type.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/prepare.h"

#include "mace/base/cpu_rows.h"
#include "mace/base/search.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/fused/chain_table.h"
#include "mace/graph/stored_weight.h"
#include "mace/ops/common/op.h"

namespace mace::cpu {
namespace {

// The kernel of a node whose outputs have no elements. Other kernels divide
// their work into blocks and may rely on there being some.
class NothingToCompute final : public Kernel {
 public:
  std::string variant() const override { return "nothing"; }
  Status Run(const RunArgs&) override { return Status(); }
};

bool HasNoElements(const Node& node) {
  return AllOf(node.outputs, [](const TensorType& type) {
    return NumElements(type.shape) == 0;
  });
}

// Returns whether the kernel is the one for input 0 of the node if that is
// quantized; if the result is not whether it is, another kernel is.
bool TakesQuantized(const Node& node, const CpuKernelDef& def) {
  if (def.is_quantized) return true;
  const Op* op = FindOp(node.op);  // null for converts
  return op != nullptr && op->on_quantized == OnQuantized::kMoves &&
         !node.inputs.empty() && node.inputs[0].type.is_quantized();
}

// Weights of 16 bits, and quantized values, would be widened without a word and
// run at the speed of float32.
Status CheckStoredTypes(const Node& node) {
  if (kHas16BitKernels && kHas8BitKernels) return Status();
  for (const Operand& operand : node.inputs) {
    if (!kHas8BitKernels && IsStoredQuantized(operand.stored)) {
      return Unsupported(Label(node),
                         ": its weights are quantized, and this library "
                         "was built without kernels for these: name the model "
                         "in the deployment file, or write "
                         "'extra_data_types: [int8]' there (with CMake alone: "
                         "-DMACE_8BIT=ON)");
    }
    if (kHas16BitKernels) continue;
    if (operand.stored == DataType::kF16 || operand.stored == DataType::kBF16) {
      return Unsupported(Label(node), ": its weights are stored as ",
                         Name(operand.stored),
                         ", and this library was built without kernels for 16 "
                         "bits: name the model in the deployment file, or "
                         "write 'extra_data_types: [fp16]' there (with CMake "
                         "alone: -DMACE_16BIT=ON)");
    }
  }
  return Status();
}

}  // namespace

const CpuKernelDefs* FindKernelDefs(const std::string& op) {
  static auto* table =
      new LazyTable<CpuKernelDefs>(kCpuKernels, kNumCpuKernels);
  return table->Find(op);
}

Result<KernelPtr> PrepareNode(const Node& node, CpuContext& context) {
  const CpuKernelDefs* defs = FindKernelDefs(node.op);
  if (defs == nullptr) {
    return Unsupported(Label(node), ": the CPU of this build has no kernel");
  }
  const DataType dtype =
      node.inputs.empty() ? node.outputs[0].dtype : node.inputs[0].type.dtype;
  MACE_RETURN_IF_ERROR(CheckStoredTypes(node));
  std::string supported;
  const bool is_quantized =
      !node.inputs.empty() && node.inputs[0].type.is_quantized();
  for (const CpuKernelDef& def : *defs) {
    if (def.dtype == dtype && TakesQuantized(node, def) == is_quantized) {
      if (HasNoElements(node)) return KernelPtr(new NothingToCompute);
      return def.prepare(node, context);
    }
    supported += StrCat(supported.empty() ? "" : ", ",
                        def.is_quantized ? "quantized " : "", Name(def.dtype));
  }
  if (is_quantized && !kHas8BitKernels) {
    return Unsupported(Label(node),
                       ": it is quantized, and this library was built without "
                       "kernels for 8 bits: name the model in the deployment "
                       "file, or write 'extra_data_types: [int8]' there (with "
                       "CMake alone: -DMACE_8BIT=ON)");
  }
  return Unsupported(Label(node), ": no CPU kernel for ",
                     is_quantized ? "quantized " : "", Name(dtype),
                     "; there is one for ", supported);
}

Result<KernelPtr> PrepareLinks(const std::vector<FusedNode>& links,
                               CpuContext& context) {
  if (links.size() == 1) return PrepareNode(*links[0].node, context);
  for (const FusedNode& link : links) {
    if (HasNoElements(*link.node)) {
      return Unsupported(Label(*link.node),
                         ": its output has no elements, so it is not fused");
    }
  }
  const Node& first = *links[0].node;
  for (int i = 0; i < kNumCpuChains; ++i) {
    if (first.op == kCpuChains[i].op) {
      return kCpuChains[i].chain()(links, context);
    }
  }
  // The plan asks this of most nodes: the message is a short one.
  return Unsupported("no chain begins with ", first.op);
}

}  // namespace mace::cpu
