// MatMul of two activations.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/mat_mul.h"

#include "mace/graph/attrs.h"
#include "mace/hexagon/device/boxes.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"
#include "mace/hexagon/packing/filters.h"
#include "mace/hexagon/protocol/mat_mul_scratch.h"
#include "mace/ops/common/broadcast.h"

namespace mace::hexagon {
namespace {

constexpr size_t kBatchAxes = 3;  // of MatMulParams

// a [..., k, m] as [..., m, k], in an inner tensor. -1 without a writer.
Result<int> AddTransposed(const Node& node, const MatMulShapes& s,
                          const Target& target) {
  const int64_t count = NumElements(s.batch_a), matrix = s.m * s.k;
  const MoveBox box = {
      {count, s.m, s.k}, {matrix, 1, s.m}, {matrix, s.k, 1}, 0, 0};
  MACE_ASSIGN_OR_RETURN(const MoveParams move, ToMove(node, box));
  if (target.writer == nullptr) return -1;
  const int y = target.writer->AddInner(count * matrix);
  target.writer->AddNode(kMove, {target.inputs[0], y}, move);
  return y;
}

// Which matrix of each operand a product reads.
Status SetBatch(const Node& node, const MatMulShapes& s, MatMulParams* p) {
  const BroadcastPlan plan = PlanBroadcast(s.batch, {s.batch_a, s.batch_b});
  const size_t axes = plan.extents.size();
  if (axes > kBatchAxes) {
    return Unsupported(Label(node), ": the DSP repeats matrices along at most ",
                       kBatchAxes, " axes");
  }
  for (size_t i = 0; i < kBatchAxes; ++i) {
    p->batch[i] = 1;
    if (i + axes < kBatchAxes) continue;
    const size_t at = i + axes - kBatchAxes;
    p->batch[i] = static_cast<int32_t>(plan.extents[at]);
    p->a_strides[i] = static_cast<int32_t>(plan.strides[0][at]);
    p->b_strides[i] = static_cast<int32_t>(plan.strides[1][at]);
  }
  return Status();
}

}  // namespace

Status TranslateMatMul(const Node& node, const Target& target, int64_t* macs) {
  MACE_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadAttrs<MatMulAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const MatMulShapes s, ResolveMatMul(node, attrs));
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  MACE_RETURN_IF_ERROR(CheckQuantized(node, "input 1", b));
  const TensorType& y = node.outputs[0];
  constexpr int64_t kLimit = 1 << 24;
  if (a.dtype != b.dtype || s.m > kLimit || s.n > kLimit ||
      s.k > kMaxConvDepth - 8) {
    return Unsupported(Label(node), ": the DSP multiplies matrices of one type",
                       ", with rows of at most ", kMaxConvDepth - 8,
                       " elements");
  }
  const float product = a.quantization->scale() * b.quantization->scale();
  const int32_t least = IsSigned(y) != 0 ? -128 : 0;
  MatMulParams p = {};
  p.scale = ToFixed(double{product} / y.quantization->scale());
  if (!AreInRange({p.scale})) {
    return Unsupported(Label(node), ": the scales are too far apart");
  }
  MACE_RETURN_IF_ERROR(SetBatch(node, s, &p));
  *macs = SaturatedProduct({NumElements(s.batch), s.m, s.n, s.k});
  int from = target.writer == nullptr ? -1 : target.inputs[0];
  if (attrs.transpose_a && a.rank() > 1) {
    MACE_ASSIGN_OR_RETURN(from, AddTransposed(node, s, target));
  }
  if (target.writer == nullptr) return Status();
  p.m = static_cast<int32_t>(s.m);
  p.n = static_cast<int32_t>(s.n);
  p.k = static_cast<int32_t>(s.k);
  p.b_has_lines = attrs.transpose_b && b.rank() > 1 ? 1 : 0;
  p.a_zero_point = a.quantization->zero_point();
  p.b_zero_point = b.quantization->zero_point();
  p.is_signed = IsSigned(y);
  p.y = {y.quantization->zero_point(), least, least + 255};
  const MatMulScratch scratch(static_cast<int32_t>(AlignUp(s.k, 8)));
  const int space =
      target.writer->AddScratch(static_cast<int64_t>(scratch.bytes()));
  target.writer->AddNode(kMatMul,
                         {from, target.inputs[1], target.output, space}, p);
  return Status();
}

}  // namespace mace::hexagon
