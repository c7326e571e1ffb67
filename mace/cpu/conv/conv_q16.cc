// Convolutions and GEMM of int16 activations and int8 weights, by the reference
// loops.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <memory>

#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/gemm/q16.h"
#include "mace/cpu/quantized/quantization.h"
#include "mace/cpu/reference/conv.h"
#include "mace/graph/attrs.h"
#include "mace/ops/conv2d.h"
#include "mace/ops/deconv2d.h"
#include "mace/ops/depthwise_conv2d.h"
#include "mace/ops/fully_connected.h"

namespace mace::cpu {
namespace {

constexpr int64_t kConvQ16Tile = 1 << 14;  // products of a task

// Returns x times the factor, of which 16 bits count; rounded once, ties up.
// Magnitudes of x are at most 2^47. REQUIRES: an exponent below 8.
int32_t Scale64(int64_t x, FixedFactor factor) {
  constexpr int64_t kLimit = int64_t{1} << 47;
  const int64_t mantissa = factor.mantissa < 0x7FFF0000
                               ? (int64_t{factor.mantissa} + (1 << 15)) >> 16
                               : 0x7FFF;
  const int shift = 15 - factor.exponent;
  const int64_t product = std::clamp(x, -kLimit, kLimit) * mantissa;
  return static_cast<int32_t>((product + (int64_t{1} << (shift - 1))) >> shift);
}

// From sums to int16. The bias is added to the sums first.
struct Stage16 {
  OutputStage stage;
  const int32_t* bias32 = nullptr;
  const int64_t* bias64 = nullptr;
  bool is_wide = false;  // sums have 64 bits

  int16_t operator()(int64_t sum, int64_t channel) const {
    if (bias32 != nullptr) sum += bias32[channel];
    if (bias64 != nullptr) {
      constexpr int64_t kLimit = int64_t{1} << 62;  // any sum with it fits
      sum += std::clamp(bias64[channel], -kLimit, kLimit);
    }
    int32_t value;
    if (!stage.multipliers.empty()) {
      const double real = static_cast<double>(sum) * stage.multiplier(channel);
      value =
          static_cast<int32_t>(std::round(std::min(std::max(real, -1e9), 1e9)));
    } else if (is_wide) {
      value = Scale64(sum, stage.factor(channel));
    } else {
      value = Scale(static_cast<int32_t>(sum), stage.factor(channel));
    }
    return static_cast<int16_t>(stage.range.Clamp(value));
  }
};

Result<Stage16> MakeStage(const Node& node, const ActivationAttrs& activation) {
  MACE_RETURN_IF_ERROR(CheckZeroPointsQ16(node));
  for (size_t i : {1, 2}) {
    if (node.has_input(i) && node.inputs[i].data == nullptr) {
      return Unsupported(Label(node), ": the ", i == 1 ? "weights" : "bias",
                         " of a quantized i16 tensor must be constant");
    }
  }
  Stage16 made;
  MACE_ASSIGN_OR_RETURN(made.stage, MakeOutputStage(node, activation));
  for (const FixedFactor& factor : made.stage.factors) {
    if (factor.exponent < 8) continue;
    return Unsupported(Label(node), ": the scale of its output, ",
                       node.outputs[0].quantization->scale(),
                       ", is too small for those of its operands");
  }
  if (!node.has_input(2)) return made;
  const Operand& bias = node.inputs[2];
  if (bias.type.dtype == DataType::kI64) {
    made.bias64 = static_cast<const int64_t*>(bias.data);
    made.is_wide = true;
  } else {
    made.bias32 = static_cast<const int32_t*>(bias.data);
  }
  return made;
}

KernelPtr MakeConvQ16(const Node& node, const ConvShape& s, ConvKind kind,
                      Stage16 stage, const CpuContext& context) {
  KernelProperties properties;
  properties.variant = "conv_q16";
  const int64_t per_row = s.out_channels * s.taps() * s.in_per_group();
  properties.macs = SaturatedProduct({s.rows(), per_row});
  const int64_t tile =
      std::max<int64_t>(1, kConvQ16Tile / std::max<int64_t>(1, per_row));
  return MakeKernel(
      [=, filter = static_cast<const int8_t*>(node.inputs[1].data),
       threads = context.threads](const RunArgs& args) {
        const auto* x = args.inputs[0].as<const int16_t>();
        auto* y = args.outputs[0].as<int16_t>();
        const Window &h = s.window.h, &w = s.window.w;
        const int64_t image = h.in * w.in * s.in_channels;
        threads->ParallelFor(s.rows(), tile, [&](size_t begin, size_t end) {
          for (auto i = static_cast<int64_t>(begin);
               i < static_cast<int64_t>(end) && !threads->is_cancelled(); ++i) {
            const int16_t* from = x + i / (h.out * w.out) * image;
            for (int64_t o = 0; o < s.out_channels; ++o) {
              const auto sum = ConvSum<int64_t>(
                  kind, s, from, filter, i / w.out % h.out, i % w.out, o, 0);
              y[i * s.out_channels + o] = stage(sum, o);
            }
          }
        });
      },
      properties);
}

}  // namespace

Result<KernelPtr> PrepareConvQ16(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(node));
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(Stage16 stage, MakeStage(node, attrs));
  return MakeConvQ16(node, conv.shape, ConvKind::kPlain, std::move(stage),
                     context);
}

Result<KernelPtr> PrepareDeconvQ16(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const Deconv2dAttrs attrs,
                        ReadAttrs<Deconv2dAttrs>(node));
  ConvShape s;
  MACE_ASSIGN_OR_RETURN(s.window, Deconv2dWindow(node, attrs));
  s.batch = node.inputs[0].type.shape[0];
  s.in_channels = node.inputs[0].type.shape[3];
  s.out_channels = node.outputs[0].shape[3];
  s.group = attrs.group;
  MACE_ASSIGN_OR_RETURN(Stage16 stage, MakeStage(node, attrs));
  if (!node.has_input(2)) stage.is_wide = true;
  return MakeConvQ16(node, s, ConvKind::kTransposed, std::move(stage), context);
}

Result<KernelPtr> PrepareDepthwiseQ16(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadDepthwiseConv2d(node));
  MACE_ASSIGN_OR_RETURN(const DepthwiseConv2dAttrs attrs,
                        ReadAttrs<DepthwiseConv2dAttrs>(node));
  const ConvShape& s = conv.shape;
  if (node.inputs[1].type.quantization->is_per_axis() &&
      s.out_per_group() > 1) {
    return Unsupported(Label(node), ": a quantized filter with ",
                       s.out_per_group(),
                       " outputs per channel must have one scale");
  }
  MACE_ASSIGN_OR_RETURN(Stage16 stage, MakeStage(node, attrs));
  return MakeConvQ16(node, s, ConvKind::kDepthwise, std::move(stage), context);
}

Result<KernelPtr> PrepareFullyConnectedQ16(const Node& node,
                                           CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const FullyConnectedAttrs attrs,
                        ReadAttrs<FullyConnectedAttrs>(node));
  MACE_ASSIGN_OR_RETURN(Stage16 stage, MakeStage(node, attrs));
  stage.stage.multipliers = DoubleFactors(node);
  const Shape& w = node.inputs[1].type.shape;
  ConvShape s;
  s.batch = NumElements(node.outputs[0].shape) / w[0];
  s.in_channels = w[1];
  s.out_channels = w[0];
  return MakeConvQ16(node, s, ConvKind::kPlain, std::move(stage), context);
}

}  // namespace mace::cpu
