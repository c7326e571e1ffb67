// Functions of quantized values: Activation by QuantizedClamp_8,
// QuantizedTanh_8 and QuantizedSigmoid_8, Softmax by QuantizedSoftmax_8,
// Quantize by Requantize_8to8.
// SPDX-License-Identifier: Apache-2.0
//
// Source: docs/ops.txt of nnlib, which fixes the ranges of the results of
// tanh, the logistic function and softmax.

#include "mace/graph/attrs.h"
#include "mace/hexagon/nnlib/translate.h"
#include "mace/ops/activation.h"
#include "mace/ops/softmax.h"

namespace mace::hexagon::nnlib {
namespace {

// `x`, an output of an operation with a fixed range, in that of the node.
void Finish(const Node& node, const QuantTensor& x, Target* target) {
  GraphBuilder* const graph = target->graph;
  const std::vector<NnInput> range = RangeConsts(node.outputs[0], graph);
  target->output = graph->AddQuantized(
      kOpRequantize8, {x.data, x.min, x.max, range[0], range[1]}, x.shape);
}

}  // namespace

Status TranslateActivation(const Node& node, Target* target,
                           int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ActivationOpAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ActivationKind kind,
                        ParseActivation(node, attrs));
  const bool is_curve =
      kind == ActivationKind::kTanh || kind == ActivationKind::kSigmoid;
  if (!is_curve) MACE_RETURN_IF_ERROR(LimitOf(node, attrs).status());
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.has_input(i)) continue;
    return Unsupported(Label(node), ": MACE uses the vendor's library for ",
                       "activations of one tensor");
  }
  if (target->graph == nullptr) return Status();
  GraphBuilder* const graph = target->graph;
  const QuantTensor& x = target->inputs[0];
  if (is_curve) {
    const Op op = kind == ActivationKind::kTanh ? kOpTanh : kOpSigmoid;
    Finish(node, graph->AddQuantized(op, {x.data, x.min, x.max}, x.shape),
           target);
    return Status();
  }
  const TensorType& y = node.outputs[0];
  const QuantTensor in_range = InRangeOf(node.inputs[0].type, y, x, graph);
  target->output = Limited(kind, attrs, y, in_range, graph);
  return Status();
}

Status TranslateSoftmax(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<SoftmaxAttrs>(node));
  const int rank = node.outputs[0].rank();
  if (attrs.use_log || rank == 0 ||
      (attrs.axis != -1 && attrs.axis != rank - 1)) {
    return Unsupported(Label(node), ": the vendor's library computes softmax ",
                       "along the last axis");
  }
  if (target->graph == nullptr) return Status();
  const QuantTensor& x = target->inputs[0];
  Finish(
      node,
      target->graph->AddQuantized(kOpSoftmax, {x.data, x.min, x.max}, x.shape),
      target);
  return Status();
}

Status TranslateRequantize(const Node& node, Target* target,
                           int64_t* /*macs*/) {
  if (target->graph == nullptr) return Status();
  target->output = InRangeOf(node.inputs[0].type, node.outputs[0],
                             target->inputs[0], target->graph);
  return Status();
}

}  // namespace mace::hexagon::nnlib
