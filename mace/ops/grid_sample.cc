// GridSample: x at the positions that a grid holds, by interpolation.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x      f32 [N, d1, ..., dk, C], k from 1 to 3
//          grid   f32 [M, ..., k]: positions, the coordinate along dk first;
//                 [-1, 1] is the extent of an axis
//          image  i32 or i64 [M], optional: the image in which each row of
//                 grid looks; else M is N
// Outputs  y      f32 [M, ..., C]
// Attrs    mode     LINEAR (default), NEAREST (halves to even), CUBIC (with
//                   Keys' a = -0.75)
//          padding  what is outside: ZEROS (default), BORDER (the nearest
//                   element), REFLECTION
//          align_corners  0: -1 and 1 are the edges of the first and the last
//                   element; 1: their centres. REFLECTION is at these points
//          pixels   1: positions are those of elements, 0 is the first one
// Errors   shapes that do not fit; an x with an axis of extent 0; an unknown
//          name. An image out of range is an error when the model runs. A NaN
//          is a position before the first element
// Source   ONNX GridSample-20, Keys 1981, Jaderberg et al. 2015

#include "mace/ops/grid_sample.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr NamedValue<GridMode> kGridModes[] = {{"LINEAR", GridMode::kLinear},
                                               {"NEAREST", GridMode::kNearest},
                                               {"CUBIC", GridMode::kCubic}};

constexpr NamedValue<GridPadding> kPaddings[] = {
    {"ZEROS", GridPadding::kZeros},
    {"BORDER", GridPadding::kBorder},
    {"REFLECTION", GridPadding::kReflection}};

}  // namespace

Result<GridMode> GridModeOf(const Node& node, const GridSampleAttrs& attrs) {
  return ValueNamed(node, kGridModes, "mode", attrs.mode);
}

Result<GridPadding> GridPaddingOf(const Node& node,
                                  const GridSampleAttrs& attrs) {
  return ValueNamed(node, kPaddings, "padding", attrs.padding);
}

namespace ops {
namespace {

Status InferGridSample(Node& node) {
  MACE_ASSIGN_OR_RETURN(const GridSampleAttrs attrs,
                        ReadAttrs<GridSampleAttrs>(node));
  MACE_RETURN_IF_ERROR(GridModeOf(node, attrs).status());
  MACE_RETURN_IF_ERROR(GridPaddingOf(node, attrs).status());
  const TensorType& x = node.inputs[0].type;
  const TensorType& grid = node.inputs[1].type;
  const int axes = x.rank() - 2;
  if (axes < 1 || axes > 3) {
    return NodeError(node, "x ", ToString(x),
                     " must be [N, d1, ..., dk, C] with k from 1 to 3");
  }
  if (grid.rank() < 2 || grid.shape.back() != axes) {
    return NodeError(node, "grid ", ToString(grid), " must be [M, ..., ", axes,
                     "]");
  }
  if (node.has_input(2)) {
    MACE_RETURN_IF_ERROR(CheckVector(node, 2, grid.shape[0], "image"));
  } else if (grid.shape[0] != x.shape[0]) {
    return NodeError(node, "grid ", ToString(grid),
                     " must have one row for each image of x ", ToString(x));
  }
  Shape y(grid.shape.begin(), grid.shape.end() - 1);
  y.push_back(x.shape.back());
  if (!CheckedNumElements(y).ok()) {
    return NodeError(node, "the output ", ToString(y), " is too large");
  }
  for (int d = 1; d <= axes; ++d) {
    // A float does not distinguish the positions of more elements.
    if (x.shape[d] > (int64_t{1} << 24)) {
      return NodeError(node, "x ", ToString(x),
                       " has an axis longer than 2^24");
    }
    if (x.shape[d] == 0 && NumElements(y) > 0) {
      return NodeError(node, "x ", ToString(x), " has no elements to sample");
    }
  }
  node.outputs = {{x.dtype, std::move(y)}};
  return Status();
}

}  // namespace

Op GridSample() {
  return Op{"GridSample", 2, 3, 1, InferGridSample, AttrsOf<GridSampleAttrs>}
      .Choices("mode", NamesIn(kGridModes))
      .Choices("padding", NamesIn(kPaddings))
      .Takes({Float32(), AsInput(0), Indices()})
      .ReadsMany();
}

}  // namespace ops
}  // namespace mace
