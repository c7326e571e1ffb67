// Which chains of convolutions run as one kernel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv_chain.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "mace/cpu/conv_chain_kernel.h"
#include "mace/cpu/conv_f16_kernel.h"
#include "mace/cpu/conv_kernel.h"
#include "mace/cpu/conv_node.h"
#include "mace/cpu/conv_strassen_kernel.h"
#include "mace/graph/attrs.h"
#include "mace/ops/eltwise.h"

namespace mace::cpu {
namespace {

// A tensor before the depthwise convolution that is smaller than this stays in
// the second-level cache: computing lines twice would cost more than it gains.
constexpr int64_t kFarBytes = 1 << 20;
Status NotWorthIt(const ChainLink& link) {
  return Unsupported(Label(*link.node) + ": runs as well on its own");
}

// `dtype` is that of the activations.
bool IsConstant(const Node& node, DataType dtype) {
  return node.inputs[0].type.dtype == dtype &&
         node.inputs[0].type.shape[0] == 1 && node.inputs[1].data != nullptr &&
         NumElements(node.outputs[0].shape) > 0;
}

// The ops of a chain, in order.
struct Links {
  const ChainLink* before = nullptr;
  const ChainLink* depthwise = nullptr;
  const ChainLink* after = nullptr;
  const ChainLink* sum = nullptr;
};

// Takes the next link if it is `op`.
const ChainLink* Take(const std::vector<ChainLink>& chain, const char* op,
                      size_t* i) {
  return *i < chain.size() && chain[*i].node->op == op ? &chain[(*i)++]
                                                       : nullptr;
}

bool Match(const std::vector<ChainLink>& chain, Links* links) {
  size_t i = 0;
  links->before = Take(chain, "Conv2d", &i);
  links->depthwise = Take(chain, "DepthwiseConv2d", &i);
  if (links->depthwise != nullptr) links->after = Take(chain, "Conv2d", &i);
  if (links->depthwise == nullptr || links->after != nullptr) {
    links->sum = Take(chain, "Eltwise", &i);
  }
  // Of halves only a convolution and its sum are one kernel.
  const DataType dtype = links->depthwise == nullptr
                             ? chain[0].node->inputs[0].type.dtype
                             : DataType::kF32;
  const auto fits = [dtype](const ChainLink* link) {
    return link == nullptr ||
           (link->previous <= 0 && IsConstant(*link->node, dtype));
  };
  return i == chain.size() && chain.size() > 1 && fits(links->before) &&
         fits(links->depthwise) && fits(links->after);
}

// The activation of a sum of two tensors of one shape.
// Errors: MACE_UNSUPPORTED for any other node.
Result<ActivationFunction> ReadSum(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const EltwiseAttrs attrs,
                        ReadAttrs<EltwiseAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const EltwiseType type, ParseEltwiseType(node, attrs));
  if (type != EltwiseType::kSum || node.inputs.size() != 2 ||
      !(node.inputs[0].type == node.outputs[0]) ||
      !(node.inputs[1].type == node.outputs[0])) {
    return Unsupported(Label(node) + ": not a sum of tensors of one shape");
  }
  return ResolveActivation(node, attrs);
}

bool IsPointwise(const ConvShape& s) {
  const Patches patches = {s.window, s.batch, s.in_channels, s.in_channels};
  return s.group == 1 && patches.is_matrix();
}

bool BeforePays(const ConvShape& s, const CpuContext& context) {
  const int64_t bytes = s.window.h.out * s.window.w.out * s.out_channels * 4;
  return IsPointwise(s) && (context.choice.chain > 0 || bytes >= kFarBytes);
}

// Not where the filter is larger than what it multiplies: threads share its
// columns then. Not where a Strassen product's pairs of lines, all of which
// must be at hand, are too few to be shared.
bool AfterPays(const Operand& filter, const ConvShape& s,
               const CpuContext& context) {
  const int64_t threads = context.threads->num_threads();
  const int64_t lines = s.window.h.out;
  if (!IsPointwise(s)) return false;
  if (IsStrassen(filter, s, context)) {
    return lines % 2 == 0 &&
           (lines % (2 * threads) == 0 || lines >= 16 * threads);
  }
  const int64_t rows = lines * s.window.w.out;
  return context.choice.chain > 0 || threads == 1 || rows > s.out_channels ||
         (lines % threads == 0 && 4 * rows > s.out_channels);
}

Result<ChainProduct> MakeProduct(const Node& node, const ConvNode& conv,
                                 int64_t x_pixel, int bias,
                                 const ActivationFunction& sum_activation,
                                 CpuContext& context) {
  const Operand& filter = node.inputs[1];
  const bool strassen = IsStrassen(filter, conv.shape, context);
  ConvProduct made;
  if (strassen) {
    made.spec = ConvSpec(filter, conv.shape, conv.activation, context);
  } else {
    MACE_ASSIGN_OR_RETURN(made,
                          MakeConvProduct(filter, conv.shape, Oihw(conv.shape),
                                          conv.activation, context));
  }
  made.spec.one_thread = true;
  made.spec.sum_activation = sum_activation;
  made.spec.patches.pixel_stride = x_pixel;
  ChainProduct product = {conv.shape, std::move(made.filter),
                          ConvGemm(made.spec, context), bias};
  if (!strassen) return product;
  product.strassen.emplace(made.spec, context);
  MACE_ASSIGN_OR_RETURN(product.strassen_filter,
                        PackStrassen(filter, conv.shape, context));
  return product;
}

// The indices of biases among the inputs of a chain: x; filter and bias, if
// there is one, of each node; the addend.
class InputIndices {
 public:
  // Of the node's bias, -1 without; the next call is for the next node.
  int NextBias(const Node& node) {
    const int at = next_ + 1;
    next_ += static_cast<int>(node.inputs.size()) - 1;
    return node.has_input(2) ? at : -1;
  }
  int next() const { return next_; }

 private:
  int next_ = 1;
};

Result<KernelPtr> PrepareSum(const ChainLink& link,
                             const ActivationFunction& sum_activation,
                             CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(*link.node));
  if (link.node->inputs[0].type.dtype == DataType::kF16) {
    return PrepareConvSumF16(*link.node, conv, sum_activation, context);
  }
  if (link.node->inputs[1].data == nullptr ||
      WinogradOf(link.node->inputs[1], conv.shape, context) > 0) {
    return NotWorthIt(link);
  }
  return PrepareConvSum(*link.node, conv, sum_activation, context);
}

Result<KernelPtr> PrepareLines(const Links& links,
                               const ActivationFunction& sum_activation,
                               CpuContext& context) {
  const ChainLink& middle = *links.depthwise;
  MACE_ASSIGN_OR_RETURN(const ConvNode depthwise,
                        ReadDepthwiseConv2d(*middle.node));
  const ConvShape& shape = depthwise.shape;
  if (shape.out_per_group() != 1) return NotWorthIt(middle);
  InputIndices inputs;
  std::optional<ChainProduct> before, after;
  if (links.before != nullptr) {
    const Node& node = *links.before->node;
    MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(node));
    if (!BeforePays(conv.shape, context) ||
        IsStrassen(node.inputs[1], conv.shape, context)) {
      return NotWorthIt(middle);
    }
    MACE_ASSIGN_OR_RETURN(before,
                          MakeProduct(node, conv, conv.shape.in_channels,
                                      inputs.NextBias(node), {}, context));
  }
  const int bias = inputs.NextBias(*middle.node);
  Depthwise::Spec spec = {shape.window, 1, shape.in_channels,
                          depthwise.activation};
  if (links.after != nullptr) {
    const Node& node = *links.after->node;
    MACE_ASSIGN_OR_RETURN(const ConvNode conv, ReadConv2d(node));
    if (!AfterPays(node.inputs[1], conv.shape, context)) {
      return NotWorthIt(middle);
    }
    // Pairs of lines are far from each other, the ring has but the last few.
    if (before && IsStrassen(node.inputs[1], conv.shape, context)) {
      return NotWorthIt(middle);
    }
    spec.y_pixel = ChainPixel(shape.out_channels);
    MACE_ASSIGN_OR_RETURN(
        after, MakeProduct(node, conv, spec.y_pixel, inputs.NextBias(node),
                           sum_activation, context));
    if (links.sum != nullptr) after->addend = inputs.next();
  }
  Depthwise lines(spec, context);
  MACE_ASSIGN_OR_RETURN(auto taps,
                        lines.PackConstant(middle.node->inputs[1], context));
  return KernelPtr(std::make_unique<ConvChain>(
      ConvChain::Spec{std::move(before), std::move(lines), shape,
                      std::move(taps), bias, std::move(after),
                      context.choice.step},
      context.threads));
}

}  // namespace

Result<KernelPtr> PrepareConvChain(const std::vector<ChainLink>& chain,
                                   CpuContext& context) {
  Links links;
  if (context.reference || context.choice.chain == 0 || !Match(chain, &links)) {
    return NotWorthIt(chain[0]);
  }
  ActivationFunction sum_activation;
  if (links.sum != nullptr) {
    MACE_ASSIGN_OR_RETURN(sum_activation, ReadSum(*links.sum->node));
  }
  if (links.depthwise == nullptr) {
    return PrepareSum(*links.before, sum_activation, context);
  }
  return PrepareLines(links, sum_activation, context);
}

}  // namespace mace::cpu
