// Unique: the different slices of a tensor along its first axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x        [N,...] of any type but f16 and bf16
// Outputs  first    i64 [N]: where each different slice first appears
//          inverse  i64 [N]: for each slice of x, which of them it equals
//          counts   i64 [N]: how often each of them appears
//          count    i64 [1]: how many they are; elements of `first` and
//                   `counts` from there on are 0
// Attrs    sorted   1 (default): in the order of their elements, the first one
//                   first; 0: in the order in which they first appear. NaN
//                   equals nothing and comes behind all numbers
// Errors   a scalar
// Source   ONNX Unique-11, TensorFlow tf.unique
//
// A Slice of `first` that ends at `count`, and a Gather by it, have just those
// that there are; a plan waits for it (docs/architecture.md).

#include "mace/ops/unique.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferUnique(Node& node) {
  MACE_RETURN_IF_ERROR(ReadAttrs<UniqueAttrs>(node).status());
  const TensorType& x = node.inputs[0].type;
  if (x.rank() == 0) {
    return NodeError(node, "x is a scalar; it must have an axis");
  }
  const TensorType list = {DataType::kI64, {x.shape[0]}};
  const size_t num_outputs = node.outputs.size();
  node.outputs = {list, list, list, {DataType::kI64, {1}}};
  node.outputs.resize(num_outputs);
  return Status();
}

}  // namespace

Op Unique() { return Op{"Unique", 1, 1, 4, InferUnique, AttrsOf<UniqueAttrs>}; }

}  // namespace mace::ops
