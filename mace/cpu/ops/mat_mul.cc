// MatMul on the CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/mat_mul.h"

#include "mace/cpu/function_kernel.h"
#include "mace/cpu/kernel_table.h"
#include "mace/cpu/reference/mat_mul.h"
#include "mace/ops/common/broadcast.h"

namespace mace::cpu {
namespace {

// For each batch of the output, which batch of an operand it reads.
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

Result<KernelPtr> PrepareF32(const Node& node, CpuContext&) {
  MACE_ASSIGN_OR_RETURN(const MatMulAttrs attrs, ReadAttrs<MatMulAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const MatMulShapes s, ResolveMatMul(node, attrs));
  const bool transpose_a = attrs.transpose_a && node.inputs[0].type.rank() > 1;
  const bool transpose_b = attrs.transpose_b && node.inputs[1].type.rank() > 1;
  const std::vector<int64_t> batch_a = BatchIndex(s.batch, s.batch_a);
  const std::vector<int64_t> batch_b = BatchIndex(s.batch, s.batch_b);
  KernelFacts facts;
  facts.macs = NumElements(s.batch) * s.m * s.n * s.k;
  return MakeKernel(
      [=](const RunArgs& args) {
        for (size_t i = 0; i < batch_a.size(); ++i) {
          ConstMatrix a{args.inputs[0].as<const float>(), s.k, 1};
          ConstMatrix b{args.inputs[1].as<const float>(), s.n, 1};
          a.data += batch_a[i] * s.m * s.k;
          b.data += batch_b[i] * s.n * s.k;
          if (transpose_a) a = {a.data, 1, s.m};
          if (transpose_b) b = {b.data, 1, s.k};
          ReferenceMatMul(s.m, s.n, s.k, a, b, nullptr, {},
                          args.outputs[0].as<float>() + i * s.m * s.n);
        }
      },
      facts);
}

}  // namespace

CpuKernelDefs MatMul() { return {{DataType::kF32, PrepareF32}}; }

}  // namespace mace::cpu
