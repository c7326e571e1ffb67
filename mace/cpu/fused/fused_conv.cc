// Deciding which convolutions run as one kernel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_conv.h"

#include <optional>
#include <utility>

#include "mace/base/cpu_rows.h"
#include "mace/base/search.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_plan.h"
#include "mace/cpu/fused/fused_conv_kernel.h"
#include "mace/cpu/fused/fused_conv_q8.h"
#include "mace/cpu/fused/fusing.h"
#include "mace/graph/attrs.h"
#include "mace/ops/eltwise.h"

namespace mace::cpu {
namespace {

// `dtype` is the type of the activations.
bool IsConstant(const Node& node, DataType dtype) {
  return node.inputs[0].type.dtype == dtype &&
         node.inputs[0].type.shape[0] == 1 && node.inputs[1].data != nullptr &&
         NumElements(node.outputs[0].shape) > 0;
}

// The nodes to be fused: convolutions and depthwise convolutions in turn, and
// perhaps a sum after a convolution.
struct Links {
  std::vector<const FusedNode*> convs;
  const FusedNode* sum = nullptr;
};

bool IsDepthwise(const FusedNode& link) {
  return link.node->op == "DepthwiseConv2d";
}

bool MatchFusedConv(const std::vector<FusedNode>& chain, Links* links) {
  for (const FusedNode& link : chain) {
    const bool after_depthwise =
        !links->convs.empty() && IsDepthwise(*links->convs.back());
    if (links->sum != nullptr) return false;
    if (link.node->op == "Eltwise" && !links->convs.empty() &&
        !after_depthwise) {
      links->sum = &link;
      continue;
    }
    if (!IsDepthwise(link) && link.node->op != "Conv2d") return false;
    if (!links->convs.empty() && IsDepthwise(link) == after_depthwise) {
      return false;
    }
    if (link.previous > 0) return false;
    links->convs.push_back(&link);
  }
  if (chain.size() < 2 || links->convs.size() > Lines::kMaxStages) {
    return false;
  }
  // In fp16, only a convolution and its sum can be fused.
  const DataType dtype = links->convs.size() == 1
                             ? chain[0].node->inputs[0].type.dtype
                             : DataType::kF32;
  return AllOf(links->convs, [dtype](const FusedNode* link) {
    return IsConstant(*link->node, dtype);
  });
}

// Returns the activation of a sum of two tensors of equal shape. Errors:
// MACE_UNSUPPORTED for any other node.
Result<ActivationFunction> ReadSum(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  if (type != EltwiseType::kSum || node.inputs.size() != 2 ||
      !(node.inputs[0].type == node.outputs[0]) ||
      !(node.inputs[1].type == node.outputs[0])) {
    return Unsupported(Label(node), ": not a sum of tensors of one shape");
  }
  return ResolveActivation(node, attrs);
}

// A convolution and the way in which it is computed.
struct PlannedConv {
  ConvNode conv;
  NodePlan plan;  // unless it is depthwise
};

// Returns whether it pays that a convolution passes its lines on to a depthwise
// one.
bool BeforePays(const PlannedConv& conv, const CpuContext& context) {
  const ConvShape& s = conv.conv.shape;
  return s.group == 1 && conv.plan.method == Method::kGemm &&
         (IsFusionForced(context) || IsFar(s, 4));
}

// Returns whether it pays that a convolution takes its lines from a depthwise
// one. It does not if the filter is larger than its input, because threads then
// share the columns of the filter, nor if Strassen's method has too few pairs
// of lines to share among the threads.
bool AfterPays(const PlannedConv& conv, const CpuContext& context) {
  const ConvShape& s = conv.conv.shape;
  const int64_t threads = context.threads->num_threads();
  const int64_t lines = s.window.h.out;
  if (!IsPointwise(s)) return false;
  if (conv.plan.method == Method::kStrassen) {
    return lines % 2 == 0 &&
           (lines % (2 * threads) == 0 || lines >= 16 * threads);
  }
  const int64_t rows = lines * s.window.w.out;
  return IsFusionForced(context) || threads == 1 || rows > s.out_channels ||
         (lines % threads == 0 && 4 * rows > s.out_channels);
}

Result<std::unique_ptr<FusedGemm>> MakeGemm(
    const Node& node, const PlannedConv& planned, int64_t x_pixel, int bias,
    const ActivationFunction& sum_activation, CpuContext& context) {
  const ConvNode& conv = planned.conv;
  const GemmPlan& plan = planned.plan.gemm;
  const Operand& filter = node.inputs[1];
  const bool strassen = planned.plan.method == Method::kStrassen;
  PackedConvGemm made;
  if (strassen) {
    made.spec = ConvSpec(conv.shape, conv.activation, plan);
  } else {
    MACE_ASSIGN_OR_RETURN(made,
                          PackConvGemm(filter, conv.shape, Oihw(conv.shape),
                                       conv.activation, plan, context));
  }
  made.spec.one_thread = true;
  made.spec.sum_activation = sum_activation;
  made.spec.patches.pixel_stride = x_pixel;
  auto product = std::make_unique<FusedGemm>(
      conv.shape, std::move(made.filter), ConvGemm(made.spec, context), bias);
  product->plan_cost = planned.plan.cost;
  if (strassen) {
    product->strassen.emplace(made.spec, context);
    MACE_ASSIGN_OR_RETURN(
        product->strassen_filter,
        PackStrassen(filter, conv.shape, *plan.kernel, context));
  }
  return product;
}

// Assigns the indices of biases among the inputs of the fused nodes: x; then
// the filter and the bias, if it has one, of each node; then the addend.
class InputIndices {
 public:
  // Returns the index of the node's bias, or -1 if it has none. Must be called
  // once for each node, in order.
  int NextBias(const Node& node) {
    const int at = next_ + 1;
    next_ += static_cast<int>(node.inputs.size()) - 1;
    return node.has_input(2) ? at : -1;
  }
  int next() const { return next_; }

 private:
  int next_ = 1;
};

Result<KernelPtr> PrepareSum(const FusedNode& link,
                             const ActivationFunction& sum_activation,
                             CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(*link.node));
  if constexpr (kHas16BitKernels) {
    if (link.node->inputs[0].type.dtype == DataType::kF16) {
      return PrepareConvSumF16(*link.node, conv, sum_activation, context);
    }
  }
  const Operand& filter = link.node->inputs[1];
  const NodePlan plan = PlanConv(DataType::kF32, filter, conv.shape, context);
  if (filter.data == nullptr || plan.method == Method::kWinograd) {
    return NotWorthFusing(link);
  }
  return PrepareConvSum(*link.node, conv, plan, sum_activation, context);
}

// Checks whether fusing pays for convolution i. Errors: MACE_UNSUPPORTED if it
// does not.
Status CheckLink(const Links& links, size_t i, const PlannedConv& conv,
                 const CpuContext& context) {
  const FusedNode& link = *links.convs[i];
  if (IsDepthwise(link)) {
    return conv.conv.shape.out_per_group() == 1 ? Status()
                                                : NotWorthFusing(link);
  }
  // Strassen's method pairs lines that are far apart, but a ring holds only the
  // latest few.
  if (i > 1 && conv.plan.method == Method::kStrassen) {
    return NotWorthFusing(link);
  }
  if (i > 0 && !AfterPays(conv, context)) return NotWorthFusing(link);
  if (i + 1 < links.convs.size() && !BeforePays(conv, context)) {
    return NotWorthFusing(link);
  }
  return Status();
}

Result<std::unique_ptr<FusedDepthwise>> MakeDepthwise(const Node& node,
                                                      const ConvNode& conv,
                                                      int64_t y_pixel,
                                                      int64_t tile, int bias,
                                                      CpuContext& context) {
  Depthwise::Spec spec = {conv.shape.window, 1, conv.shape.in_channels,
                          conv.activation};
  spec.y_pixel = y_pixel;
  spec.tile = tile;
  Depthwise kernel(spec, context);
  MACE_ASSIGN_OR_RETURN(auto taps,
                        kernel.PackConstant(node.inputs[1], context));
  return std::make_unique<FusedDepthwise>(conv.shape, std::move(kernel),
                                          std::move(taps), bias);
}

// Returns the convolutions with their plans. Errors: MACE_UNSUPPORTED if they
// are as fast one by one.
Result<std::vector<PlannedConv>> PlanLinks(const Links& links,
                                           const CpuContext& context) {
  const size_t num_convs = links.convs.size();
  // The last depthwise convolution may be fused with what follows it instead.
  if (num_convs > 2 && IsDepthwise(*links.convs.back())) {
    return NotWorthFusing(*links.convs.back());
  }
  std::vector<PlannedConv> convs;
  for (size_t i = 0; i < num_convs; ++i) {
    const Node& node = *links.convs[i]->node;
    PlannedConv planned;
    if (IsDepthwise(*links.convs[i])) {
      MACE_ASSIGN_OR_RETURN(planned.conv, ReadDepthwiseConv2d(node));
    } else {
      MACE_ASSIGN_OR_RETURN(planned.conv, ReadConv2d(node));
      planned.plan = PlanConv(DataType::kF32, node.inputs[1],
                              planned.conv.shape, context, i);
    }
    MACE_RETURN_IF_ERROR(CheckLink(links, i, planned, context));
    if (i > 0 && !HasSameLines(convs.back().conv.shape, planned.conv.shape)) {
      return NotWorthFusing(*links.convs[i]);
    }
    convs.push_back(planned);
  }
  return convs;
}

Result<KernelPtr> PrepareLines(const Links& links,
                               const ActivationFunction& sum_activation,
                               CpuContext& context) {
  const size_t num_convs = links.convs.size();
  MACE_ASSIGN_OR_RETURN(const std::vector<PlannedConv> convs,
                        PlanLinks(links, context));
  InputIndices inputs;
  FusedConv::Spec spec;
  spec.blocks = BlocksOf(context.caches);
  if (context.asked != nullptr) spec.lines = context.asked->lines;
  for (size_t i = 0; i < num_convs; ++i) {
    const Node& node = *links.convs[i]->node;
    const ConvShape& s = convs[i].conv.shape;
    const int bias = inputs.NextBias(node);
    const bool last = i + 1 == num_convs;
    if (IsDepthwise(*links.convs[i])) {
      const int64_t y_pixel =
          last ? 0 : FusedPixel(s.out_channels, spec.blocks);
      MACE_ASSIGN_OR_RETURN(
          auto depthwise,
          MakeDepthwise(node, convs[i].conv, y_pixel,
                        PlanDepthwiseTile(context, i), bias, context));
      spec.stages.push_back(std::move(depthwise));
      continue;
    }
    const int64_t x_pixel =
        i == 0 ? s.in_channels : FusedPixel(s.in_channels, spec.blocks);
    MACE_ASSIGN_OR_RETURN(
        auto product,
        MakeGemm(node, convs[i], x_pixel, bias,
                 last ? sum_activation : ActivationFunction(), context));
    if (last && links.sum != nullptr) product->addend = inputs.next();
    if (product->strassen) spec.strassen = product.get();
    spec.stages.push_back(std::move(product));
  }
  return KernelPtr(
      std::make_unique<FusedConv>(std::move(spec), context.threads));
}

}  // namespace

Result<KernelPtr> PrepareFusedConv(const std::vector<FusedNode>& chain,
                                   CpuContext& context) {
  const bool never =
      context.asked != nullptr && context.asked->fusion == Fusion::kNever;
  const bool allowed = !context.reference && !never;
  if (kHas8BitKernels && allowed &&
      chain[0].node->inputs[0].type.is_quantized()) {
    return PrepareFusedConvQ8(chain, context);
  }
  Links links;
  if (!allowed || !MatchFusedConv(chain, &links)) {
    return Unsupported("these nodes cannot be fused as convolutions");
  }
  ActivationFunction sum_activation;
  if (links.sum != nullptr) {
    MACE_ASSIGN_OR_RETURN(sum_activation, ReadSum(*links.sum->node));
  }
  if (links.convs.size() == 1) {
    return PrepareSum(*links.convs[0], sum_activation, context);
  }
  return PrepareLines(links, sum_activation, context);
}

}  // namespace mace::cpu
