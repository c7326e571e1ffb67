// LpNorm on the CPU, over any axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/lp_norm.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/axis_lines.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_table.h"
#include "mace/cpu/ops/lp_norm_q8.h"

namespace mace::cpu {
namespace {

void NormalizeLpNormRow(const float* x, float* y, int64_t n, int64_t stride,
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

Result<KernelPtr> PrepareLpNormF32(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const LpNormAttrs attrs, ReadAttrs<LpNormAttrs>(node));
  MACE_ASSIGN_OR_RETURN(
      const AxisLines lines,
      LinesAlong(node, attrs.axis, node.inputs[0].type.shape));
  KernelFacts facts;
  facts.overlaps = {{0, 0}};
  return MakeKernel(
      [threads = context.threads, lines, squares = attrs.p == 2,
       epsilon = attrs.epsilon](const RunArgs& args) {
        const float* from = args.inputs[0].as<const float>();
        float* to = args.outputs[0].as<float>();
        threads->ParallelFor(lines.count(), 16, [=](size_t begin, size_t end) {
          for (size_t line = begin; line < end; ++line) {
            const int64_t at = lines.Start(line);
            NormalizeLpNormRow(from + at, to + at, lines.n, lines.inner,
                               squares, epsilon);
          }
        });
      },
      facts);
}

}  // namespace

CpuKernelDefs LpNorm() {
  return WithQ8({{DataType::kF32, PrepareLpNormF32}}, PrepareLpNormQ8);
}

}  // namespace mace::cpu
