// Transpose, slices, pads and the like: boxes of bytes that move.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/box_nodes.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/ops/channel_shuffle.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/common/slice_spec.h"
#include "mace/ops/depth_to_space.h"
#include "mace/ops/pad.h"
#include "mace/ops/space_to_depth.h"
#include "mace/ops/split.h"
#include "mace/ops/stack.h"
#include "mace/ops/transpose.h"

namespace mace::hexagon {
namespace {

Status AddSlice(const Node& node, const SliceSpec& spec, const Target& target) {
  std::vector<int64_t> strides = StridesOf(node.inputs[0].type.shape);
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    offset += spec.starts[d] * strides[d];
    strides[d] *= spec.steps[d];
  }
  return AddDenseMove(node, spec.counts, strides, offset, target);
}

}  // namespace

Status TranslateTranspose(const Node& node, const Target& target,
                          int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const std::vector<int> dims, TransposeDims(node));
  const std::vector<int64_t> x = StridesOf(node.inputs[0].type.shape);
  std::vector<int64_t> strides;
  for (const int d : dims) strides.push_back(x[d]);
  return AddDenseMove(node, node.outputs[0].shape, strides, 0, target);
}

Status TranslateSlice(const Node& node, const Target& target,
                      int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const SliceSpec spec, SliceOf(node));
  return AddSlice(node, spec, target);
}

Status TranslateStridedSlice(const Node& node, const Target& target,
                             int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const SliceSpec spec, StridedSliceOf(node));
  return AddSlice(node, spec, target);
}

Status TranslateSplit(const Node& node, const Target& target,
                      int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<SplitAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  const std::vector<int64_t> strides = StridesOf(x);
  int64_t at = 0;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const Shape& y = node.outputs[i].shape;
    MACE_RETURN_IF_ERROR(
        AddDenseMove(node, y, strides, at * strides[axis], target, i));
    at += y[axis];
  }
  return Status();
}

Status TranslateStack(const Node& node, const Target& target,
                      int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<StackAttrs>(node));
  const TensorType& y = node.outputs[0];
  MACE_ASSIGN_OR_RETURN(const int axis,
                        ResolveAxis(node, attrs.axis, y.rank()));
  std::vector<int64_t> strides = StridesOf(y.shape);
  const int64_t step = strides[axis];
  strides.erase(strides.begin() + axis);
  const Shape& x = node.inputs[0].type.shape;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (!node.inputs[i].type.is_quantized()) {
      return Unsupported(Label(node), ": input ", i, " is not quantized");
    }
    const int64_t offset = static_cast<int64_t>(i) * step;
    MACE_RETURN_IF_ERROR(
        AddMove(node, {x, StridesOf(x), strides, 0, offset}, target, i));
  }
  return Status();
}

// x has [b, b, c] channels (DCR), or [c, b, b] (CRD).
Status TranslateDepthToSpace(const Node& node, const Target& target,
                             int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<DepthToSpaceAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  const int64_t b = attrs.block_size, c = node.outputs[0].shape[3];
  const bool dcr = attrs.mode == "DCR";
  const int64_t row = x[2] * x[3];
  return AddDenseMove(
      node, {x[0], x[1], b, x[2], b, c},
      {x[1] * row, row, dcr ? b * c : b, x[3], dcr ? c : 1, dcr ? 1 : b * b}, 0,
      target);
}

Status TranslateSpaceToDepth(const Node& node, const Target& target,
                             int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<SpaceToDepthAttrs>(node));
  const Shape& y = node.outputs[0].shape;
  const int64_t b = attrs.block_size, c = node.inputs[0].type.shape[3];
  const int64_t row = y[2] * b * c;
  return AddDenseMove(node, {y[0], y[1], y[2], b, b, c},
                      {y[1] * b * row, b * row, b * c, row, c, 1}, 0, target);
}

Status TranslateChannelShuffle(const Node& node, const Target& target,
                               int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ChannelShuffleAttrs>(node));
  const Shape& x = node.inputs[0].type.shape;
  const int64_t channels = x.back(), each = channels / attrs.group;
  return AddDenseMove(node, {NumElements(x) / channels, each, attrs.group},
                      {channels, 1, each}, 0, target);
}

// The output is filled, and the input, or what negative pads leave of it, moved
// to its middle.
Status TranslatePad(const Node& node, const Target& target, int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const PadSpec spec, PadOf(node));
  if (spec.mode != PadMode::kConstant) {
    return Unsupported(Label(node), ": the DSP pads with a constant");
  }
  const Shape& x = node.inputs[0].type.shape;
  const TensorType& y = node.outputs[0];
  MoveBox box = {{}, StridesOf(x), StridesOf(y.shape), 0, 0};
  bool is_empty = false;
  for (size_t d = 0; d < x.size(); ++d) {
    const int64_t before = spec.pads[2 * d], after = spec.pads[2 * d + 1];
    const int64_t skip = std::max<int64_t>(0, -before);
    box.extents.push_back(x[d] - skip - std::max<int64_t>(0, -after));
    box.x_offset += skip * box.x_strides[d];
    box.y_offset += std::max<int64_t>(0, before) * box.y_strides[d];
    is_empty = is_empty || box.extents.back() <= 0;
  }
  MACE_RETURN_IF_ERROR(CheckScales(node));
  const int32_t least = IsSigned(y) != 0 ? -128 : 0;
  const OutputRange all = {0, least, least + 255};
  AddFill(node, QuantizedValue(spec.constant_value, *y.quantization, all),
          target);
  return is_empty ? Status() : AddMove(node, box, target);
}

}  // namespace mace::hexagon
