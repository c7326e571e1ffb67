// LpNorm on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/lp_norm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

void NormalizeRow(const float* x, float* y, int64_t n, int64_t stride,
                  bool squares, float epsilon) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double v = x[i * stride];
    sum += squares ? v * v : std::fabs(v);
  }
  const float norm =
      std::max(static_cast<float>(squares ? std::sqrt(sum) : sum), epsilon);
  for (int64_t i = 0; i < n; ++i) {
    y[i * stride] = norm == 0 ? 0 : x[i * stride] / norm;
  }
}

Result<KernelPtr> PrepareF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LpNormAttrs attrs, ReadAttrs<LpNormAttrs>(node));
  const mace::Shape& x = node.inputs[0].type.shape;
  MACE_ASSIGN_OR_RETURN(
      const int axis,
      ResolveAxis(node, attrs.axis, static_cast<int>(x.size())));
  const int64_t n = x[axis];
  const int64_t outer = NumElements(mace::Shape(x.begin(), x.begin() + axis));
  const int64_t inner = NumElements(mace::Shape(x.begin() + axis + 1, x.end()));
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, outer, n, inner, squares = attrs.p == 2,
       epsilon = attrs.epsilon](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        float* to = args.outputs[0].as<float>();
        threads->ParallelFor(outer * inner, 16, [=](size_t begin, size_t end) {
          for (size_t r = begin; r < end; ++r) {
            const int64_t at = (r / inner) * n * inner + r % inner;
            NormalizeRow(from + at, to + at, n, inner, squares, epsilon);
          }
        });
      },
      facts);
}

}  // namespace

CpuKernelDefs LpNorm() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
