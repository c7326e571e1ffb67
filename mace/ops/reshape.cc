// Reshape: the same elements under another shape.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x      any type
//          shape  i32 or i64, optional; known before the model runs
// Outputs  y      as x, of the new shape
// Attrs    dim         the shape if it is not an input; -1 (once): the rest;
//                      0: the extent of x at this position
//          allow_zero  1: 0 means an extent of 0
// Errors   a shape that does not hold the elements of x
// Source   ONNX Reshape-14, TensorFlow tf.reshape

#include "mace/ops/reshape.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferReshape(Node& node) {
  MACE_ASSIGN_OR_RETURN(const ReshapeAttrs attrs,
                        ReadAttrs<ReshapeAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int64_t> dim,
                        IntsOf(node, 1, attrs.dim));
  const TensorType& x = node.inputs[0].type;
  const std::string want = StrCat("shape ", ListToString(dim));
  TensorType y = x;
  y.shape = dim;
  int hole = -1;
  Shape known;
  for (int d = 0; d < y.rank(); ++d) {
    if (dim[d] == 0 && !attrs.allow_zero) {
      if (d >= x.rank()) {
        return NodeError(node, want, " takes extent ", d, " from x ",
                         ToString(x), ", which has none");
      }
      y.shape[d] = x.shape[d];
    } else if (dim[d] == -1 && hole < 0) {
      hole = d;
      continue;
    } else if (dim[d] < 0) {
      return NodeError(node, want, " may hold one -1 and no other negative");
    }
    known.push_back(y.shape[d]);
  }
  const int64_t total = NumElements(x.shape);
  const auto rest = CheckedNumElements(known);
  const Status misfit = NodeError(node, want, " does not hold the ", total,
                                  " elements of x ", ToString(x));
  if (!rest.ok()) return misfit;
  if (hole >= 0) {
    if (*rest == 0 || total % *rest != 0) return misfit;
    y.shape[hole] = total / *rest;
  } else if (*rest != total) {
    return misfit;
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Reshape() {
  return Op{"Reshape", 1, 2, 1, InferReshape, AttrsOf<ReshapeAttrs>}
      .IsView()
      .Takes({AnyType(), Indices()})
      .Knows(1, "shape")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
