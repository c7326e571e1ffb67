// Convolutions of codes: sums over the taps that lie inside the image, a run of
// adjacent input channels at a time.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/quantized/conv_q8.h"

#include <algorithm>

#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/quantized/codes.h"
#include "mace/cpu/quantized/filter_q8.h"
#include "mace/cpu/reference/pooling.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/conv2d.h"
#include "mace/ops/depthwise_conv2d.h"
#include "mace/ops/fully_connected.h"

namespace mace::cpu {
namespace {

constexpr int64_t kTasksPerThread = 4;
// Output channels computed together, which read the input once.
constexpr int64_t kOutputs = 4;
// The products of so many codes of 8 bits cannot overflow 32 bits.
constexpr int64_t kMaxRun = 1 << 15;

// Adds the products of a run of codes with `kOutputs` rows of a filter. Sums
// wrap around, as those of the definition do.
template <typename T>
void AddProducts(const T* x, const int16_t* w, int64_t row, int64_t n,
                 uint32_t* sums) {
  for (int64_t begin = 0; begin < n; begin += kMaxRun) {
    const int64_t end = std::min(n, begin + kMaxRun);
    int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int64_t i = begin; i < end; ++i) {
      const auto code = static_cast<int16_t>(x[i]);
      s0 += code * w[i];
      s1 += code * w[row + i];
      s2 += code * w[2 * row + i];
      s3 += code * w[3 * row + i];
    }
    sums[0] += static_cast<uint32_t>(s0);
    sums[1] += static_cast<uint32_t>(s1);
    sums[2] += static_cast<uint32_t>(s2);
    sums[3] += static_cast<uint32_t>(s3);
  }
}

template <typename T>
uint32_t SumOfProducts(const T* x, const int16_t* w, int64_t n) {
  uint32_t sum = 0;
  for (int64_t begin = 0; begin < n; begin += kMaxRun) {
    int32_t part = 0;
    const int64_t end = std::min(n, begin + kMaxRun);
    for (int64_t i = begin; i < end; ++i) {
      part += static_cast<int16_t>(x[i]) * w[i];
    }
    sum += static_cast<uint32_t>(part);
  }
  return sum;
}

// The taps of an output pixel that lie inside the image.
struct PixelTaps {
  Taps rows, columns;
};

template <typename T>
struct ConvQ8 final : Kernel {
  ThreadPool* threads = nullptr;
  ConvShape s;
  FilterQ8 filter;
  OutputStage stage;
  int32_t x_zero = 0;

  int64_t macs() const override {
    return SaturatedProduct(
        {s.rows(), s.out_channels, s.taps(), s.in_per_group()});
  }
  std::string variant() const override { return "conv_q8"; }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    const auto* bias =
        args.inputs.size() > 2 ? args.inputs[2].as<const int32_t>() : nullptr;
    T* y = args.outputs[0].as<T>();
    const int64_t tile = std::max<int64_t>(
        1, s.rows() / (threads->num_threads() * kTasksPerThread));
    threads->ParallelFor(s.rows(), tile, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && !threads->is_cancelled(); ++i) {
        Pixel(x, bias, static_cast<int64_t>(i), y + i * s.out_channels);
      }
    });
    return Status();
  }

  void Pixel(const T* x, const int32_t* bias, int64_t at, T* y) const {
    const Window &h = s.window.h, &w = s.window.w;
    const int64_t q = at % w.out, p = at / w.out % h.out;
    const T* image = x + at / (w.out * h.out) * h.in * w.in * s.in_channels;
    const PixelTaps taps = {TapsInside(h, p), TapsInside(w, q)};
    const int64_t outputs = s.out_per_group();
    for (int64_t g = 0; g < s.group; ++g) {
      const T* from = image + g * s.in_per_group();
      for (int64_t o = 0; o < outputs; o += kOutputs) {
        const int64_t n = std::min(kOutputs, outputs - o);
        Outputs(from, bias, taps, g * outputs + o, n, y + g * outputs + o);
      }
    }
  }

  // Computes `n` adjacent output channels of a pixel.
  void Outputs(const T* image, const int32_t* bias, const PixelTaps& taps,
               int64_t o, int64_t n, T* y) const {
    uint32_t sums[kOutputs];
    for (int64_t k = 0; k < n; ++k) {
      sums[k] = static_cast<uint32_t>(bias == nullptr ? 0 : bias[o + k]) -
                static_cast<uint32_t>(x_zero) * TapSum(taps, o + k);
    }
    for (int64_t r = 0; r < taps.rows.count; ++r) {
      AddRow(image, taps, r, o, n, sums);
    }
    for (int64_t k = 0; k < n; ++k) {
      y[k] = static_cast<T>(stage(static_cast<int32_t>(sums[k]), o + k));
    }
  }

  void AddRow(const T* image, const PixelTaps& taps, int64_t r, int64_t o,
              int64_t n, uint32_t* sums) const {
    const Window &h = s.window.h, &w = s.window.w;
    const int64_t depth = s.taps() * s.in_per_group();
    // Taps whose inputs and codes of the filter are adjacent are one run.
    const bool is_run = s.group == 1 && w.dilation == 1;
    const int64_t runs = is_run ? 1 : taps.columns.count;
    const int64_t run = (is_run ? taps.columns.count : 1) * s.in_per_group();
    const int64_t y = taps.rows.start + r * h.dilation;
    const int64_t first = (taps.rows.first + r) * w.kernel + taps.columns.first;
    for (int64_t c = 0; c < runs; ++c) {
      const T* from = image + (y * w.in + taps.columns.start + c * w.dilation) *
                                  s.in_channels;
      const int16_t* codes = filter.codes(o) + (first + c) * s.in_per_group();
      if (n == kOutputs) {
        AddProducts(from, codes, depth, run, sums);
        continue;
      }
      for (int64_t k = 0; k < n; ++k) {
        sums[k] += SumOfProducts(from, codes + k * depth, run);
      }
    }
  }

  uint32_t TapSum(const PixelTaps& taps, int64_t o) const {
    const int32_t* of_taps = filter.sums(o);
    uint32_t sum = 0;
    for (int64_t r = 0; r < taps.rows.count; ++r) {
      const int64_t row = (taps.rows.first + r) * s.window.w.kernel;
      for (int64_t c = 0; c < taps.columns.count; ++c) {
        sum += static_cast<uint32_t>(of_taps[row + taps.columns.first + c]);
      }
    }
    return sum;
  }
};

// One output for each input channel.
template <typename T>
struct DepthwiseQ8 final : Kernel {
  static constexpr int64_t kChannels = 64;  // summed at a time

  ThreadPool* threads = nullptr;
  ConvShape s;
  FilterQ8 filter;
  OutputStage stage;
  int32_t x_zero = 0;

  int64_t macs() const override {
    return SaturatedProduct({s.rows(), s.out_channels, s.taps()});
  }
  std::string variant() const override { return "depthwise_q8"; }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    const auto* bias =
        args.inputs.size() > 2 ? args.inputs[2].as<const int32_t>() : nullptr;
    T* y = args.outputs[0].as<T>();
    const int64_t tile = std::max<int64_t>(
        1, s.rows() / (threads->num_threads() * kTasksPerThread));
    threads->ParallelFor(s.rows(), tile, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && !threads->is_cancelled(); ++i) {
        Pixel(x, bias, static_cast<int64_t>(i), y + i * s.out_channels);
      }
    });
    return Status();
  }

  void Pixel(const T* x, const int32_t* bias, int64_t at, T* y) const {
    const Window &h = s.window.h, &w = s.window.w;
    const int64_t q = at % w.out, p = at / w.out % h.out;
    const T* image = x + at / (w.out * h.out) * h.in * w.in * s.in_channels;
    const PixelTaps taps = {TapsInside(h, p), TapsInside(w, q)};
    for (int64_t c = 0; c < s.out_channels; c += kChannels) {
      const int64_t n = std::min(kChannels, s.out_channels - c);
      uint32_t sums[kChannels];
      for (int64_t k = 0; k < n; ++k) {
        sums[k] = static_cast<uint32_t>(bias == nullptr ? 0 : bias[c + k]);
      }
      AddTaps(image + c, taps, c, n, sums);
      for (int64_t k = 0; k < n; ++k) {
        y[c + k] = static_cast<T>(stage(static_cast<int32_t>(sums[k]), c + k));
      }
    }
  }

  void AddTaps(const T* image, const PixelTaps& taps, int64_t c, int64_t n,
               uint32_t* sums) const {
    const Window &h = s.window.h, &w = s.window.w;
    for (int64_t r = 0; r < taps.rows.count; ++r) {
      const int64_t y = taps.rows.start + r * h.dilation;
      for (int64_t t = 0; t < taps.columns.count; ++t) {
        const int64_t column = taps.columns.start + t * w.dilation;
        const T* from = image + (y * w.in + column) * s.in_channels;
        const int16_t* codes = filter.depthwise_codes(
            (taps.rows.first + r) * w.kernel + taps.columns.first + t);
        for (int64_t k = 0; k < n; ++k) {
          const auto code = static_cast<int16_t>(from[k] - x_zero);
          sums[k] += static_cast<uint32_t>(code * codes[c + k]);
        }
      }
    }
  }
};

// Rows times the columns of a matrix.
template <typename T>
struct FullyConnectedQ8 final : Kernel {
  ThreadPool* threads = nullptr;
  int64_t rows = 0, depth = 0, outputs = 0;
  FilterQ8 filter;
  OutputStage stage;
  int32_t x_zero = 0;

  int64_t macs() const override {
    return SaturatedProduct({rows, depth, outputs});
  }
  std::string variant() const override { return "matmul_q8"; }

  Status Run(const RunArgs& args) override {
    const T* x = args.inputs[0].as<const T>();
    const auto* bias =
        args.inputs.size() > 2 ? args.inputs[2].as<const int32_t>() : nullptr;
    T* y = args.outputs[0].as<T>();
    const int64_t count = rows * outputs;
    const int64_t tile = std::max<int64_t>(
        1, count / (threads->num_threads() * kTasksPerThread));
    threads->ParallelFor(count, tile, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && !threads->is_cancelled(); ++i) {
        const auto o = static_cast<int64_t>(i) % outputs;
        const T* row = x + static_cast<int64_t>(i) / outputs * depth;
        uint32_t sum = SumOfProducts(row, filter.codes(o), depth);
        sum -= static_cast<uint32_t>(x_zero) *
               static_cast<uint32_t>(*filter.sums(o));
        if (bias != nullptr) sum += static_cast<uint32_t>(bias[o]);
        y[i] = static_cast<T>(stage(static_cast<int32_t>(sum), o));
      }
    });
    return Status();
  }
};

Status CheckConstantBias(const Node& node) {
  if (!node.has_input(2) || node.inputs[2].data != nullptr) return Status();
  return Unsupported(Label(node), ": a quantized bias must be constant");
}

template <typename K, typename Attrs>
Result<KernelPtr> PrepareWindow(const Node& node, const ConvShape& s,
                                const FilterOrder& order, bool is_depthwise,
                                CpuContext& context) {
  MACE_RETURN_IF_ERROR(CheckConstantBias(node));
  MACE_ASSIGN_OR_RETURN(const Attrs attrs, ReadAttrs<Attrs>(node));
  auto kernel = std::make_unique<K>();
  kernel->threads = context.threads;
  kernel->s = s;
  MACE_ASSIGN_OR_RETURN(kernel->stage, MakeOutputStage(node, attrs));
  MACE_ASSIGN_OR_RETURN(kernel->filter,
                        FilterQ8::Create(node, order, is_depthwise, context));
  kernel->x_zero = node.inputs[0].type.quantization->zero_point();
  return KernelPtr(std::move(kernel));
}

// Calls PrepareWindow for the element type of the node.
template <template <typename> class K, typename Attrs>
Result<KernelPtr> PrepareForType(const Node& node, const ConvShape& s,
                                 const FilterOrder& order, bool is_depthwise,
                                 CpuContext& context) {
  return node.inputs[0].type.dtype == DataType::kU8
             ? PrepareWindow<K<uint8_t>, Attrs>(node, s, order, is_depthwise,
                                                context)
             : PrepareWindow<K<int8_t>, Attrs>(node, s, order, is_depthwise,
                                               context);
}

template <typename T>
Result<KernelPtr> MakeFullyConnected(const Node& node, CpuContext& context) {
  MACE_RETURN_IF_ERROR(CheckConstantBias(node));
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  const TensorType &x = node.inputs[0].type, &w = node.inputs[1].type,
                   &y = node.outputs[0];
  auto kernel = std::make_unique<FullyConnectedQ8<T>>();
  kernel->threads = context.threads;
  kernel->outputs = w.shape[0];
  kernel->depth = w.shape[1];
  kernel->rows = NumElements(y.shape) / kernel->outputs;
  MACE_ASSIGN_OR_RETURN(kernel->stage, MakeOutputStage(node, attrs));
  FilterOrder order = {kernel->outputs, kernel->depth};
  MACE_ASSIGN_OR_RETURN(
      kernel->filter,
      FilterQ8::Create(node, order, /*is_depthwise=*/false, context));
  kernel->x_zero = x.quantization->zero_point();
  return KernelPtr(std::move(kernel));
}

}  // namespace

Result<KernelPtr> PrepareConvQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(node));
  const ConvShape& s = conv.shape;
  const FilterOrder order = {s.out_channels, s.in_per_group(), s.taps(),
                             s.taps()};
  return PrepareForType<ConvQ8, Conv2dAttrs>(node, s, order,
                                             /*is_depthwise=*/false, context);
}

Result<KernelPtr> PrepareDepthwiseQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadDepthwiseConv2d(node));
  const ConvShape& s = conv.shape;
  const FilterOrder order = {s.out_channels, 1, s.taps(), s.taps(),
                             s.out_per_group()};
  if (s.out_per_group() == 1) {
    return PrepareForType<DepthwiseQ8, DepthwiseConv2dAttrs>(
        node, s, order, /*is_depthwise=*/true, context);
  }
  if (node.inputs[1].type.quantization->is_per_axis()) {
    return Unsupported(Label(node), ": a quantized filter with ",
                       s.out_per_group(),
                       " outputs per channel must have one "
                       "scale; Conv2d with group ",
                       s.group, " takes one for each output");
  }
  return PrepareForType<ConvQ8, DepthwiseConv2dAttrs>(
      node, s, order, /*is_depthwise=*/false, context);
}

Result<KernelPtr> PrepareFullyConnectedQ8(const Node& node,
                                          CpuContext& context) {
  return node.inputs[0].type.dtype == DataType::kU8
             ? MakeFullyConnected<uint8_t>(node, context)
             : MakeFullyConnected<int8_t>(node, context);
}

}  // namespace mace::cpu
