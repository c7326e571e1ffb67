// Kernels of products with weights stored as int8 or int4.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/kernel_inputs.h"
#include "mace/cpu/conv/mat_mul_kernel.h"
#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/gemm/gemm_pack.h"
#include "mace/cpu/quantized/dequantize_rows.h"
#include "mace/cpu/ukernels/gemv/gemv_table.h"

namespace mace::cpu {
namespace {

// From so many rows of x on, packing pays.
constexpr int64_t kManyRows = 4;
// Rows of w that a call of the gemv micro-kernel multiplies.
constexpr int64_t kGemvRows = 16;
// About the bytes of packed floats that are multiplied at a time.
constexpr int64_t kChunkBytes = 1 << 20;
// Pieces of work of a thread, so that a late one holds up no other for long.
constexpr int64_t kPiecesPerThread = 4;

int64_t AlignedFloats(int64_t n) {
  return static_cast<int64_t>(AlignUp(n * sizeof(float), kAlignment));
}

// Returns the scales of a row: a float, or fp16 of its blocks.
const void* ScalesAt(const QuantizedRows& rows, int64_t row) {
  const int64_t size = rows.has_blocks ? sizeof(uint16_t) : sizeof(float);
  return static_cast<const char*>(rows.scales) + row * rows.row_scales * size;
}

// What both kernels have.
struct WeightsQ8Kernel : Kernel {
  WeightsQ8Kernel(const Node& node, int64_t rows_of_x,
                  const ActivationFunction& activation_in,
                  const CpuContext& context)
      : w(node.inputs[1], context.features),
        threads(context.threads),
        m(rows_of_x),
        n(w.rows().rows),
        k(w.rows().depth),
        activation(activation_in) {}

  int64_t macs() const override { return SaturatedProduct({m, n, k}); }

  DequantizedRows w;
  ThreadPool* threads;
  int64_t m, n, k;
  ActivationFunction activation;
};

struct FewRows final : WeightsQ8Kernel {
  FewRows(const Node& node, int64_t rows_of_x,
          const ActivationFunction& activation_in, const CpuContext& context)
      : WeightsQ8Kernel(node, rows_of_x, activation_in, context),
        gemv(&ChooseRow(kGemvQ8, context.features)),
        activator(activation, context.features) {
    const int64_t blocks = CeilDiv(n, kGemvRows);
    pieces = std::min(blocks, threads->num_threads() * kPiecesPerThread);
    blocks_of_piece = CeilDiv(blocks, pieces);
  }

  std::string variant() const override { return gemv->name; }

  Status Run(const RunArgs& args) override {
    threads->ParallelFor(pieces, 1, [&](size_t begin, size_t end) {
      for (size_t p = begin; p < end; ++p) {
        RunPiece(args, static_cast<int64_t>(p));
      }
    });
    return Status();
  }

  // Rows of w are multiplied by all rows of x while the cache has their
  // quantized values.
  void RunPiece(const RunArgs& args, int64_t piece) const {
    const QuantizedRows& from = w.rows();
    GemvQ8Fn* fn = from.has_blocks ? gemv->bits4 : gemv->bits8;
    const int64_t rows = blocks_of_piece * kGemvRows;
    const int64_t last = std::min(n, (piece + 1) * rows);
    const float* bias = BiasF32(args);
    for (int64_t r = piece * rows; r < last; r += kGemvRows) {
      if (threads->is_cancelled()) return;
      const int64_t count = std::min(kGemvRows, last - r);
      for (int64_t i = 0; i < m; ++i) {
        float* y = args.outputs[0].as<float>() + i * n + r;
        fn({static_cast<size_t>(count), static_cast<size_t>(k),
            from.values + r * from.row_bytes,
            static_cast<size_t>(from.row_bytes), ScalesAt(from, r),
            static_cast<size_t>(from.row_scales),
            args.inputs[0].as<const float>() + i * k,
            bias != nullptr ? bias + r : nullptr, y, activation.lower(),
            activation.upper()});
        if (!activation.is_clamp()) activator.Apply(y, count, y);
      }
    }
  }

  const GemvQ8* gemv;
  Activator activator;
  int64_t pieces = 0, blocks_of_piece = 0;
};

ConvGemm GemmOf(const WeightsQ8Kernel& kernel, const GemmUkernel& micro,
                int64_t columns, const CpuContext& context) {
  ConvGemm::Spec spec;
  spec.kernel = &micro;
  spec.plan.kernel = &micro;
  spec.patches.window.w.in = spec.patches.window.w.out = kernel.m;
  spec.patches.batch = 1;
  spec.patches.channels = spec.patches.pixel_stride = kernel.k;
  spec.n = columns;
  spec.pixel_stride = kernel.n;
  spec.image_stride = spec.line_stride = kernel.m * kernel.n;
  spec.activation = kernel.activation;
  return ConvGemm(spec, context);
}

struct ManyRows final : WeightsQ8Kernel {
  ManyRows(const Node& node, int64_t rows_of_x,
           const ActivationFunction& activation_in, const CpuContext& context)
      : WeightsQ8Kernel(node, rows_of_x, activation_in, context),
        micro(&ChooseGemmF32({m, n, k * static_cast<int64_t>(sizeof(float))},
                             context)),
        chunk(ChunkOf()),
        whole(GemmOf(*this, *micro, chunk, context)),
        rest(GemmOf(*this, *micro, n % chunk != 0 ? n % chunk : chunk,
                    context)) {
    pieces =
        std::min(chunk / micro->nr, threads->num_threads() * kPiecesPerThread);
  }

  // Columns of y, rows of w, that are computed at a time.
  int64_t ChunkOf() const {
    const int64_t column = k * static_cast<int64_t>(sizeof(float));
    const int64_t panels =
        std::max<int64_t>(1, kChunkBytes / (column * micro->nr));
    return std::min(panels, CeilDiv(n, micro->nr)) * micro->nr;
  }
  int64_t packed_bytes() const {
    return AlignedFloats(PackedElements(*micro, chunk, k));
  }
  int64_t piece_bytes() const {
    return AlignedFloats(micro->nr * k) + AlignedFloats(w.scratch());
  }
  int64_t scratch_bytes() const override {
    return packed_bytes() +
           std::max(pieces * piece_bytes(),
                    std::max(whole.scratch_bytes(), rest.scratch_bytes()));
  }
  std::string variant() const override {
    return StrCat(w.variant(), " + ", whole.variant());
  }

  Status Run(const RunArgs& args) override {
    auto* packed = args.scratch.as<float>();
    char* scratch = args.scratch.as<char>() + packed_bytes();
    const float* bias = BiasF32(args);
    for (int64_t begin = 0; begin < n; begin += chunk) {
      if (threads->is_cancelled()) return Status();
      const int64_t end = std::min(n, begin + chunk);
      Pack(begin, end, scratch, packed);
      const ConvGemm& gemm = end - begin == chunk ? whole : rest;
      gemm.Run(threads,
               {args.inputs[0].as<const float>(), packed,
                bias != nullptr ? bias + begin : nullptr,
                args.outputs[0].as<float>() + begin},
               scratch);
    }
    return Status();
  }

  // Packs rows [begin, end) of w, each thread some panels.
  void Pack(int64_t begin, int64_t end, char* scratch, float* packed) const {
    const int64_t nr = micro->nr, panels = CeilDiv(end - begin, nr);
    const int64_t of_piece = CeilDiv(panels, pieces);
    threads->ParallelFor(pieces, 1, [&](size_t first, size_t last) {
      for (size_t p = first; p < last; ++p) {
        auto* floats = reinterpret_cast<float*>(scratch + p * piece_bytes());
        auto* scales = reinterpret_cast<float*>(scratch + p * piece_bytes() +
                                                AlignedFloats(nr * k));
        const int64_t to = std::min<int64_t>(panels, (p + 1) * of_piece);
        for (int64_t panel = p * of_piece; panel < to; ++panel) {
          const int64_t row = begin + panel * nr;
          GemmB b;
          b.n = std::min(nr, end - row);
          b.channels = b.column_stride = k;
          b.channel_stride = 1;
          w.Run(row, row + b.n, scales, floats);
          PackPanel(*micro, b, floats, 0, packed + panel * nr * k);
        }
      }
    });
  }

  const GemmUkernel* micro;
  int64_t chunk;
  ConvGemm whole, rest;  // of a chunk of columns, and of the last ones
  int64_t pieces = 0;
};

}  // namespace

Result<KernelPtr> PrepareMatMulWeightsQ8(const Node& node, int64_t m,
                                         const ActivationFunction& activation,
                                         CpuContext& context) {
  if (m < kManyRows &&
      DequantizedRows(node.inputs[1], context.features).HasMicroKernel()) {
    return KernelPtr(std::make_unique<FewRows>(node, m, activation, context));
  }
  return KernelPtr(std::make_unique<ManyRows>(node, m, activation, context));
}

}  // namespace mace::cpu
