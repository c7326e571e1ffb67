// MatMul on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/mat_mul.h"

#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/conv/mat_mul_kernel.h"
#include "mace/cpu/gemm/gemm_pack.h"

namespace mace::cpu {
namespace {

// Returns, for each batch of the output, which batch of an operand it reads.
std::vector<int64_t> BatchIndex(const Shape& out, const Shape& operand) {
  std::vector<int64_t> index(NumElements(out));
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t rest = static_cast<int64_t>(i), at = 0, step = 1;
    for (size_t d = out.size(), e = operand.size(); e > 0; --d, --e) {
      const int64_t extent = operand[e - 1];
      at += extent == 1 ? 0 : rest % out[d - 1] * step;
      rest /= out[d - 1];
      step *= extent;
    }
    index[i] = at;
  }
  return index;
}

using PrepareSpec = Result<KernelPtr>(const Node& node, const MatMulSpec& spec,
                                      CpuContext& context);

template <PrepareSpec* prepare>
Result<KernelPtr> PrepareMatMulNode(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadAttrs<MatMulAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const MatMulShapes s, ResolveMatMul(node, attrs));
  MatMulSpec spec;
  spec.m = s.m;
  spec.n = s.n;
  spec.k = s.k;
  spec.transpose_a = attrs.transpose_a && node.inputs[0].type.rank() > 1;
  spec.transpose_b = attrs.transpose_b && node.inputs[1].type.rank() > 1;
  spec.num_a = NumElements(s.batch_a);
  spec.num_b = NumElements(s.batch_b);
  if (spec.num_b == 1 && !spec.transpose_a && spec.num_a > 1) {
    // With a single matrix b, the rows of all matrices a form one tall matrix.
    spec.m *= spec.num_a;
    spec.num_a = 1;
    return prepare(node, spec, context);
  }
  const int64_t products = NumElements(s.batch);
  for (int64_t matrices : {spec.num_b, products}) {
    MACE_RETURN_IF_ERROR(
        CheckTable(node, "matrices", {matrices}, sizeof(GemmB)));
  }
  spec.batch_a = BatchIndex(s.batch, s.batch_a);
  spec.batch_b = BatchIndex(s.batch, s.batch_b);
  return prepare(node, spec, context);
}

}  // namespace

CpuKernelDefs MatMul() {
  return WithQ8({{DataType::kF32, PrepareMatMulNode<PrepareMatMul>, 1}},
                PrepareMatMulNode<PrepareMatMulQ8>);
}

}  // namespace mace::cpu
