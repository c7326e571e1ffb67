// Matrix products: with packed b, or without packing for a single row of a.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/mat_mul_kernel.h"

#include <algorithm>
#include <utility>

#include "mace/base/str_cat.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/kernel_inputs.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/reference/mat_mul.h"
#include "mace/cpu/ukernels/gemv/gemv_table.h"
#include "mace/device/widen_weights.h"

namespace mace::cpu {
namespace {

// Returns how many rows of b, of length `k`, a task multiplies.
int64_t GemvTile(int64_t k) { return std::max<int64_t>(32768 / k, 1) * 4; }

KernelPtr MakeReference(const MatMulSpec& s) {
  return MakeKernel([s](const RunArgs& args) {
    float* y = args.outputs[0].as<float>();
    for (size_t i = 0; i < s.batch_a.size(); ++i, y += s.m * s.n) {
      const float* a =
          args.inputs[0].as<const float>() + s.batch_a[i] * s.m * s.k;
      const float* b =
          args.inputs[1].as<const float>() + s.batch_b[i] * s.n * s.k;
      ReferenceMatMul(
          s.m, s.n, s.k,
          s.transpose_a ? ConstMatrix{a, 1, s.m} : ConstMatrix{a, s.k, 1},
          s.transpose_b ? ConstMatrix{b, 1, s.k} : ConstMatrix{b, s.n, 1},
          BiasF32(args), s.activation, y);
    }
  });
}

// Makes the kernel for a single row of a, and b stored by columns; it packs
// nothing.
Result<KernelPtr> MakeGemv(const Node& node, const MatMulSpec& s,
                           const CpuContext& context) {
  const Operand& matrix = node.inputs[1];
  std::shared_ptr<const void>
      floats;  // b as floats if stored in another type, else null
  if (matrix.stored != DataType::kInvalid) {
    MACE_ASSIGN_OR_RETURN(floats, KeptFloats(matrix, context.packed));
  }
  const GemvF32& micro = ChooseRow(kGemvF32, context.features);
  const Activator activator(s.activation, context.features);
  ThreadPool* threads = context.threads;
  KernelProperties properties;
  properties.variant = micro.name;
  const auto run = [s, threads, activator, floats,
                    fn = micro.fn](const RunArgs& args) {
    const float* matrices = floats != nullptr
                                ? static_cast<const float*>(floats.get())
                                : args.inputs[1].as<const float>();
    for (size_t i = 0; i < s.batch_a.size(); ++i) {
      const float* a = args.inputs[0].as<const float>() + s.batch_a[i] * s.k;
      const float* b = matrices + s.batch_b[i] * s.n * s.k;
      float* y = args.outputs[0].as<float>() + i * s.n;
      const float* bias = BiasF32(args);
      threads->ParallelFor(s.n, GemvTile(s.k), [&](size_t begin, size_t end) {
        fn({end - begin, static_cast<size_t>(s.k), b + begin * s.k, a,
            bias != nullptr ? bias + begin : nullptr, y + begin,
            s.activation.lower(), s.activation.upper()});
        if (!s.activation.is_clamp()) {
          activator.Apply(y + begin, end - begin, y + begin);
        }
      });
    }
  };
  properties.macs =
      SaturatedProduct({s.n, s.k, static_cast<int64_t>(s.batch_a.size())});
  return MakeKernel(run, properties);
}

// to[i][j] = from[j][i]; `to` is [rows, columns].
void Transpose(const float* from, int64_t rows, int64_t columns, float* to) {
  constexpr int64_t kBlock = 16;
  for (int64_t i0 = 0; i0 < rows; i0 += kBlock) {
    const int64_t i1 = std::min(i0 + kBlock, rows);
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = i0; i < i1; ++i) {
        to[i * columns + j] = from[j * rows + i];
      }
    }
  }
}

struct MatMulKernel final : Kernel {
  MatMulKernel(const MatMulSpec& spec_in, PackedB b_in, ConvGemm gemm_in,
               ThreadPool* threads_in)
      : spec(spec_in),
        packed_b(std::move(b_in)),
        gemm(std::move(gemm_in)),
        threads(threads_in) {}

  int64_t transpose_bytes() const {
    if (!spec.transpose_a) return 0;
    return AlignUp(
        spec.num_a * spec.m * spec.k * static_cast<int64_t>(sizeof(float)),
        kAlignment);
  }
  int64_t scratch_bytes() const override {
    return packed_b.scratch_bytes() + transpose_bytes() + gemm.scratch_bytes();
  }
  int64_t macs() const override {
    return SaturatedProduct(
        {spec.m, spec.n, spec.k, static_cast<int64_t>(spec.batch_a.size())});
  }
  std::string variant() const override { return gemm.variant(); }

  Status Run(const RunArgs& args) override {
    char* scratch = args.scratch.as<char>();
    const float* a = args.inputs[0].as<const float>();
    const void* b = packed_b.Get(args.inputs[1].as<const float>(), scratch);
    scratch += packed_b.scratch_bytes();
    if (spec.transpose_a) {
      auto* rows = reinterpret_cast<float*>(scratch);
      const int64_t size = spec.m * spec.k;
      threads->ParallelFor(spec.num_a, 1, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
          Transpose(a + i * size, spec.m, spec.k, rows + i * size);
        }
      });
      a = rows;
    }
    gemm.Run(threads, {a, b, BiasF32(args), args.outputs[0].as<float>()},
             scratch + transpose_bytes());
    return Status();
  }

  MatMulSpec spec;
  PackedB packed_b;
  ConvGemm gemm;
  ThreadPool* threads;
};

std::vector<GemmB> Matrices(const MatMulSpec& s) {
  std::vector<GemmB> matrices(s.num_b);
  for (int64_t i = 0; i < s.num_b; ++i) {
    GemmB& b = matrices[i];
    b.offset = i * s.n * s.k;
    b.n = s.n;
    b.column_stride = s.transpose_b ? s.k : 1;
    b.channels = s.k;
    b.channel_stride = s.transpose_b ? 1 : s.n;
  }
  return matrices;
}

}  // namespace

Result<KernelPtr> PrepareMatMul(const Node& node, const MatMulSpec& s,
                                CpuContext& context) {
  const bool empty = s.batch_a.empty() || s.m == 0 || s.n == 0 || s.k == 0;
  if (context.reference || empty) return MakeReference(s);
  if (s.m == 1 && s.transpose_b) return MakeGemv(node, s, context);
  const GemmPlan plan = PlanGemm(node.inputs[1], {s.m, s.n, s.k * 4}, context);
  const GemmUkernel& micro = *plan.kernel;
  const std::string how =
      StrCat(s.transpose_b ? "columns of " : "rows of ", s.num_b, " matrices");
  MACE_ASSIGN_OR_RETURN(PackedB b, PackedB::Create(node.inputs[1], how, micro,
                                                   Matrices(s), context));
  ConvGemm::Spec spec;
  spec.kernel = &micro;
  spec.plan = plan;
  spec.patches.window.w.in = spec.patches.window.w.out = s.m;
  spec.patches.batch = 1;
  spec.patches.channels = spec.patches.pixel_stride = s.k;
  spec.n = spec.pixel_stride = s.n;
  spec.image_stride = spec.line_stride = s.m * s.n;
  spec.activation = s.activation;
  spec.parts.clear();
  for (size_t i = 0; i < s.batch_a.size(); ++i) {
    spec.parts.push_back({s.batch_a[i] * s.m * s.k, b.offset(s.batch_b[i]), 0,
                          static_cast<int64_t>(i) * s.m * s.n});
  }
  ConvGemm gemm(spec, context);
  return KernelPtr(std::make_unique<MatMulKernel>(
      s, std::move(b), std::move(gemm), context.threads));
}

}  // namespace mace::cpu
