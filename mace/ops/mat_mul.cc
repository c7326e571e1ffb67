// MatMul: the matrix product over the last two dimensions, for each element of
// the leading ones.
// SPDX-License-Identifier: Apache-2.0
//
// Inputs   a  float, or quantized i8 or u8  [..., M, K], or [K], a row
//          b  as a  [..., K, N], or [K], a column
// Outputs  y  as a  [..., M, N], without M or N for a row or a column
// Attrs    transpose_a: a is [..., K, M]; transpose_b: b is [..., N, K]; of no
//          effect on an operand with one dimension
// Errors   a scalar operand; K differs; leading dimensions do not broadcast
// Source   numpy.matmul, TensorFlow tf.linalg.matmul

#include "mace/ops/mat_mul.h"

#include <utility>

#include "mace/ops/common/broadcast.h"
#include "mace/ops/common/op.h"
#include "mace/ops/common/quantized.h"

namespace mace {

Result<MatMulShapes> ResolveMatMul(const Node& node, const MatMulAttrs& attrs) {
  Shape a = node.inputs[0].type.shape;
  Shape b = node.inputs[1].type.shape;
  if (a.empty() || b.empty()) {
    return InvalidModel(Label(node), ": operands need a dimension, got a ",
                        ToString(a), " and b ", ToString(b));
  }
  const bool row = a.size() == 1, column = b.size() == 1;
  if (row) a.insert(a.begin(), 1);
  if (column) b.push_back(1);
  MatMulShapes s;
  s.m = a[a.size() - 2];
  s.k = a.back();
  if (attrs.transpose_a && !row) std::swap(s.m, s.k);
  int64_t b_k = b[b.size() - 2];
  s.n = b.back();
  if (attrs.transpose_b && !column) std::swap(b_k, s.n);
  if (b_k != s.k) {
    return InvalidModel(
        Label(node), ": a ", ToString(node.inputs[0].type.shape), " and b ",
        ToString(node.inputs[1].type.shape), " do not multiply: ", s.k,
        " columns against ", b_k, " rows");
  }
  s.batch_a.assign(a.begin(), a.end() - 2);
  s.batch_b.assign(b.begin(), b.end() - 2);
  MACE_ASSIGN_OR_RETURN(s.batch, BroadcastShapes(node, s.batch_a, s.batch_b));
  return s;
}

namespace ops {
namespace {

Status InferMatMul(Node& node) {
  MACE_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadAttrs<MatMulAttrs>(node));
  MACE_RETURN_IF_ERROR(CheckPair(node));
  const TensorType& a = node.inputs[0].type;
  const TensorType& b = node.inputs[1].type;
  MACE_ASSIGN_OR_RETURN(const MatMulShapes s, ResolveMatMul(node, attrs));
  Shape y = s.batch;
  if (a.rank() > 1) y.push_back(s.m);
  if (b.rank() > 1) y.push_back(s.n);
  node.outputs = {{a.dtype, y}};
  return Status();
}

}  // namespace

Op MatMul() {
  return Op{"MatMul", 2, 2, 1, InferMatMul, AttrsOf<MatMulAttrs>}
      .ReadsMany()
      .Takes({AnyType(), AsInput(0)})
      .WithQuantized(OnQuantized::kComputes);
}

}  // namespace ops
}  // namespace mace
