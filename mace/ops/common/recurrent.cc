// Checks that the recurrent ops share.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/common/recurrent.h"

#include <cmath>

#include "mace/base/str_cat.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

// The activations that only recurrent ops have, and the parameters of any that
// has some, where a model does not give them (those of ONNX).
constexpr struct {
  const char* name;
  RecurrentKind kind;
  float alpha, beta;
} kParameters[] = {
    {"AFFINE", RecurrentKind::kAffine, 1, 0},
    {"SCALEDTANH", RecurrentKind::kScaledTanh, 1, 1},
    {"THRESHOLDEDRELU", RecurrentKind::kThresholdedRelu, 1, 0},
    {"LEAKYRELU", RecurrentKind::kActivation, 0.01f, 0},
    {"ELU", RecurrentKind::kActivation, 1, 0},
    {"HARDSIGMOID", RecurrentKind::kActivation, 0.2f, 0.5f},
    {"RELUX", RecurrentKind::kActivation, 6, 0},
    {"SWISH", RecurrentKind::kActivation, 1, 0},
};

Status CheckParameters(const Node& node, const char* attr,
                       const std::vector<float>& values, size_t count) {
  if (!values.empty() && values.size() != count) {
    return NodeError(node, attr, " has ", values.size(),
                     " entries, it must have one for each of the ", count,
                     " activations, or none");
  }
  for (const float value : values) {
    if (!std::isfinite(value)) {
      return NodeError(node, attr, " ", value, " must be finite");
    }
  }
  return Status();
}

Status CheckExtents(const Node& node, const RecurrentShape& s) {
  if (s.gates * s.hidden != node.inputs[kRecurrentW].type.shape[1]) {
    return NodeError(
        node, "input 1 (weights) is ", ToString(node.inputs[kRecurrentW].type),
        ", its extent 1 must be ", s.gates, " times the hidden size");
  }
  if (s.hidden == 0 || s.outputs == 0 || s.inputs == 0) {
    return NodeError(node, "an input of ", s.inputs, ", a hidden size of ",
                     s.hidden, " and a state of ", s.outputs,
                     " elements must all have elements");
  }
  return Status();
}

}  // namespace

Status CheckRecurrentInput(const Node& node, size_t i, const Shape& shape,
                           const char* what) {
  if (!node.has_input(i) || node.inputs[i].type.shape == shape) return Status();
  return NodeError(node, "input ", i, " is ", ToString(node.inputs[i].type),
                   ", it must be ", what, " = ", ToString(shape));
}

Status CheckRecurrentState(const Node& node, const RecurrentShape& s) {
  if (s.outputs == s.hidden) return Status();
  return NodeError(node, "input 2 (recurrent weights) is for a state of ",
                   s.outputs, " elements, input 1 (weights) for ", s.hidden,
                   "; they must agree");
}

Status CheckRecurrentBound(const Node& node, const char* attr, float value) {
  if (std::isfinite(value) && value >= 0) return Status();
  return NodeError(node, attr, " ", value,
                   " must be a number from 0 on; 0 stands for no bound");
}

Result<RecurrentShape> ResolveRecurrent(const Node& node,
                                        const RecurrentAttrs& attrs,
                                        int64_t gates) {
  MACE_RETURN_IF_ERROR(CheckRecurrentBound(node, "clip", attrs.clip));
  MACE_RETURN_IF_ERROR(CheckRank(
      node, kRecurrentX, 3,
      attrs.batch_major ? "[batch, steps, inputs]" : "[steps, batch, inputs]"));
  MACE_RETURN_IF_ERROR(
      CheckRank(node, kRecurrentW, 3, "[directions, gates * hidden, inputs]"));
  MACE_RETURN_IF_ERROR(
      CheckRank(node, kRecurrentR, 3, "[directions, gates * hidden, state]"));
  const Shape& x = node.inputs[kRecurrentX].type.shape;
  RecurrentShape s;
  s.steps = x[attrs.batch_major ? 1 : 0];
  s.batch = x[attrs.batch_major ? 0 : 1];
  s.inputs = x[2];
  s.directions = attrs.direction == "BIDIRECTIONAL" ? 2 : 1;
  s.gates = gates;
  const int64_t rows = node.inputs[kRecurrentW].type.shape[1];
  s.hidden = rows / gates;
  s.outputs = node.inputs[kRecurrentR].type.shape[2];
  MACE_RETURN_IF_ERROR(CheckExtents(node, s));
  MACE_RETURN_IF_ERROR(
      CheckRecurrentInput(node, kRecurrentW, {s.directions, rows, s.inputs},
                          "[directions, gates * hidden, inputs]"));
  MACE_RETURN_IF_ERROR(
      CheckRecurrentInput(node, kRecurrentR, {s.directions, rows, s.outputs},
                          "[directions, gates * hidden, state]"));
  MACE_ASSIGN_OR_RETURN(const int64_t both,
                        CheckedMul(node, 2, rows, "gates * hidden"));
  MACE_RETURN_IF_ERROR(CheckRecurrentInput(node, kRecurrentBias,
                                           {s.directions, both},
                                           "[directions, 2 * gates * hidden]"));
  MACE_RETURN_IF_ERROR(
      CheckVector(node, kRecurrentLens, s.batch, "one length per sequence"));
  MACE_RETURN_IF_ERROR(CheckRecurrentInput(
      node, kRecurrentH, RecurrentStateShape(s, attrs.batch_major, s.outputs),
      attrs.batch_major ? "[batch, directions, state]"
                        : "[directions, batch, state]"));
  // What the node computes at a time, all steps of all gates.
  MACE_RETURN_IF_ERROR(
      CheckedNumElements({s.steps, s.batch, s.directions, rows}).status());
  return s;
}

Shape RecurrentStateShape(const RecurrentShape& s, bool batch_major,
                          int64_t width) {
  if (batch_major) return {s.batch, s.directions, width};
  return {s.directions, s.batch, width};
}

void SetRecurrentOutputs(Node& node, const RecurrentShape& s, bool batch_major,
                         bool has_cells) {
  const DataType dtype = node.inputs[kRecurrentX].type.dtype;
  const size_t count = node.outputs.size();
  Shape y = {s.steps, s.directions, s.batch, s.outputs};
  if (batch_major) y = {s.batch, s.steps, s.directions, s.outputs};
  node.outputs = {{dtype, y},
                  {dtype, RecurrentStateShape(s, batch_major, s.outputs)}};
  if (has_cells) {
    node.outputs.push_back(
        {dtype, RecurrentStateShape(s, batch_major, s.hidden)});
  }
  node.outputs.resize(count);
}

Result<std::vector<RecurrentActivation>> ResolveRecurrentActivations(
    const Node& node, const RecurrentAttrs& attrs,
    const std::vector<std::string>& names) {
  const auto& alpha = attrs.activation_alpha;
  const auto& beta = attrs.activation_beta;
  MACE_RETURN_IF_ERROR(
      CheckParameters(node, "activation_alpha", alpha, names.size()));
  MACE_RETURN_IF_ERROR(
      CheckParameters(node, "activation_beta", beta, names.size()));
  std::vector<RecurrentActivation> result;
  for (size_t i = 0; i < names.size(); ++i) {
    RecurrentActivation f;
    for (const auto& row : kParameters) {
      if (names[i] != row.name) continue;
      f.kind = row.kind;
      f.alpha = row.alpha;
      f.beta = row.beta;
    }
    if (f.kind == RecurrentKind::kActivation) {
      ActivationAttrs activation;
      activation.activation = names[i];
      MACE_ASSIGN_OR_RETURN(f.activation, ParseActivation(node, activation));
    }
    if (!alpha.empty()) f.alpha = alpha[i];
    if (!beta.empty()) f.beta = beta[i];
    result.push_back(f);
  }
  return result;
}

std::vector<Choice> RecurrentActivationChoices() {
  std::vector<Choice> choices = ActivationChoices();
  for (const auto& row : kParameters) {
    if (row.kind == RecurrentKind::kActivation) continue;
    choices.push_back({row.name, std::string(row.name)});
  }
  return choices;
}

std::vector<Choice> RecurrentDirectionChoices() {
  return ChoicesOf(Texts{"FORWARD REVERSE BIDIRECTIONAL"});
}

}  // namespace mace
