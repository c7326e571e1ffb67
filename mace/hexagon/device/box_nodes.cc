// Nodes that move boxes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/hexagon/device/box_nodes.h"

namespace mace::hexagon {

Status CheckScales(const Node& node) {
  for (const Operand& x : node.inputs) {
    if (!x.present() || !x.type.is_quantized()) continue;
    for (const TensorType& y : node.outputs) {
      if (AreEqual(x.type.quantization, y.quantization)) continue;
      return Unsupported(Label(node), ": the output has another scale");
    }
  }
  return Status();
}

Status AddMove(const Node& node, const MoveBox& box, const Target& target,
               size_t from, size_t to) {
  MACE_RETURN_IF_ERROR(CheckScales(node));
  MACE_ASSIGN_OR_RETURN(const MoveParams p, ToMove(node, box));
  if (target.writer == nullptr) return Status();
  target.writer->AddNode(kMove, {target.inputs[from], target.outputs[to]}, p);
  return Status();
}

Status AddDenseMove(const Node& node, const Shape& extents,
                    const std::vector<int64_t>& x_strides, int64_t x_offset,
                    const Target& target, size_t to) {
  return AddMove(node, {extents, x_strides, StridesOf(extents), x_offset, 0},
                 target, 0, to);
}

void AddFill(const Node& node, int32_t value, const Target& target) {
  if (target.writer == nullptr) return;
  const FillParams fill = {
      0, static_cast<int32_t>(NumElements(node.outputs[0].shape)), value};
  target.writer->AddNode(kFill, {target.output}, fill);
}

}  // namespace mace::hexagon
