// The candidates of tuning: one line for each.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/tuning/knobs.h"

#include <algorithm>
#include <string>

#include "mace/cpu/conv/conv_choice.h"
#include "mace/cpu/conv/conv_kernel.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_strassen_kernel.h"
#include "mace/cpu/conv/winograd.h"

namespace mace::cpu {
namespace {

// A tile that the cost model finds so many times as slow is not tried.
constexpr double kHopeless = 1.5;

// What decides which knobs there are.
struct Facts {
  bool is_fused = false;
  bool has_product = false;
  bool has_depthwise = false;
  bool packs_rows = false;
  bool uses_winograd = false;
  bool uses_strassen = false;
  bool may_use_strassen = false;
  std::vector<int64_t> winograds;
};

void ReadConv(const Node& node, const CpuContext& context, Facts& facts) {
  const auto conv = ReadConv2d(node);
  if (!conv.ok() || node.inputs[1].data == nullptr) return;
  const ConvShape& s = conv->shape;
  const bool uses_strassen = IsStrassen(node.inputs[1], s, context);
  facts.uses_strassen = facts.uses_strassen || uses_strassen;
  facts.may_use_strassen =
      facts.may_use_strassen || uses_strassen ||
      (CanStrassen(s, context) && StrassenCost(s) < kHopeless * DirectCost(s));
  if (facts.is_fused) return;
  facts.uses_winograd = WinogradOf(node.inputs[1], s, context) > 0;
  if (!Winograd::Fits(s)) return;
  double least = DirectCost(s);
  for (int m = 2; m <= context.max_winograd; m += 2) {
    least = std::min(least, WinogradCost(s, m));
  }
  for (int m = 0; m <= context.max_winograd; m += 2) {
    const double cost = m == 0 ? DirectCost(s) : WinogradCost(s, m);
    if (cost < kHopeless * least) facts.winograds.push_back(m);
  }
}

Facts FactsOf(const std::vector<FusedNode>& links, const CpuContext& context) {
  Facts facts;
  facts.is_fused = links.size() > 1;
  for (const FusedNode& link : links) {
    const Node& node = *link.node;
    if (node.inputs.empty() || node.inputs[0].type.dtype != DataType::kF32) {
      return Facts();
    }
    const auto is = [&node](const char* op) { return node.op == op; };
    facts.has_depthwise = facts.has_depthwise || is("DepthwiseConv2d");
    if (!is("Conv2d") && !is("MatMul") && !is("FullyConnected")) continue;
    // A product with a single row streams its weights.
    const Shape& y = node.outputs[0].shape;
    if (y.empty() || NumElements(y) == y.back()) continue;
    facts.has_product = true;
    facts.packs_rows =
        ChooseGemm(node.inputs[1], {}, context).packs != GemmPacks::kNever ||
        facts.packs_rows;
    if (is("Conv2d")) ReadConv(node, context, facts);
  }
  return facts;
}

// Each but those that have a scalar kernel only.
std::vector<int64_t> GemmRows(CpuFeatures features) {
  std::vector<int64_t> rows;
  for (const GemmUkernel& row : kGemm) {
    const bool fits = row.types == kGemmF32 && row.isa != 0 &&
                      (row.isa & features) == row.isa;
    if (fits) rows.push_back(static_cast<int64_t>(rows.size()));
  }
  return rows;
}

}  // namespace

std::vector<Knob> KnobsOf(const std::vector<FusedNode>& links,
                          const CpuContext& context) {
  std::vector<Knob> knobs;
  const Facts f = FactsOf(links, context);
  const auto add = [&](bool applies, int64_t KernelChoice::* value,
                       std::vector<int64_t> values) {
    if (!applies) return;
    for (const ChoiceField& field : kChoiceFields) {
      if (field.value == value) knobs.push_back({&field, std::move(values)});
    }
  };
  const bool product = f.has_product;
  const bool in_place =
      product && !f.packs_rows && !f.uses_winograd && !f.uses_strassen;
  add(f.is_fused && product, &KernelChoice::chain, {0, 1});
  if (f.is_fused && context.choice.chain == 0) return knobs;
  add(f.winograds.size() > 1, &KernelChoice::winograd, f.winograds);
  add(f.may_use_strassen && !f.uses_winograd, &KernelChoice::strassen, {0, 1});
  add(in_place, &KernelChoice::copy, {0, 1});
  add(product, &KernelChoice::gemm, GemmRows(context.features));
  add(product && !f.is_fused, &KernelChoice::block, {-1, 0, 1});
  add(f.is_fused && f.has_depthwise, &KernelChoice::step, {-1, 0, 1});
  add(f.has_depthwise, &KernelChoice::width, {2, 4, 8, 32});
  return knobs;
}

}  // namespace mace::cpu
