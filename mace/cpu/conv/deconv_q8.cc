// Each output sums over the taps that meet an input.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <vector>

#include "mace/base/str_cat.h"
#include "mace/cpu/conv/conv_q8.h"
#include "mace/cpu/quantized/dot_q8.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/cpu/reference/conv.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/deconv2d.h"

namespace mace::cpu {
namespace {

constexpr int64_t kDeconvQ8TasksPerThread = 4;

struct DeconvQ8 final : Kernel {
  ThreadPool* threads = nullptr;
  ConvShape s;
  std::shared_ptr<const void> filter;  // i16 [out_channels, taps, in_per_group]
  OutputStage stage;
  bool is_unsigned = false;
  int32_t x_zero = 0;

  std::string variant() const override { return "deconv_q8"; }
  int64_t macs() const override {
    return SaturatedProduct({s.batch, s.window.h.in, s.window.w.in,
                             s.out_channels, s.taps(), s.in_per_group()});
  }
  int64_t in_elements() const {
    return s.batch * s.window.h.in * s.window.w.in * s.in_channels;
  }
  int64_t scratch_bytes() const override {
    return in_elements() * static_cast<int64_t>(sizeof(int16_t));
  }

  Status Run(const RunArgs& args) override {
    const auto* x = args.inputs[0].as<const uint8_t>();
    auto* quantized = args.scratch.as<int16_t>();
    threads->ParallelFor(in_elements(), 1 << 14, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const int32_t value = is_unsigned ? x[i] : static_cast<int8_t>(x[i]);
        quantized[i] = static_cast<int16_t>(value - x_zero);
      }
    });
    const auto* bias =
        args.inputs.size() > 2 ? args.inputs[2].as<const int32_t>() : nullptr;
    auto* y = args.outputs[0].as<uint8_t>();
    const int64_t tile = std::max<int64_t>(
        1, s.rows() / (threads->num_threads() * kDeconvQ8TasksPerThread));
    threads->ParallelFor(s.rows(), tile, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && !threads->is_cancelled(); ++i) {
        Pixel(quantized, bias, static_cast<int64_t>(i), y + i * s.out_channels);
      }
    });
    return Status();
  }

  void Pixel(const int16_t* x, const int32_t* bias, int64_t at,
             uint8_t* y) const {
    const Window &h = s.window.h, &w = s.window.w;
    const int64_t q = at % w.out, p = at / w.out % h.out;
    const int16_t* image =
        x + at / (w.out * h.out) * h.in * w.in * s.in_channels;
    const auto* taps = static_cast<const int16_t*>(filter.get());
    const int64_t depth = s.in_per_group();
    for (int64_t o = 0; o < s.out_channels; ++o) {
      const int64_t group = o / s.out_per_group();
      auto sum = static_cast<uint32_t>(bias == nullptr ? 0 : bias[o]);
      for (int64_t r = 0; r < h.kernel; ++r) {
        const int64_t row = ConvInputAt(ConvKind::kTransposed, h, p, r);
        for (int64_t c = 0; row >= 0 && c < w.kernel; ++c) {
          const int64_t column = ConvInputAt(ConvKind::kTransposed, w, q, c);
          if (column < 0) continue;
          sum += DotProduct(
              image + (row * w.in + column) * s.in_channels + group * depth,
              taps + (o * s.taps() + r * w.kernel + c) * depth, depth);
        }
      }
      y[o] = static_cast<uint8_t>(stage(static_cast<int32_t>(sum), o));
    }
  }
};

// Moves the taps of [outputs, inputs, taps] in front of the inputs.
Result<std::shared_ptr<const void>> PackDeconvFilterQ8(const Node& node,
                                                       const ConvShape& s,
                                                       CpuContext& context) {
  const Operand& w = node.inputs[1];
  const int64_t inputs = s.in_per_group(), taps = s.taps();
  const int32_t zero = w.type.quantization->zero_point();
  const auto* from = static_cast<const uint8_t*>(w.data);
  const bool is_unsigned = w.type.dtype == DataType::kU8;
  const auto pack = [&](void* packed) -> Status {
    auto* to = static_cast<int16_t*>(packed);
    for (int64_t i = 0; i < s.out_channels * taps * inputs; ++i) {
      const int64_t o = i / (taps * inputs), t = i / inputs % taps;
      const uint8_t bits = from[(o * inputs + i % inputs) * taps + t];
      const int32_t value = is_unsigned ? bits : static_cast<int8_t>(bits);
      to[i] = static_cast<int16_t>(value - zero);
    }
    return Status();
  };
  const std::string how = StrCat("q8_deconv_", s.out_channels, "x", taps);
  const size_t bytes = s.out_channels * taps * inputs * sizeof(int16_t);
  return context.packed->GetOrPack(w.weight_id, how, bytes, pack);
}

}  // namespace

Result<KernelPtr> PrepareDeconvQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const Deconv2dAttrs attrs,
                        ReadAttrs<Deconv2dAttrs>(node));
  if (node.inputs[1].data == nullptr ||
      (node.has_input(2) && node.inputs[2].data == nullptr)) {
    return Unsupported(Label(node),
                       ": a quantized filter and its bias must be constant");
  }
  const TensorType& x = node.inputs[0].type;
  auto kernel = std::make_unique<DeconvQ8>();
  kernel->threads = context.threads;
  MACE_ASSIGN_OR_RETURN(kernel->s.window, Deconv2dWindow(node, attrs));
  kernel->s.batch = x.shape[0];
  kernel->s.in_channels = x.shape[3];
  kernel->s.out_channels = node.outputs[0].shape[3];
  kernel->s.group = attrs.group;
  MACE_ASSIGN_OR_RETURN(kernel->stage, MakeOutputStage(node, attrs));
  MACE_ASSIGN_OR_RETURN(kernel->filter,
                        PackDeconvFilterQ8(node, kernel->s, context));
  kernel->is_unsigned = x.dtype == DataType::kU8;
  kernel->x_zero = x.quantization->zero_point();
  return KernelPtr(std::move(kernel));
}

}  // namespace mace::cpu
