// Lining operands up with the output.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/broadcast.h"

namespace mace::opencl {
namespace {

// The operand's shape with as many extents as the output's.
Shape Padded(const Node& node, size_t i) {
  Shape shape = node.inputs[i].type.shape;
  const size_t rank = node.outputs[0].shape.size();
  shape.insert(shape.begin(), rank - shape.size(), 1);
  return shape;
}

}  // namespace

Status AddBroadcastImage(const Node& node, size_t i, const Target& target,
                         Pass& pass) {
  const Operand& operand = node.inputs[i];
  const Shape& out = node.outputs[0].shape;
  const Shape padded = Padded(node, i);
  const Extents4 e = AsNhwc(padded);
  // Of more than four extents the outermost are one: all or none may repeat.
  for (size_t d = 0; d + 4 < out.size() + 1; ++d) {
    if (padded[d] != out[d] && e[0] != 1 && out.size() > 4) {
      return Unsupported(Label(node) + ": the GPU does not broadcast " +
                         ToString(operand.type) + " to " + ToString(out));
    }
  }
  if (operand.data != nullptr) {
    MACE_ASSIGN_OR_RETURN(
        ConstantPtr image,
        target.ConstantImage(ImageLayout::kChannelMajor, e, operand));
    pass.Constant(std::move(image));
    return Status();
  }
  pass.In(i);
  return Status();
}

void AddBroadcastSteps(const Node& node, size_t i, Pass& pass) {
  const Operand& operand = node.inputs[i];
  const Extents4 e = AsNhwc(Padded(node, i));
  const Extents4 out = AsNhwc(node.outputs[0].shape);
  const Extents4 own = AsNhwc(operand.type.shape);
  if (operand.data != nullptr || own == e) {
    AddBroadcastSteps(e, out, pass);
    return;
  }
  // The image of a tensor of lower rank, as it is: it has a row for each vector
  // of channels, and what the output calls lines and pixels are such rows.
  pass.Int(0, e[1] == 1 ? 0 : e[2], e[2] == 1 ? 0 : 1, 0,
           e[3] == 1 && out[3] != 1 ? -1 : 1);
}

void AddBroadcastSteps(const Extents4& e, const Extents4& out, Pass& pass) {
  // Rows from image to image, from line to line and from pixel to pixel,
  // columns from pixel to pixel and from block to block; the last below 0: one
  // channel for all.
  pass.Int(e[0] == 1 ? 0 : e[1], e[1] == 1 ? 0 : 1, 0, e[2] == 1 ? 0 : 1,
           e[3] == 1 && out[3] != 1 ? -1 : e[2]);
}

}  // namespace mace::opencl
