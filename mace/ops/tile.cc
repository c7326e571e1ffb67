// Tile: x repeated along each axis.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   x        any type
//          repeats  i32 or i64, optional; known before the model runs
// Outputs  y        as x, each extent times its repeats
// Attrs    repeats  if they are not an input
// Errors   not one repeat per axis; a negative one
// Source   ONNX Tile-13, TensorFlow tf.tile

#include "mace/ops/tile.h"

#include "mace/base/str_cat.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace::ops {
namespace {

Status InferTile(Node& node) {
  MACE_ASSIGN_OR_RETURN(const TileAttrs attrs, ReadAttrs<TileAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const std::vector<int64_t> repeats,
                        IntsOf(node, 1, attrs.repeats));
  TensorType y = node.inputs[0].type;
  bool fits = repeats.size() == y.shape.size();
  for (int64_t r : repeats) fits = fits && r >= 0;
  if (!fits) {
    return NodeError(node, "repeats ", ListToString(repeats),
                     " must hold a number, 0 or larger, for each "
                     "axis of x ",
                     ToString(y));
  }
  for (int d = 0; d < y.rank(); ++d) {
    MACE_ASSIGN_OR_RETURN(y.shape[d],
                          CheckedMul(node, y.shape[d], repeats[d], "extent"));
  }
  node.outputs = {y};
  return Status();
}

}  // namespace

Op Tile() {
  return Op{"Tile", 1, 2, 1, InferTile, AttrsOf<TileAttrs>}
      .Takes({AnyType(), Indices()})
      .Knows(1, "repeats")
      .WithQuantized(OnQuantized::kMoves);
}

}  // namespace mace::ops
