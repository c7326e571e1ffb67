// UpdateKvCache: writes rows to a KV cache of fixed capacity, at a position
// that is read when the model runs.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   cache  f32 or f16 [N, heads, C, D], or i8 [N, heads, C, D + 4]: a
//                 row of int8 is D values and their scale, a float32 (4 bytes);
//                 element = scale * value, scale = largest magnitude / 127
//          rows   f32 [N, heads, S, D], or [N, S, heads * D]
//          position  i32 or i64, [1] or [N]: where the first of the rows goes
// Outputs  y      cache with the rows in place of its rows from position on
// Attrs    none
// Errors   operands that do not fit together. Rows that the cache has no
//          capacity for are an error when the model runs
// Source   ONNX TensorScatter-24. If the cache is a state whose next value is y
//          and nothing else reads the state, it is updated in place: a run that
//          fails may have written rows from position on (docs/engine.md)

#include "mace/ops/update_kv_cache.h"

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"

namespace mace {

Result<UpdateKvCacheShapes> ResolveUpdateKvCache(const Node& node) {
  UpdateKvCacheShapes s;
  const TensorType& cache = node.inputs[kKvCache].type;
  const TensorType& rows = node.inputs[kKvRows].type;
  const TensorType& position = node.inputs[kKvPosition].type;
  const int64_t scale = cache.dtype == DataType::kI8 ? kKvScaleBytes : 0;
  if (cache.rank() != 4 || cache.shape[3] < scale) {
    return NodeError(node, "cache ", ToString(cache),
                     " must be [batch, heads, capacity, depth",
                     scale == 0 ? "]" : " + 4]");
  }
  MACE_ASSIGN_OR_RETURN(s.cache, ResolveHeads(node, kKvCache, 0));
  s.cache.depth -= scale;
  MACE_ASSIGN_OR_RETURN(s.rows, ResolveHeads(node, kKvRows, s.cache.heads));
  if (s.rows.batch != s.cache.batch || s.rows.heads != s.cache.heads ||
      s.rows.depth != s.cache.depth || s.rows.rows > s.cache.rows) {
    return NodeError(node, "rows ", ToString(rows), " do not fit cache ",
                     ToString(cache));
  }
  const int64_t n = position.rank() == 1 ? position.shape[0] : -1;
  if (n != 1 && n != s.cache.batch) {
    return NodeError(node, "position ", ToString(position), " must have 1 or ",
                     s.cache.batch, " elements");
  }
  return s;
}

namespace ops {
namespace {

Status InferUpdateKvCache(Node& node) {
  MACE_RETURN_IF_ERROR(ResolveUpdateKvCache(node).status());
  node.outputs = {node.inputs[kKvCache].type};
  return Status();
}

}  // namespace

Op UpdateKvCache() {
  return Op{"UpdateKvCache", 3, 3, 1, InferUpdateKvCache, AttrsOf<NoAttrs>}
      .Takes({OneOf({DataType::kF32, DataType::kF16, DataType::kI8}), Float32(),
              Indices()});
}

}  // namespace ops
}  // namespace mace
