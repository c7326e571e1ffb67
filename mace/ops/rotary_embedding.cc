// RotaryEmbedding: turns pairs of elements (a, b) of each vector of each x by
// angles: (a cos - b sin, b cos + a sin).
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   cos   f32, broadcasts to [N, heads, S, size], or to
//                [N, heads, S, size / 2] with one number for each pair; the
//                last extent is one of these two
//          sin   f32, the same; its last extent is that of cos
//          x...  f32 [N, heads, S, D], or [N, S, heads * D]; each its own
// Outputs  y...  as each x
// Attrs    heads        for each x: 0 or what it has; required where it has
//                       three dimensions. Default []: 0 for each
//          size         how many elements of a vector are turned, the first
//                       ones; even, at most D; default 0: D
//          interleaved  0: a pair is elements i and i + size / 2; 1: elements
//                       2 i and 2 i + 1
// Errors   operands that do not fit together; a size that is odd or beyond D
// Source   Su et al. 2021, "RoFormer: Enhanced transformer with rotary position
//          embedding"; ONNX RotaryEmbedding-23

#include "mace/ops/rotary_embedding.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {

Result<RotaryEmbeddingShapes> ResolveRotaryEmbedding(
    const Node& node, const RotaryEmbeddingAttrs& attrs, size_t i) {
  const size_t count = node.inputs.size() - 2;
  if (!attrs.heads.empty() && attrs.heads.size() != count) {
    return NodeError(node, "heads ", ListToString(attrs.heads),
                     " must be one number for each of ", count, " tensors");
  }
  RotaryEmbeddingShapes s;
  const int64_t heads = attrs.heads.empty() ? 0 : attrs.heads[i - 2];
  MACE_ASSIGN_OR_RETURN(s.x, ResolveHeads(node, i, heads));
  s.size = attrs.size == 0 ? s.x.depth : attrs.size;
  if (s.size < 0 || s.size % 2 != 0 || s.size > s.x.depth) {
    return NodeError(node, "size ", s.size, " must be an even number of the ",
                     s.x.depth, " elements of each vector of input ", i);
  }
  for (const size_t k : {0, 1}) {
    const TensorType& type = node.inputs[k].type;
    const char* name = k == 0 ? "cos" : "sin";
    const int64_t last = type.rank() == 0 ? -1 : type.shape.back();
    const bool fits =
        k == 0 ? last == s.size || last == s.size / 2 : last == s.angles;
    if (!fits) {
      return NodeError(node, name, " ", ToString(type), " must end with ",
                       k == 0 ? s.size : s.angles,
                       k == 0 ? " or half of it" : ", as cos does");
    }
    s.angles = last;
    const Shape all = {s.x.batch, s.x.heads, s.x.rows, last};
    MACE_RETURN_IF_ERROR(
        ResolveStrides(node, k, name, all, k == 0 ? s.cos : s.sin));
  }
  return s;
}

namespace ops {
namespace {

Status InferRotaryEmbedding(Node& node) {
  MACE_ASSIGN_OR_RETURN(const RotaryEmbeddingAttrs attrs,
                        ReadAttrs<RotaryEmbeddingAttrs>(node));
  const size_t count = node.inputs.size() - 2;
  if (node.outputs.size() != count) {
    return NodeError(node, "has ", node.outputs.size(), " outputs, it must ",
                     "have one for each of ", count, " tensors");
  }
  for (size_t i = 0; i < count; ++i) {
    MACE_RETURN_IF_ERROR(ResolveRotaryEmbedding(node, attrs, i + 2).status());
    node.outputs[i] = node.inputs[i + 2].type;
  }
  return Status();
}

}  // namespace

Op RotaryEmbedding() {
  return Op{"RotaryEmbedding",
            3,
            kMany,
            kMany,
            InferRotaryEmbedding,
            AttrsOf<RotaryEmbeddingAttrs>}
      .Takes({Float32()});
}

}  // namespace ops
}  // namespace mace
