// Attention: y = softmax(scale q k' + mask) v for each head, where only the
// keys near a query count.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   q     f32 [N, heads, S, D], or [N, S, heads * D]
//          k     f32 [N, kv_heads, T, D], or [N, T, kv_heads * D]; or a KV
//                cache of f16 [N, kv_heads, T, D], or of i8
//                [N, kv_heads, T, D + 4]: rows of int8 with their scale, see
//                UpdateKvCache
//          v     as k, of the depth E
//          mask  f32, which is added, or bool, where 0 leaves a key out;
//                broadcasts to [N, heads, S, T]; optional
//          position  i32 or i64, [1] or [N]: query i is at key position + i;
//                keys from position + S on are not read, so that T is the
//                capacity of a cache. Read when the model runs; optional
//          slopes  f32 [heads]: ALiBi, the score of a key is lower by the slope
//                times how far it is before the query; optional
//          sinks   f32 [heads]: a score that takes part in the softmax, but has
//                no value; optional
// Outputs  y     f32 [N, heads, S, E], or [N, S, heads * E], as q is given. A
//                query without keys gives 0
// Attrs    heads, kv_heads: of operands with three dimensions; of four, 0 or
//              what they have. heads / kv_heads adjacent heads of q share one
//              of k and v
//          scale    default 0: 1 / sqrt(D)
//          softcap  c > 0: scores s become c tanh(s / c) before the mask
//          left_window, right_window: how many keys before and behind that of
//              a query count; -1 (default): all. right_window 0: causal
//          sink_keys  how many keys, the first ones, count although they are
//              before the window; default 0
//          at_end   0: query i is at key i; 1: at key i + T - S
//          keys     how many rows of k and v there are, the first ones: T is
//              this number; the others are not read. Default -1: all
// Errors   operands that do not fit together; kv_heads that do not divide
//          heads; a window below -1; keys beyond those of k or v, or below -1;
//          a scale or softcap that is no finite number; keys or at_end beside a
//          position. A position with rows that the cache does not have is an
//          error when the model runs
// Source   Vaswani et al. 2017; ONNX Attention-24; Rabe and Staats 2021,
//          "Self-attention does not need O(n^2) memory"; Press et al. 2022
//          (ALiBi); Xiao et al. 2024, "Efficient streaming language models with
//          attention sinks"; OpenAI 2025, gpt-oss (sinks)

#include "mace/ops/attention.h"

#include <algorithm>
#include <cmath>

#include "mace/ops/common/op.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/update_kv_cache.h"

namespace mace {
namespace {

Status CheckAttentionNumbers(const Node& node, const AttentionAttrs& a) {
  if (!std::isfinite(a.scale) || !std::isfinite(a.softcap) || a.softcap < 0) {
    return NodeError(node, "scale ", std::to_string(a.scale), " and softcap ",
                     std::to_string(a.softcap),
                     " must be finite numbers, the latter not negative");
  }
  if (a.sink_keys < 0) {
    return NodeError(node, "sink_keys ", a.sink_keys, " must not be negative");
  }
  if (a.heads < 0 || a.kv_heads < 0 || a.left_window < -1 ||
      a.right_window < -1) {
    return NodeError(node, "heads ", a.heads, ", kv_heads ", a.kv_heads,
                     ", left_window ", a.left_window, " and right_window ",
                     a.right_window,
                     ": the former must not be negative, the latter not below "
                     "-1");
  }
  return Status();
}

// Describes k or v.
Result<HeadsOf> ResolveKeys(const Node& node, size_t i, int64_t kv_heads,
                            int64_t split_heads) {
  const TensorType& type = node.inputs[i].type;
  MACE_ASSIGN_OR_RETURN(
      HeadsOf h,
      ResolveHeads(node, i, type.rank() == 3 ? split_heads : kv_heads));
  if (type.dtype != DataType::kI8) return h;
  if (type.rank() != 4 || h.depth < kKvScaleBytes) {
    return NodeError(node, "input ", i, " is ", ToString(type),
                     ", a KV cache of int8 must be [batch, heads, rows, depth "
                     "+ 4]");
  }
  h.depth -= kKvScaleBytes;
  return h;
}

// Checks the operands that are for decoding.
Status CheckDecoding(const Node& node, const AttentionAttrs& attrs,
                     const AttentionShapes& s) {
  if (node.has_input(kAttentionPosition)) {
    const TensorType& position = node.inputs[kAttentionPosition].type;
    const int64_t n = position.rank() == 1 ? position.shape[0] : -1;
    if (n != 1 && n != s.q.batch) {
      return NodeError(node, "position ", ToString(position),
                       " must have 1 or ", s.q.batch, " elements");
    }
    if (attrs.keys >= 0 || attrs.at_end) {
      return NodeError(node, "keys ", attrs.keys, " and at_end ",
                       int64_t{attrs.at_end},
                       " must not be given beside a position");
    }
  }
  const char* what = "one value per head";
  MACE_RETURN_IF_ERROR(CheckVector(node, kAttentionSlopes, s.q.heads, what));
  return CheckVector(node, kAttentionSinks, s.q.heads, what);
}

}  // namespace

Result<AttentionShapes> ResolveAttention(const Node& node,
                                         const AttentionAttrs& attrs) {
  MACE_RETURN_IF_ERROR(CheckAttentionNumbers(node, attrs));
  AttentionShapes s;
  const int64_t kv = attrs.kv_heads == 0 ? attrs.heads : attrs.kv_heads;
  MACE_ASSIGN_OR_RETURN(s.q, ResolveHeads(node, 0, attrs.heads));
  MACE_ASSIGN_OR_RETURN(s.k, ResolveKeys(node, 1, attrs.kv_heads, kv));
  MACE_ASSIGN_OR_RETURN(s.v, ResolveKeys(node, 2, attrs.kv_heads, kv));
  if (attrs.keys < -1 || attrs.keys > std::min(s.k.rows, s.v.rows)) {
    return NodeError(node, "keys ", attrs.keys,
                     " must be -1, or at most the rows of k ",
                     ToString(node.inputs[1].type), " and v ",
                     ToString(node.inputs[2].type));
  }
  if (attrs.keys >= 0) s.k.rows = s.v.rows = attrs.keys;
  const bool fit = s.k.batch == s.q.batch && s.v.batch == s.q.batch &&
                   s.k.heads == s.v.heads && s.k.rows == s.v.rows &&
                   s.k.depth == s.q.depth && s.k.heads > 0 &&
                   s.q.heads % s.k.heads == 0;
  if (!fit) {
    return NodeError(node, "q ", ToString(node.inputs[0].type), ", k ",
                     ToString(node.inputs[1].type), " and v ",
                     ToString(node.inputs[2].type), " with ", s.q.heads,
                     " and ", s.k.heads, " heads do not fit together");
  }
  s.y = s.q;
  s.y.depth = s.v.depth;
  const bool split = node.inputs[0].type.rank() == 4;
  MACE_ASSIGN_OR_RETURN(
      const int64_t wide,
      CheckedMul(node, s.y.heads, s.y.depth, "heads of the result"));
  s.y.row_stride = split ? s.y.depth : wide;
  MACE_ASSIGN_OR_RETURN(
      const int64_t part,
      CheckedMul(node, s.y.rows, s.y.depth, "rows of the result"));
  s.y.head_stride = split ? part : s.y.depth;
  MACE_ASSIGN_OR_RETURN(s.y.batch_stride,
                        CheckedMul(node, s.y.rows, wide, "the result"));
  MACE_RETURN_IF_ERROR(CheckDecoding(node, attrs, s));
  if (node.has_input(3)) {
    const Shape all = {s.q.batch, s.q.heads, s.q.rows, s.k.rows};
    MACE_RETURN_IF_ERROR(ResolveStrides(node, 3, "mask", all, s.mask));
  }
  return s;
}

namespace ops {
namespace {

Status InferAttention(Node& node) {
  MACE_ASSIGN_OR_RETURN(const AttentionAttrs attrs,
                        ReadAttrs<AttentionAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const AttentionShapes s, ResolveAttention(node, attrs));
  if (node.inputs[0].type.rank() == 4) {
    node.outputs = {
        {DataType::kF32, {s.y.batch, s.y.heads, s.y.rows, s.y.depth}}};
  } else {
    node.outputs = {{DataType::kF32, {s.y.batch, s.y.rows, s.y.row_stride}}};
  }
  return Status();
}

}  // namespace

Op Attention() {
  const InputType rows = OneOf({DataType::kF32, DataType::kF16, DataType::kI8});
  return Op{"Attention", 3, 7, 1, InferAttention, AttrsOf<AttentionAttrs>}
      .Takes({Float32(), rows, AsInput(1),
              OneOf({DataType::kF32, DataType::kBool}), Indices(), Float32()})
      .ReadsMany();
}

}  // namespace ops
}  // namespace mace
