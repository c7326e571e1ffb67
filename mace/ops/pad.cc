// Pad: x with elements added before and after, along every axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x     any type
//          pads  i32 or i64, optional; known before the model runs
// Outputs  y     as x, larger (or smaller where a padding is negative)
// Attrs    paddings  [before0, after0, before1, ...] if they are not an input
//          pad_type  CONSTANT, REFLECT (without the edge), SYMMETRIC (with
//                    it), EDGE (repeats it)
//          constant_value  default 0
// Errors   paddings of the wrong count, or beyond what the mode can mirror
// Source   ONNX Pad-13, TensorFlow tf.pad, TFLite MIRROR_PAD

#include "mace/ops/pad.h"

#include <algorithm>

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {
namespace {

constexpr NamedValue<PadMode> kPadModes[] = {
    {"CONSTANT", PadMode::kConstant},
    {"REFLECT", PadMode::kReflect},
    {"SYMMETRIC", PadMode::kSymmetric},
    {"EDGE", PadMode::kEdge},
};

// Returns how many elements the mode can add on one side of `extent`.
int64_t Reach(PadMode mode, int64_t extent) {
  switch (mode) {
    case PadMode::kConstant:
      return INT64_MAX;
    case PadMode::kEdge:
      return extent > 0 ? INT64_MAX : 0;
    case PadMode::kSymmetric:
      return extent;
    case PadMode::kReflect:
      return extent > 0 ? extent - 1 : 0;
  }
  return 0;
}

}  // namespace

Result<PadSpec> PadOf(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const PadAttrs attrs, ReadAttrs<PadAttrs>(node));
  PadSpec spec;
  spec.constant_value = attrs.constant_value;
  MACE_ASSIGN_OR_RETURN(
      spec.mode, ValueNamed(node, kPadModes, "pad_type", attrs.pad_type));
  MACE_ASSIGN_OR_RETURN(spec.pads, IntsOf(node, 1, attrs.paddings));
  const TensorType& x = node.inputs[0].type;
  if (spec.pads.size() != 2 * x.shape.size()) {
    return NodeError(node, "paddings ", ListToString(spec.pads),
                     " must hold two numbers for each axis of x ", ToString(x));
  }
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t before = spec.pads[2 * d], after = spec.pads[2 * d + 1];
    const int64_t extent = x.shape[d], reach = Reach(spec.mode, extent);
    // A larger padding makes a shape that no memory can hold.
    constexpr int64_t kMax = int64_t{1} << 58;
    const int64_t most = std::min(reach, kMax);
    if (before > most || after > most || before < -extent || after < -extent ||
        std::min<int64_t>(before, 0) + std::min<int64_t>(after, 0) < -extent) {
      return NodeError(node, "paddings ", before, " and ", after, " of axis ",
                       d, " are out of range for x ", ToString(x), " with ",
                       attrs.pad_type);
    }
  }
  return spec;
}

namespace ops {
namespace {

Status InferPad(Node& node) {
  MACE_ASSIGN_OR_RETURN(const PadSpec spec, PadOf(node));
  TensorType y = node.inputs[0].type;
  for (int d = 0; d < y.rank(); ++d) {
    y.shape[d] += spec.pads[2 * d] + spec.pads[2 * d + 1];
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Pad() {
  return Op{"Pad", 1, 2, 1, InferPad, AttrsOf<PadAttrs>}
      .Choices("pad_type", NamesIn(kPadModes))
      .Takes({AnyType(), Indices()})
      .Knows(1, "pads")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace ops
}  // namespace mace
