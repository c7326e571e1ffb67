// Maxima and means of codes over windows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/pooling_q8.h"

#include <algorithm>

#include "mace/cpu/quantized/codes.h"
#include "mace/cpu/reference/pooling.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTasksPerThread = 4;

// Returns the quotient that is nearest, ties away from zero. REQUIRES: n > 0.
int32_t RoundedQuotient(int64_t sum, int64_t n) {
  return static_cast<int32_t>((sum > 0 ? sum + n / 2 : sum - n / 2) / n);
}

template <typename T>
struct PoolingQ8 final : Kernel {
  static constexpr int64_t kChannels = 64;  // computed at a time

  ThreadPool* threads = nullptr;
  PoolShape s;
  CodeRange range;

  std::string variant() const override { return "pooling_q8"; }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    T* y = args.outputs[0].as<T>();
    const Window &h = s.window.h, &w = s.window.w;
    const int64_t pixels = s.batch * h.out * w.out;
    const int64_t tile = std::max<int64_t>(
        1, pixels / (threads->num_threads() * kTasksPerThread));
    threads->ParallelFor(pixels, tile, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && !threads->is_cancelled(); ++i) {
        const auto at = static_cast<int64_t>(i);
        const T* image = x + at / (w.out * h.out) * h.in * w.in * s.channels;
        const Taps rows = TapsInside(h, at / w.out % h.out);
        const Taps columns = TapsInside(w, at % w.out);
        for (int64_t c = 0; c < s.channels; c += kChannels) {
          const int64_t n = std::min(kChannels, s.channels - c);
          Channels(image + c, rows, columns, n, y + at * s.channels + c);
        }
      }
    });
    return Status();
  }

  void Channels(const T* image, const Taps& rows, const Taps& columns,
                int64_t n, T* y) const {
    const bool is_max = s.type == PoolingType::kMax;
    int64_t found[kChannels];
    std::fill(found, found + n, is_max ? CodesOfType().least : 0);
    for (int64_t r = 0; r < rows.count; ++r) {
      const int64_t row =
          (rows.start + r * s.window.h.dilation) * s.window.w.in;
      for (int64_t t = 0; t < columns.count; ++t) {
        const int64_t column = columns.start + t * s.window.w.dilation;
        const T* from = image + (row + column) * s.channels;
        for (int64_t k = 0; k < n; ++k) {
          found[k] = is_max ? std::max<int64_t>(found[k], from[k])
                            : found[k] + from[k];
        }
      }
    }
    const int64_t count = std::max<int64_t>(1, rows.count * columns.count);
    for (int64_t k = 0; k < n; ++k) {
      const int32_t code = is_max ? static_cast<int32_t>(found[k])
                                  : RoundedQuotient(found[k], count);
      y[k] = static_cast<T>(range.Clamp(code));
    }
  }

  static CodeRange CodesOfType() {
    if (sizeof(T) == 2) return CodesOf(DataType::kI16);
    return CodesOf(std::is_signed_v<T> ? DataType::kI8 : DataType::kU8);
  }
};

template <typename T>
KernelPtr MakePooling(const PoolShape& s, CodeRange range,
                      CpuContext& context) {
  auto kernel = std::make_unique<PoolingQ8<T>>();
  kernel->threads = context.threads;
  kernel->s = s;
  kernel->range = range;
  return kernel;
}

}  // namespace

Result<KernelPtr> PreparePoolingQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const PoolingAttrs attrs,
                        ReadAttrs<PoolingAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  PoolShape s;
  s.type = static_cast<PoolingType>(attrs.pooling_type);
  if (s.type == PoolingType::kL2 ||
      (s.type == PoolingType::kAverage && attrs.count_include_pad)) {
    return Unsupported(Label(node),
                       ": of quantized tensors the CPU computes MAX, and "
                       "AVERAGE without count_include_pad");
  }
  MACE_ASSIGN_OR_RETURN(s.window, PoolingWindow(node, attrs));
  s.batch = x.shape[0];
  s.channels = x.shape[3];
  MACE_ASSIGN_OR_RETURN(const CodeRange range,
                        CodesAfter(node, attrs, node.outputs[0]));
  if (x.dtype == DataType::kI16) return MakePooling<int16_t>(s, range, context);
  return x.dtype == DataType::kU8 ? MakePooling<uint8_t>(s, range, context)
                                  : MakePooling<int8_t>(s, range, context);
}

}  // namespace mace::cpu
