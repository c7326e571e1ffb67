// The matrices b are packed while the model runs; then tiles of a times their
// panels, as in any product of quantized values.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstring>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose_gemm.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/conv/mat_mul_kernel.h"
#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/gemm/filter_q8.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

constexpr int64_t kPackTile = 1 << 14;  // values that a task packs, about
constexpr int32_t kMaxDistance = 255;   // of a value from its zero point

constexpr int MostColumns() {
  int most = 0;
  for (const GemmUkernel& row : kGemm) {
    if (row.is_quantized()) most = std::max(most, row.nr);
  }
  return most;
}

// A matrix b of [k, n] quantized values, or of [n, k] if its columns are runs.
struct MatrixB {
  int64_t n, k;
  bool columns_are_runs;
  uint8_t flip;    // makes values elements
  int32_t a_zero;  // of elements of a
  int32_t zero;    // of elements

  // The sum with which a column starts whose elements sum up to `sum`.
  int32_t Start(int32_t sum) const {
    const uint32_t zeros =
        static_cast<uint32_t>(k) * static_cast<uint32_t>(zero) -
        static_cast<uint32_t>(sum);
    return static_cast<int32_t>(static_cast<uint32_t>(a_zero) * zeros);
  }
};

// Packs `n` columns of a panel, whose first value is `from`. Word has the size
// of a group.
template <typename Word>
void PackColumns(const MatrixB& b, const uint8_t* from, int64_t n,
                 const GemmUkernel& micro, int8_t* to, int32_t* start) {
  constexpr int64_t kGroup = sizeof(Word);
  const int64_t step = micro.nr * kGroup;
  for (int64_t j = 0; j < n; ++j, from += b.k) {
    int8_t* at = to + j * kGroup;
    int32_t sum = 0;
    for (int64_t i = 0; i < b.k; i += kGroup, at += step) {
      const int64_t left = std::min(kGroup, b.k - i);
      for (int64_t e = 0; e < left; ++e) {
        at[e] = static_cast<int8_t>(from[i + e] ^ b.flip);
        sum += at[e];
      }
    }
    start[j] = b.Start(sum);
  }
}

// The same for a matrix whose rows are runs: groups of rows become words.
template <typename Word>
void PackRows(const MatrixB& b, const uint8_t* from, int64_t n,
              const GemmUkernel& micro, int8_t* to, int32_t* start) {
  constexpr int64_t kGroup = sizeof(Word);
  constexpr int64_t kLimit = MostColumns();
  uint8_t rows[kGroup][kLimit] = {};
  int32_t sums[kLimit] = {};
  Word words[kLimit];
  for (int64_t i = 0; i < b.k; i += kGroup, to += micro.nr * kGroup) {
    for (int64_t e = 0; e < kGroup; ++e) {
      if (i + e == b.k) {
        std::memset(rows[e], 0, (kGroup - e) * kLimit);
        break;
      }
      for (int64_t j = 0; j < n; ++j) rows[e][j] = from[j] ^ b.flip;
      from += b.n;
    }
    for (int64_t j = 0; j < kLimit; ++j) {
      Word word = 0;
      for (int64_t e = 0; e < kGroup; ++e) {
        word |= static_cast<Word>(Word{rows[e][j]} << (8 * e));
        sums[j] += static_cast<int8_t>(rows[e][j]);
      }
      words[j] = word;
    }
    std::memcpy(to, words, micro.nr * kGroup);
  }
  for (int64_t j = 0; j < n; ++j) start[j] = b.Start(sums[j]);
}

struct MatMulQ8 final : Kernel {
  MatMulQ8(const MatMulSpec& spec_in, const MatrixB& b_in,
           const ConvGemm::Spec& gemm_in, AlignedBuffer numbers_in,
           const CpuContext& context)
      : spec(spec_in),
        b(b_in),
        micro(gemm_in.kernel),
        numbers(std::move(numbers_in)),
        threads(context.threads),
        gemm(gemm_in, context) {}

  std::string variant() const override { return gemm.variant(); }
  int64_t macs() const override {
    return SaturatedProduct(
        {static_cast<int64_t>(spec.batch_a.size()), spec.m, b.n, b.k});
  }

  int64_t panels() const { return CeilDiv(b.n, micro->nr); }
  int64_t starts_at() const {  // bytes from the beginning of the scratch memory
    return spec.num_b * PackedElements(*micro, b.n, b.k);
  }
  int64_t rows_at() const {
    return starts_at() + AlignUp(spec.num_b * panels() * micro->nr *
                                     static_cast<int64_t>(sizeof(int32_t)),
                                 kAlignment);
  }
  int64_t threads_at() const {
    return rows_at() + (spec.transpose_a
                            ? AlignUp(spec.num_a * spec.m * b.k, kAlignment)
                            : 0);
  }
  int64_t scratch_bytes() const override {
    return threads_at() + gemm.scratch_bytes();
  }

  Status Run(const RunArgs& args) override {
    const auto* x = args.inputs[0].as<const uint8_t>();
    auto* y = args.outputs[0].as<uint8_t>();
    char* scratch = args.scratch.as<char>();
    const int64_t outputs =
        static_cast<int64_t>(spec.batch_a.size()) * spec.m * b.n;
    if (outputs == 0) return Status();
    if (b.k == 0) {
      std::memset(y, value_of_zero, outputs);
      return Status();
    }
    auto* panels = reinterpret_cast<int8_t*>(scratch);
    auto* starts = reinterpret_cast<int32_t*>(scratch + starts_at());
    PackB(args.inputs[1].as<const uint8_t>(), panels, starts);
    if (spec.transpose_a) {
      auto* rows = reinterpret_cast<uint8_t*>(scratch + rows_at());
      TransposeA(x, rows);
      x = rows;
    }
    gemm.Run(threads, {x, panels, starts, y}, scratch + threads_at());
    return Status();
  }

  void PackB(const uint8_t* values, int8_t* packed, int32_t* starts) const {
    const auto pack = [this] {
      switch (micro->packing.group) {
        case 2:
          return b.columns_are_runs ? PackColumns<uint16_t>
                                    : PackRows<uint16_t>;
        case 4:
          return b.columns_are_runs ? PackColumns<uint32_t>
                                    : PackRows<uint32_t>;
        default:
          return b.columns_are_runs ? PackColumns<uint64_t>
                                    : PackRows<uint64_t>;
      }
    }();
    const int64_t tile = std::max<int64_t>(1, kPackTile / (b.k * micro->nr));
    const int64_t bytes = PackedElements(*micro, micro->nr, b.k);
    threads->ParallelFor(
        spec.num_b * panels(), tile, [&](size_t begin, size_t end) {
          for (auto i = static_cast<int64_t>(begin);
               i < static_cast<int64_t>(end); ++i) {
            const int64_t first = i % panels() * micro->nr;
            int8_t* panel = packed + i * bytes;
            if (b.k % micro->packing.k_pad != 0 || first + micro->nr > b.n) {
              std::memset(panel, 0, bytes);
            }
            pack(b,
                 values + i / panels() * b.n * b.k +
                     first * (b.columns_are_runs ? b.k : 1),
                 std::min<int64_t>(micro->nr, b.n - first), *micro, panel,
                 starts + i * micro->nr);
          }
        });
  }

  void TransposeA(const uint8_t* from, uint8_t* rows) const {
    const int64_t m = spec.m;
    const int64_t tile = std::max<int64_t>(1, kPackTile / b.k);
    threads->ParallelFor(spec.num_a * m, tile, [&](size_t begin, size_t end) {
      for (auto r = static_cast<int64_t>(begin); r < static_cast<int64_t>(end);
           ++r) {
        const uint8_t* column = from + r / m * m * b.k + r % m;
        for (int64_t i = 0; i < b.k; ++i) rows[r * b.k + i] = column[i * m];
      }
    });
  }

  MatMulSpec spec;
  MatrixB b;
  const GemmUkernel* micro;
  AlignedBuffer numbers;  // of the GEMM's stage
  ThreadPool* threads;
  ConvGemm gemm;
  int value_of_zero = 0;
};

}  // namespace

Result<KernelPtr> PrepareMatMulQ8(const Node& node, const MatMulSpec& s,
                                  CpuContext& context) {
  const TensorType &a = node.inputs[0].type, &b = node.inputs[1].type;
  const Quantization& y = *node.outputs[0].quantization;
  const GemmUkernel& micro = BestGemmQ8(-128, context.features);
  OutputStage stage;
  const float scales = a.quantization->scale() * b.quantization->scale();
  stage.factors = {ToFixed(double{scales} / y.scale())};
  stage.zero_point = y.zero_point();
  stage.range = RangeOf(node.outputs[0].dtype);

  const int64_t channels = AlignUp(s.n, micro.nr);
  MACE_RETURN_IF_ERROR(
      CheckTable(node, "columns", {channels}, 4 * sizeof(int32_t)));
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer numbers,
      AlignedBuffer::Create(static_cast<size_t>(StageQ8::Bytes(channels)),
                            "the numbers of a matrix product"));
  StageQ8::Clear(channels, numbers.data());
  const int64_t most = SaturatedProduct({s.k, kMaxDistance * kMaxDistance});
  for (int64_t o = 0; o < s.n; ++o) {
    StageQ8::Pack(channels, o, stage, 0, {0, most}, numbers.data());
  }

  const bool is_unsigned = b.dtype == DataType::kU8;
  const FlippedInput x = FlipFor(a, micro.reads_unsigned());
  MatrixB matrix;
  matrix.n = s.n;
  matrix.k = s.k;
  matrix.columns_are_runs = s.transpose_b || b.rank() == 1;
  matrix.flip = is_unsigned ? 0x80 : 0;
  matrix.zero = b.quantization->zero_point() - (is_unsigned ? 128 : 0);
  matrix.a_zero = x.zero_point;
  ConvGemm::Spec spec;
  spec.kernel = &micro;
  spec.patches.batch = s.m;
  const int64_t depth = std::max<int64_t>(s.k, 1);  // empty sums are not run
  spec.patches.channels = spec.patches.pixel_stride = depth;
  spec.n = spec.pixel_stride = spec.line_stride = spec.image_stride = s.n;
  spec.quantized = {x.flip, a.quantization->zero_point(), matrix.zero,
                    StageQ8(stage, channels, numbers.data(), context.features)};
  const int64_t panels = PackedElements(micro, s.n, depth);
  spec.parts.clear();
  for (size_t i = 0; i < s.batch_a.size(); ++i) {
    spec.parts.push_back({s.batch_a[i] * s.m * s.k, s.batch_b[i] * panels,
                          s.batch_b[i] * channels,
                          static_cast<int64_t>(i) * s.m * s.n});
  }
  auto kernel =
      std::make_unique<MatMulQ8>(s, matrix, spec, std::move(numbers), context);
  kernel->value_of_zero = stage(0, 0);
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
