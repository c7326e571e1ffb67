// Concat and Reshape: runs of bytes that move.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/translate.h"
#include "mace/ops/concat.h"

namespace mace::hexagon {
namespace {

// `count` runs, `x_step` and `y_step` bytes from start to start.
MoveParams Runs(int64_t count, int64_t run, int64_t x_step, int64_t y_offset,
                int64_t y_step) {
  MoveParams p = {};
  for (int32_t& extent : p.extents) extent = 1;
  p.extents[4] = static_cast<int32_t>(count);
  p.run = static_cast<int32_t>(run);
  p.x_strides[4] = static_cast<int32_t>(x_step);
  p.y_offset = static_cast<int32_t>(y_offset);
  p.y_strides[4] = static_cast<int32_t>(y_step);
  return p;
}

}  // namespace

Status TranslateReshape(const Node& node, const Target& target,
                        int64_t* /*macs*/) {
  if (!AreEqual(node.inputs[0].type.quantization,
                node.outputs[0].quantization)) {
    return Unsupported(Label(node), ": the output has another scale");
  }
  if (target.writer == nullptr) return Status();
  const int64_t bytes = NumElements(node.outputs[0].shape);
  target.writer->AddNode(kMove, {target.inputs[0], target.output},
                         Runs(1, bytes, 0, 0, 0));
  return Status();
}

Status TranslateConcat(const Node& node, const Target& target,
                       int64_t* /*macs*/) {
  MACE_ASSIGN_OR_RETURN(const auto attrs, ReadAttrs<ConcatAttrs>(node));
  const TensorType& y = node.outputs[0];
  const int64_t axis = attrs.axis < 0 ? attrs.axis + y.rank() : attrs.axis;
  for (const Operand& x : node.inputs) {
    if (x.type.dtype != y.dtype ||
        !AreEqual(x.type.quantization, y.quantization) ||
        NumElements(x.type.shape) == 0) {
      return Unsupported(Label(node), ": all inputs must be quantized as the ",
                         "output, and have elements");
    }
  }
  if (target.writer == nullptr) return Status();
  int64_t outer = 1;
  for (int64_t i = 0; i < axis; ++i) outer *= y.shape[i];
  const int64_t y_step = NumElements(y.shape) / outer;
  int64_t offset = 0;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const int64_t run = NumElements(node.inputs[i].type.shape) / outer;
    target.writer->AddNode(kMove, {target.inputs[i], target.output},
                           Runs(outer, run, run, offset, y_step));
    offset += run;
  }
  return Status();
}

}  // namespace mace::hexagon
