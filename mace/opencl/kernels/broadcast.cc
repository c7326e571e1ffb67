// Aligning operands with the output.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/broadcast.h"

namespace mace::opencl {
namespace {

// Returns the shape, padded in front with 1 to the rank of `out`.
Shape Padded(Shape shape, const Shape& out) {
  shape.insert(shape.begin(), out.size() - shape.size(), 1);
  return shape;
}

}  // namespace

Extents4 BroadcastExtents(const Shape& shape, const Shape& out) {
  return AsNhwc(Padded(shape, out));
}

Status AddBroadcastImage(const Node& node, size_t i, const Target& target,
                         Pass& pass) {
  return AddBroadcastImage(node, i, node.outputs[0].shape, target, pass);
}

void AddBroadcastSteps(const Node& node, size_t i, Pass& pass) {
  AddBroadcastSteps(node.inputs[i], node.outputs[0].shape, pass);
}

Status AddBroadcastImage(const Node& node, size_t i, const Shape& out,
                         const Target& target, Pass& pass) {
  const Operand& operand = node.inputs[i];
  const Shape padded = Padded(operand.type.shape, out);
  const Extents4 e = AsNhwc(padded);
  // The axes before the last three are one axis of the image: either all of
  // them broadcast or none.
  for (size_t d = 0; d + 4 < out.size() + 1; ++d) {
    if (padded[d] != out[d] && e[0] != 1 && out.size() > 4) {
      return Unsupported(Label(node), ": the GPU does not broadcast ",
                         ToString(operand.type), " to ", ToString(out));
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

void AddBroadcastSteps(const Operand& operand, const Shape& out_shape,
                       Pass& pass) {
  const Extents4 e = BroadcastExtents(operand.type.shape, out_shape);
  const Extents4 out = AsNhwc(out_shape);
  const Extents4 own = AsNhwc(operand.type.shape);
  if (operand.data != nullptr || own == e) {
    AddBroadcastSteps(e, out, pass);
    return;
  }
  // The image of a tensor of lower rank has one row for each vector of
  // channels; the lines and pixels of the output are such rows.
  pass.Int(0, e[1] == 1 ? 0 : e[2], e[2] == 1 ? 0 : 1, 0,
           e[3] == 1 && out[3] != 1 ? -1 : 1);
}

void AddBroadcastSteps(const Extents4& e, const Extents4& out, Pass& pass) {
  // Rows between images, between lines and between pixels; columns between
  // pixels and between blocks. The last one is -1 if one channel serves all.
  pass.Int(e[0] == 1 ? 0 : e[1], e[1] == 1 ? 0 : 1, 0, e[2] == 1 ? 0 : 1,
           e[3] == 1 && out[3] != 1 ? -1 : e[2]);
}

}  // namespace mace::opencl
