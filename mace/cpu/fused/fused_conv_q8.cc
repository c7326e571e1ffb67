// Choosing convolutions of quantized values to compute by lines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_conv_q8.h"

#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "mace/cpu/common/blocks.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_q8.h"
#include "mace/cpu/fused/fused_conv_kernel.h"
#include "mace/cpu/fused/fusing.h"

namespace mace::cpu {
namespace {

struct FusedGemmQ8 final : FusedStage {
  FusedGemmQ8(const ConvShape& shape_in, ConvGemmQ8 kernel_in)
      : FusedStage(shape_in, /*is_depthwise_in=*/false),
        kernel(std::move(kernel_in)) {}

  int64_t thread_scratch_bytes() const override {
    return kernel.scratch_bytes();
  }
  std::string variant() const override { return kernel.gemm.variant(); }
  void RunRows(const RunArgs&, int64_t begin, int64_t end, const void* x,
               void* y, int64_t, void* scratch) const override {
    kernel.RunRows(begin, end, static_cast<const uint8_t*>(x),
                   static_cast<uint8_t*>(y), scratch);
  }

  ConvGemmQ8 kernel;
};

struct FusedDepthwiseQ8 final : FusedStage {
  FusedDepthwiseQ8(const ConvShape& shape_in, DepthwiseQ8 kernel_in)
      : FusedStage(shape_in, /*is_depthwise_in=*/true),
        kernel(std::move(kernel_in)) {}

  int64_t thread_scratch_bytes() const override {
    return kernel.thread_scratch_bytes();
  }
  std::string variant() const override { return kernel.variant(); }
  void RunLine(const RunArgs&, const Lines::Ring& x, int64_t p, void* y,
               void* scratch) const override {
    kernel.RunLine({static_cast<const uint8_t*>(x.begin), x.lines}, p,
                   static_cast<uint8_t*>(y), scratch);
  }

  DepthwiseQ8 kernel;
};

// Checks that the nodes are of the kinds that can be fused, in their order.
bool MatchesFusedConvQ8(const std::vector<FusedNode>& chain) {
  if (chain.size() < 2 || chain.size() > Lines::kMaxStages) return false;
  for (size_t i = 0; i < chain.size(); ++i) {
    const Node& node = *chain[i].node;
    const bool is_depthwise = node.op == "DepthwiseConv2d";
    if (!is_depthwise && node.op != "Conv2d") return false;
    if (i > 0 && (chain[i].previous != 0 || chain[i - 1].node->op == node.op)) {
      return false;
    }
    const TensorType& x = node.inputs[0].type;
    if (!x.is_quantized() || SizeOf(x.dtype) != 1 || x.shape[0] != 1) {
      return false;
    }
  }
  return true;
}

// A smaller tensor before a 1x1 convolution is read again from the second-level
// cache as fast as from a few lines, and of fewer lines some tiles are not
// full.
constexpr int64_t kLargeBytes = 1 << 18;

// Checks whether a stage can be one, and pays.
Status CheckStage(const std::vector<FusedNode>& chain, size_t i,
                  const ConvShape& s, const CpuContext& context) {
  const bool before = i + 1 < chain.size(), after = i > 0;
  if (chain[i].node->op == "DepthwiseConv2d") {
    // The last one may be fused with what follows it instead.
    const bool is_fine = s.out_per_group() == 1 && (i < 2 || before);
    return is_fine ? Status() : NotWorthFusing(chain[i]);
  }
  const bool is_pointwise = IsPointwise(s);
  // What does not lie beyond a depthwise convolution may also be as fast by
  // Winograd's method.
  if (s.group != 1 || (!is_pointwise && (after || s.window.h.stride == 1))) {
    return NotWorthFusing(chain[i]);
  }
  if (IsFusionForced(context)) return Status();
  const bool is_large =
      s.window.h.in * s.window.w.in * s.in_channels >= kLargeBytes;
  if ((after && !is_large) || (before && !IsFar(s, 1))) {
    return NotWorthFusing(chain[i]);
  }
  return Status();
}

}  // namespace

Result<KernelPtr> PrepareFusedConvQ8(const std::vector<FusedNode>& chain,
                                     CpuContext& context) {
  if (!MatchesFusedConvQ8(chain)) {
    return Unsupported("these nodes cannot be fused as convolutions");
  }
  std::vector<ConvShape> shapes;
  for (size_t i = 0; i < chain.size(); ++i) {
    const Node& node = *chain[i].node;
    MACE_ASSIGN_OR_RETURN(const ConvNode conv, node.op == "Conv2d"
                                                   ? ReadConv2d(node)
                                                   : ReadDepthwiseConv2d(node));
    MACE_RETURN_IF_ERROR(CheckStage(chain, i, conv.shape, context));
    if (i > 0 && !HasSameLines(shapes.back(), conv.shape)) {
      return NotWorthFusing(chain[i]);
    }
    shapes.push_back(conv.shape);
  }
  FusedConv::Spec spec;
  spec.element_bytes = 1;
  spec.blocks = BlocksOf(context.caches);
  // However large a filter, few lines are as good as many.
  spec.blocks.fused_large_filter = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < chain.size(); ++i) {
    const Node& node = *chain[i].node;
    if (node.op == "Conv2d") {
      MACE_ASSIGN_OR_RETURN(ConvGemmQ8 product,
                            MakeConvRowsQ8(node, shapes[i], context));
      spec.stages.push_back(
          std::make_unique<FusedGemmQ8>(shapes[i], std::move(product)));
    } else {
      MACE_ASSIGN_OR_RETURN(DepthwiseQ8 depthwise,
                            MakeDepthwiseQ8(node, shapes[i], context));
      spec.stages.push_back(
          std::make_unique<FusedDepthwiseQ8>(shapes[i], std::move(depthwise)));
    }
  }
  return KernelPtr(
      std::make_unique<FusedConv>(std::move(spec), context.threads));
}

}  // namespace mace::cpu
