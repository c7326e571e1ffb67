// Reshape and its like, Concat, Transpose, Pad, DepthToSpace, SpaceToDepth,
// Resize and Reduce by operations that keep the range of their input.
// SPDX-License-Identifier: Apache-2.0
//
// Source: docs/ops.txt of nnlib.

#include <algorithm>
#include <cmath>

#include "mace/graph/attrs.h"
#include "mace/hexagon/nnlib/translate.h"
#include "mace/ops/concat.h"
#include "mace/ops/depth_to_space.h"
#include "mace/ops/pad.h"
#include "mace/ops/reduce.h"
#include "mace/ops/resize.h"
#include "mace/ops/space_to_depth.h"
#include "mace/ops/transpose.h"

namespace mace::hexagon::nnlib {
namespace {

// Adds `op` with the inputs x, `parameter`, min and max, if the node is to be
// added. Its output has the range of x, and gets that of the node.
Status AddMove(const Node& node, Op op, const std::vector<int32_t>& parameter,
               Target* target) {
  MACE_ASSIGN_OR_RETURN(const Shape4 shape,
                        ToShape4(node, node.outputs[0].shape));
  if (target->graph == nullptr) return Status();
  GraphBuilder* const graph = target->graph;
  const QuantTensor& x = target->inputs[0];
  const NnInput list = graph->Ints(parameter);
  const QuantTensor moved =
      graph->AddQuantized(op, {x.data, list, x.min, x.max}, shape);
  target->output =
      InRangeOf(node.inputs[0].type, node.outputs[0], moved, graph);
  return Status();
}

}  // namespace

Status TranslateReshape(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const Shape4 shape,
                        ToShape4(node, node.outputs[0].shape));
  if (target->graph == nullptr) return Status();
  const QuantTensor x = InRangeOf(node.inputs[0].type, node.outputs[0],
                                  target->inputs[0], target->graph);
  target->output = InShape(shape, x, target->graph);
  return Status();
}

// Depthwise only, as the documents say; all inputs in the range of the output,
// since the library takes the least and the greatest of theirs.
Status TranslateConcat(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ConcatAttrs>(node));
  const TensorType& y = node.outputs[0];
  const int64_t axis = attrs.axis < 0 ? attrs.axis + y.rank() : attrs.axis;
  if (axis != y.rank() - 1) {
    return Unsupported(Label(node), ": the vendor's library concatenates ",
                       "along the last axis");
  }
  MACE_ASSIGN_OR_RETURN(const Shape4 shape, ToShape4(node, y.shape));
  if (target->graph == nullptr) return Status();
  GraphBuilder* const graph = target->graph;
  const size_t n = node.inputs.size();
  std::vector<QuantTensor> parts;
  for (size_t i = 0; i < n; ++i) {
    parts.push_back(
        InRangeOf(node.inputs[i].type, y, target->inputs[i], graph));
  }
  std::vector<NnInput> inputs = {graph->Ints({3})};
  for (const QuantTensor& part : parts) inputs.push_back(part.data);
  for (const QuantTensor& part : parts) inputs.push_back(part.min);
  for (const QuantTensor& part : parts) inputs.push_back(part.max);
  target->output = graph->AddQuantized(kOpConcat, inputs, shape);
  return Status();
}

Status TranslateTranspose(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const std::vector<int> dims, TransposeDims(node));
  MACE_RETURN_IF_ERROR(ToShape4(node, node.outputs[0].shape).status());
  const auto missing = static_cast<int>(4 - dims.size());
  std::vector<int32_t> all;
  for (int i = 0; i < missing; ++i) all.push_back(i);
  for (const int d : dims) all.push_back(missing + d);
  return AddMove(node, kOpTranspose, all, target);
}

Status TranslatePad(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const PadSpec spec, PadOf(node));
  const TensorType& x = node.inputs[0].type;
  const Range range = RangeOf(x);
  if (spec.mode != PadMode::kConstant ||
      std::any_of(spec.pads.begin(), spec.pads.end(),
                  [](int64_t pad) { return pad < 0; }) ||
      !(spec.constant_value >= range.min) ||
      !(spec.constant_value <= range.max)) {
    return Unsupported(Label(node), ": the vendor's library pads with a ",
                       "constant in the range of the input, and cuts nothing ",
                       "off");
  }
  MACE_ASSIGN_OR_RETURN(const Shape4 shape,
                        ToShape4(node, node.outputs[0].shape));
  if (target->graph == nullptr) return Status();
  std::vector<int32_t> pads(2 * (4 - spec.pads.size() / 2), 0);
  for (const int64_t pad : spec.pads) pads.push_back(static_cast<int32_t>(pad));
  GraphBuilder* const graph = target->graph;
  const QuantTensor& in = target->inputs[0];
  const NnInput list =
      graph->Const({1, 1, 4, 2}, pads.data(), pads.size() * sizeof(int32_t));
  const NnInput value = graph->Scalar(spec.constant_value);
  const QuantTensor padded = graph->AddQuantized(
      kOpPad, {in.data, in.min, in.max, list, value}, shape);
  target->output = InRangeOf(x, node.outputs[0], padded, graph);
  return Status();
}

Status TranslateDepthToSpace(const Node& node, Target* target,
                             int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<DepthToSpaceAttrs>(node));
  if (attrs.mode != "DCR") {
    return Unsupported(Label(node), ": the vendor's library computes the mode ",
                       "DCR");
  }
  return AddMove(node, kOpDepthToSpace,
                 {static_cast<int32_t>(attrs.block_size)}, target);
}

Status TranslateSpaceToDepth(const Node& node, Target* target,
                             int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<SpaceToDepthAttrs>(node));
  return AddMove(node, kOpSpaceToDepth,
                 {static_cast<int32_t>(attrs.block_size)}, target);
}

// Position i of the output reads i * in / out of the input or, with
// ALIGN_CORNERS, i * (in - 1) / (out - 1).
Status TranslateResize(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ResizeAttrs>(node));
  const bool aligns = attrs.coordinate == "ALIGN_CORNERS";
  if (attrs.mode != "LINEAR" || attrs.size.size() != 2 ||
      (attrs.coordinate != "ASYMMETRIC" && !aligns)) {
    return Unsupported(Label(node), ": MACE uses the vendor's library for ",
                       "LINEAR to a given size with the coordinates ",
                       "ASYMMETRIC or ALIGN_CORNERS");
  }
  MACE_ASSIGN_OR_RETURN(const Shape4 shape,
                        ToShape4(node, node.outputs[0].shape));
  if (target->graph == nullptr) return Status();
  GraphBuilder* const graph = target->graph;
  const QuantTensor& x = target->inputs[0];
  const NnInput size = graph->Ints(
      {static_cast<int32_t>(shape.h), static_cast<int32_t>(shape.w)});
  const NnInput flag = graph->Ints({aligns ? 1 : 0});
  const QuantTensor resized = graph->AddQuantized(
      kOpResizeBilinear, {x.data, size, x.min, x.max, flag}, shape);
  target->output =
      InRangeOf(node.inputs[0].type, node.outputs[0], resized, graph);
  return Status();
}

// Axes are counted in four dimensions, and stay with an extent of 1.
Status TranslateReduce(const Node& node, Target* target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ReduceAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const ReduceKind kind, ReduceKindOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(const std::vector<int> axes, ReduceAxesOf(node, attrs));
  if (kind != ReduceKind::kMean || axes.empty()) {
    return Unsupported(Label(node), ": MACE uses the vendor's library for ",
                       "MEAN along axes");
  }
  const Shape& x_shape = node.inputs[0].type.shape;
  MACE_RETURN_IF_ERROR(ToShape4(node, x_shape).status());
  Shape kept = x_shape;
  const auto missing = static_cast<int32_t>(4 - kept.size());
  std::vector<int32_t> list;
  for (const int axis : axes) {
    kept[static_cast<size_t>(axis)] = 1;
    list.push_back(missing + axis);
  }
  MACE_ASSIGN_OR_RETURN(const Shape4 reduced, ToShape4(node, kept));
  MACE_ASSIGN_OR_RETURN(const Shape4 shape,
                        ToShape4(node, node.outputs[0].shape));
  if (target->graph == nullptr) return Status();
  GraphBuilder* const graph = target->graph;
  const QuantTensor& x = target->inputs[0];
  const std::vector<NnInput> range = RangeConsts(node.outputs[0], graph);
  const NnInput dims = graph->Ints(list);
  const QuantTensor mean = graph->AddQuantized(
      kOpMean, {x.data, x.min, x.max, dims, range[0], range[1]}, reduced);
  target->output = InShape(shape, mean, graph);
  return Status();
}

}  // namespace mace::hexagon::nnlib
