// Shape: the extents of x, known before the model runs.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x  any type
// Outputs  y  i32 or i64 [n]
// Attrs    output_type  i64 (default) or i32
//          start, end   the axes [start, end), as a Python slice
// Errors   another output_type
// Source   ONNX Shape-15, TensorFlow tf.shape

#include "mace/ops/shape.h"

#include <algorithm>

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {

std::vector<int64_t> ShapeValues(const ShapeAttrs& attrs, const TensorType& x) {
  const int64_t rank = x.rank();
  const auto clamp = [rank](int64_t i) {
    if (i < 0) i += rank;
    return std::max<int64_t>(0, std::min(rank, i));
  };
  const int64_t start = clamp(attrs.start);
  const int64_t end = std::max(start, clamp(attrs.end));
  return {x.shape.begin() + start, x.shape.begin() + end};
}

namespace ops {
namespace {

Status InferShape(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ShapeAttrs attrs, ReadAttrs<ShapeAttrs>(node));
  TensorType y;
  MACE_ASSIGN_OR_RETURN(y.dtype,
                        ParseDataType(node, "output_type", attrs.output_type));
  const auto values = ShapeValues(attrs, node.inputs[0].type);
  for (int64_t v : values) {
    if (y.dtype == DataType::kI32 && v > INT32_MAX) {
      return NodeError(node, "extents of x ", ToString(node.inputs[0].type),
                       " do not fit into i32");
    }
  }
  y.shape = {static_cast<int64_t>(values.size())};
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Shape() {
  return Op{"Shape", 1, 1, 1, InferShape, AttrsOf<ShapeAttrs>}
      .Choices("output_type", Texts{"i64 i32"})
      .ReadsTypesOnly();
}

}  // namespace ops
}  // namespace mace
