// NonZero: where the elements are that are not 0.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x        any type but f16 and bf16
// Outputs  indices  i64 [rank,N]: a column for each such element, in row-major
//                   order; N is the number of all elements. Columns from
//                   `count` on are 0
//          count    i64 [1]: how many there are
// Attrs    none
// Errors   a scalar
// Source   ONNX NonZero-13, TensorFlow tf.where
//
// A Slice that ends at `count` has just those that there are; a plan waits for
// it (docs/architecture.md).

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferNonZero(Node& node) {
  MACE_RETURN_IF_ERROR(ReadAttrs<NoAttrs>(node).status());
  const TensorType& x = node.inputs[0].type;
  if (x.rank() == 0) {
    return NodeError(node, "x is a scalar; it must have an axis");
  }
  const size_t num_outputs = node.outputs.size();
  node.outputs = {{DataType::kI64, {x.rank(), NumElements(x.shape)}},
                  {DataType::kI64, {1}}};
  node.outputs.resize(num_outputs);
  return Status();
}

}  // namespace

Op NonZero() { return Op{"NonZero", 1, 1, 2, InferNonZero, AttrsOf<NoAttrs>}; }

}  // namespace mace::ops
