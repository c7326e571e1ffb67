// Running both nodes on every code.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_lut.h"

#include <array>
#include <cstdint>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/base/cpu_rows.h"
#include "mace/base/search.h"
#include "mace/cpu/fused/prepare.h"
#include "mace/cpu/quantized/lut_q8.h"

namespace mace::cpu {
namespace {

using Quantized = std::array<uint8_t, 256>;

bool IsQuantized8(const TensorType& type, const Shape& shape) {
  return type.is_quantized() && type.shape == shape &&
         (type.dtype == DataType::kI8 || type.dtype == DataType::kU8);
}

bool MatchesFusedLut(const std::vector<FusedNode>& chain) {
  if (chain.size() != 2 || chain[0].node->op != "Activation" ||
      chain[1].node->op != "Eltwise" || chain[1].same < 0) {
    return false;
  }
  const Node &activation = *chain[0].node, &with = *chain[1].node;
  const Shape& shape = activation.outputs[0].shape;
  const auto is_quantized = [&shape](const Operand& x) {
    return IsQuantized8(x.type, shape);
  };
  return activation.inputs.size() == 1 && with.inputs.size() == 2 &&
         AllOf(activation.inputs, is_quantized) &&
         AllOf(with.inputs, is_quantized) &&
         IsQuantized8(with.outputs[0], shape);
}

// Runs a node of which each operand is 256 values.
Status RunOnValues(Node node, CpuContext& context,
                   const std::vector<const Quantized*>& inputs,
                   Quantized* output) {
  for (Operand& x : node.inputs) x.type.shape = {256};
  node.outputs[0].shape = {256};
  MACE_ASSIGN_OR_RETURN(const KernelPtr kernel, PrepareNode(node, context));
  std::vector<char> scratch(
      static_cast<size_t>(kernel->scratch_bytes() + kAlignment));
  RunArgs args;
  for (const Quantized* x : inputs) {
    args.inputs.push_back({const_cast<uint8_t*>(x->data())});
  }
  args.outputs.push_back({output->data()});
  const auto at = reinterpret_cast<uintptr_t>(scratch.data());
  args.scratch = {reinterpret_cast<void*>(AlignUp(at, kAlignment))};
  return kernel->Run(args);
}

}  // namespace

Result<KernelPtr> PrepareFusedLut(const std::vector<FusedNode>& chain,
                                  CpuContext& context) {
  if (!kHas8BitKernels || context.reference || !MatchesFusedLut(chain)) {
    return Unsupported("only functions of one value can be looked up");
  }
  Quantized quantized, activated, table;
  for (size_t i = 0; i < quantized.size(); ++i) {
    quantized[i] = static_cast<uint8_t>(i);
  }
  MACE_RETURN_IF_ERROR(
      RunOnValues(*chain[0].node, context, {&quantized}, &activated));
  std::vector<const Quantized*> operands(2, &quantized);
  operands[static_cast<size_t>(chain[1].previous)] = &activated;
  MACE_RETURN_IF_ERROR(RunOnValues(*chain[1].node, context, operands, &table));
  return MakeLut(*chain[1].node, context, table);
}

}  // namespace mace::cpu
