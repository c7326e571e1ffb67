// Choosing the algorithm of a convolution or a matrix product.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv/conv_plan.h"

#include "mace/base/cpu_rows.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/conv/conv_cost.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/gemm/strassen.h"
#include "mace/cpu/winograd/conv_winograd_q8.h"
#include "mace/cpu/winograd/winograd.h"
#include "mace/graph/stored_weight.h"

namespace mace::cpu {
namespace {

// Strassen's method must cost less than this share of the product, as its sums
// take memory.
constexpr double kWorthSums = 0.97;
// A larger Winograd tile must cost at most this share of the best plan so far,
// as it takes accuracy and memory.
constexpr double kWorthATile = 0.9;

bool IsFloat(const GemmUkernel& kernel) { return kernel.types == kGemmF32; }

NodePlan PlanOfConvGemm(const Operand& filter, const ConvShape& s,
                        const CpuContext& context) {
  NodePlan plan;
  plan.method = Method::kGemm;
  plan.gemm.kernel = &ChooseGemm(
      filter,
      {s.rows(), s.out_per_group(), s.in_channels * s.window.w.stride * 4},
      context);
  plan.cost = Cost(DirectWork(s, context.caches), CostsOf(context.features));
  return plan;
}

bool MayWinograd(const Operand& filter, const ConvShape& s, int64_t tile,
                 const CpuContext& context) {
  return filter.data != nullptr && Winograd::Fits(s) && tile >= 2 &&
         tile <= context.max_winograd && tile % 2 == 0;
}

NodePlan WinogradOf(const ConvShape& s, int64_t tile,
                    const CpuContext& context) {
  const int m = static_cast<int>(tile);
  NodePlan plan;
  plan.method = Method::kWinograd;
  plan.tile = tile;
  plan.gemm.kernel = &ChooseGemmF32(
      {s.batch * CeilDiv(s.window.h.out, tile) * CeilDiv(s.window.w.out, tile)},
      context);
  plan.cost =
      Cost(WinogradWork(s, m, context.caches), CostsOf(context.features));
  return plan;
}

// Returns whether half the columns are whole vectors on every CPU. The last
// layer of most classifiers fails this on purpose: Strassen's method rounds the
// two halves of the columns differently, and a softmax amplifies small
// differences of large numbers.
bool HalvesAreWholeVectors(int64_t columns) {
  constexpr int64_t kLongest = 16;  // the same on every CPU
  return columns % (2 * kLongest) == 0;
}

bool MayStrassen(const Operand& filter, const ConvShape& s,
                 const NodePlan& product, const CpuContext& context) {
  return filter.data != nullptr && context.max_winograd > 0 && s.group == 1 &&
         HalvesAreWholeVectors(s.out_channels) &&
         StrassenGemm::Fits(ConvSpec(s, {}, product.gemm), context.caches);
}

NodePlan StrassenOf(const ConvShape& s, NodePlan product,
                    const CpuContext& context) {
  product.method = Method::kStrassen;
  product.cost =
      Cost(StrassenWork(s, context.caches), CostsOf(context.features));
  return product;
}

NodePlan ByCostModel(const Operand& filter, const ConvShape& s,
                     const CpuContext& context) {
  const NodePlan product = PlanOfConvGemm(filter, s, context);
  NodePlan best = product;
  best.cost *=
      static_cast<double>(SizeOf(product.gemm.kernel->types.b)) / sizeof(float);
  for (int64_t m = 2; MayWinograd(filter, s, m, context); m += 2) {
    const NodePlan other = WinogradOf(s, m, context);
    if (other.cost <= kWorthATile * best.cost) best = other;
  }
  if (best.method == Method::kWinograd) return best;
  if (!MayStrassen(filter, s, product, context)) return product;
  const NodePlan strassen = StrassenOf(s, product, context);
  return strassen.cost < kWorthSums * product.cost ? strassen : product;
}

// Returns `asked`, with the micro-kernel of `model` if that of `asked` cannot
// replace it, and with the depth divided as for `model`.
GemmPlan Resolved(const GemmPlan& asked, const GemmUkernel& model,
                  CpuFeatures features) {
  GemmPlan plan = asked;
  const GemmUkernel* kernel = asked.kernel;
  const bool fits =
      kernel != nullptr && (kernel->isa & features) == kernel->isa &&
      IsFloat(*kernel) && IsFloat(model) && PassesTest(*kernel) &&
      (model.packs != GemmPacks::kNever || kernel->packs == GemmPacks::kNever);
  if (!fits) plan.kernel = &model;
  plan.sums_as = &model;
  return plan;
}

// Quantized convolutions are not tuned.
NodePlan PlanConvQ8(const Operand& filter, const ConvShape& s,
                    const CpuContext& context) {
  const WinogradQ8& micro = ChooseRow(kWinogradQ8, context.features);
  const double byte = micro.costs.filter_byte;
  NodePlan plan;
  plan.method = Method::kGemm;
  plan.gemm.kernel = &ChooseGemmQ8(filter, context);
  plan.cost = Cost(DirectWorkQ8(s, context.caches), {0, 1, byte, 1, 0});
  if (!kHas8BitKernels || !MayWinograd(filter, s, kWinogradQ8Out, context) ||
      (micro.slower_than & context.features) != 0) {
    return plan;
  }
  const double cost = Cost(WinogradWorkQ8(s, micro, context.caches),
                           {0, micro.costs.product, byte, 1, 0});
  if (cost < plan.cost && ConvWinogradQ8::IsExact(filter, s)) {
    plan.method = Method::kWinograd;
    plan.tile = kWinogradQ8Out;
    plan.cost = cost;
  }
  return plan;
}

}  // namespace

NodePlan PlanConv(DataType x, const Operand& filter, const ConvShape& s,
                  const CpuContext& context, size_t link) {
  if (kHas8BitKernels && x != DataType::kF32) {
    return PlanConvQ8(filter, s, context);
  }
  const NodePlan* asked = context.asked_of(link);
  if (asked == nullptr) return ByCostModel(filter, s, context);
  NodePlan plan = PlanOfConvGemm(filter, s, context);
  if (asked->method == Method::kWinograd &&
      MayWinograd(filter, s, asked->tile, context)) {
    plan = WinogradOf(s, asked->tile, context);
  } else if (asked->method == Method::kStrassen &&
             MayStrassen(filter, s, plan, context)) {
    plan = StrassenOf(s, plan, context);
  } else if (asked->method != Method::kGemm) {
    return ByCostModel(filter, s, context);
  }
  plan.gemm = Resolved(asked->gemm, *plan.gemm.kernel, context.features);
  plan.chosen_by = asked->chosen_by;
  return plan;
}

NodePlan PlanConvGemm(const Operand& filter, const ConvShape& s,
                      const CpuContext& context) {
  return PlanOfConvGemm(filter, s, context);
}

std::vector<NodePlan> ConvMethods(const Operand& filter, const ConvShape& s,
                                  const CpuContext& context) {
  std::vector<NodePlan> plans = {PlanOfConvGemm(filter, s, context)};
  for (int64_t m = 2; MayWinograd(filter, s, m, context); m += 2) {
    plans.push_back(WinogradOf(s, m, context));
  }
  if (MayStrassen(filter, s, plans[0], context)) {
    plans.push_back(StrassenOf(s, plans[0], context));
  }
  return plans;
}

GemmPlan PlanGemm(const Operand& b, const GemmSize& size,
                  const CpuContext& context) {
  const GemmUkernel& model = ChooseGemm(b, size, context);
  const NodePlan* asked = context.asked_of(0);
  if (asked != nullptr) return Resolved(asked->gemm, model, context.features);
  GemmPlan plan;
  plan.kernel = &model;
  return plan;
}

int64_t PlanDepthwiseTile(const CpuContext& context, size_t link) {
  const NodePlan* asked = context.asked_of(link);
  return asked != nullptr ? asked->tile : 0;
}

NodePlan PlanNode(const Node& node, const CpuContext& context, size_t link) {
  NodePlan plan;
  if (node.inputs.empty() || node.inputs[0].type.dtype != DataType::kF32) {
    return plan;
  }
  if (node.op == "DepthwiseConv2d") {
    plan.method = Method::kDepthwise;
    plan.tile = PlanDepthwiseTile(context, link);
    return plan;
  }
  const bool has_quantized =
      node.inputs.size() > 1 && HasQuantizedRows(node.inputs[1]);
  if ((node.op == "MatMul" || node.op == "FullyConnected") && !has_quantized) {
    plan.method = Method::kGemm;  // by the cost model's micro-kernel
  }
  if (node.op == "Conv2d") {
    const Result<ConvNode> conv = ReadConv2d(node);
    if (conv.ok())
      return PlanConv(DataType::kF32, node.inputs[1], conv->shape, context,
                      link);
  }
  return plan;
}

}  // namespace mace::cpu
