// Lists the candidates of each aspect.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/tuning/search_space.h"

#include <algorithm>
#include <functional>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_plan.h"

namespace mace::cpu {
namespace {

// Methods are not tried if the cost model predicts at least this many times the
// least cost.
constexpr double kHopeless = 1.5;

// Returns whether a product has several rows. With a single one, reading the
// weights takes all the time, and no candidate changes that.
bool HasRows(const Node& node) {
  const Shape& y = node.outputs[0].shape;
  return !y.empty() && NumElements(y) != y.back();
}

class Space {
 public:
  Space(const std::vector<FusedNode>& links, const StepPlan& best,
        const CpuContext& context)
      : links_(links), best_(best), context_(context) {}

  std::vector<StepPlan> Candidates(Aspect aspect) {
    const bool fused = links_.size() > 1;
    if (aspect == Aspect::kFusion && fused && Any(&Space::IsGemm)) {
      AddFusion(Fusion::kNever);
      AddFusion(Fusion::kAlways);
    }
    if (fused && best_.fusion == Fusion::kNever) return std::move(found_);
    switch (aspect) {
      case Aspect::kMethod:
        for (size_t i = 0; i < links_.size(); ++i) AddMethods(i);
        break;
      case Aspect::kRows:
        if (Any(&Space::HasOtherRows)) break;
        AddRows(RowAccess::kInPlace);
        AddRows(RowAccess::kCopied);
        break;
      case Aspect::kKernel:
        AddKernels();
        break;
      case Aspect::kBlock:
        if (!fused) AddSizes(&Space::IsBlocked, {-1, 0, 1}, &GemmPlan::block);
        break;
      case Aspect::kLines:
        if (fused && Any(&Space::IsDepthwise)) AddLines();
        break;
      case Aspect::kTile:
        AddTiles();
        break;
      case Aspect::kFusion:
        break;
    }
    return std::move(found_);
  }

  bool IsEmpty() const {
    return !Any(&Space::IsGemm) && !Any(&Space::IsDepthwise);
  }

 private:
  using Applies = bool (Space::*)(size_t i) const;

  bool IsGemm(size_t i) const {
    return best_.nodes[i].has_gemm() && HasRows(*links_[i].node);
  }
  bool IsBlocked(size_t i) const {
    return IsGemm(i) && best_.nodes[i].method != Method::kStrassen;
  }
  bool IsDepthwise(size_t i) const {
    return best_.nodes[i].method == Method::kDepthwise;
  }
  // Returns whether RowAccess has no effect on a product.
  bool HasOtherRows(size_t i) const {
    if (!IsGemm(i)) return false;
    const NodePlan& plan = best_.nodes[i];
    const GemmUkernel& kernel =
        plan.gemm.kernel != nullptr
            ? *plan.gemm.kernel
            : ChooseGemm(links_[i].node->inputs[1], {}, context_);
    return plan.method != Method::kGemm || kernel.packs != GemmPacks::kNever;
  }
  bool Any(Applies applies) const {
    for (size_t i = 0; i < links_.size(); ++i) {
      if ((this->*applies)(i)) return true;
    }
    return false;
  }

  void Add(StepPlan plan) {
    if (plan == best_) return;
    for (NodePlan& node : plan.nodes) node.chosen_by = ChosenBy::kTuning;
    found_.push_back(std::move(plan));
  }
  void AddFusion(Fusion fusion) {
    StepPlan plan = best_;
    plan.fusion = fusion;
    Add(std::move(plan));
  }
  // Adds a plan with `change` made to all nodes for which `applies` is true.
  void AddChanged(Applies applies,
                  const std::function<void(NodePlan&)>& change) {
    StepPlan plan = best_;
    for (size_t i = 0; i < links_.size(); ++i) {
      if ((this->*applies)(i)) change(plan.nodes[i]);
    }
    Add(std::move(plan));
  }

  void AddMethods(size_t i) {
    const Node& node = *links_[i].node;
    if (node.op != "Conv2d" || !IsGemm(i)) return;
    const auto conv = ReadConv2d(node);
    if (!conv.ok()) return;
    std::vector<NodePlan> plans =
        ConvMethods(node.inputs[1], conv->shape, context_);
    double least = plans[0].cost;
    for (const NodePlan& plan : plans) least = std::min(least, plan.cost);
    for (const NodePlan& plan : plans) {
      // Fused kernels do not support Winograd's method.
      if (links_.size() > 1 && plan.method == Method::kWinograd) continue;
      if (plan.cost >= kHopeless * least) continue;
      StepPlan step = best_;
      step.nodes[i] = plan;
      Add(std::move(step));
    }
  }

  void AddRows(RowAccess rows) {
    AddChanged(&Space::IsGemm,
               [rows](NodePlan& plan) { plan.gemm.rows = rows; });
  }

  // The scalar micro-kernel is no candidate.
  void AddKernels() {
    for (const GemmUkernel& row : kGemm) {
      const bool runs = (row.isa & context_.features) == row.isa;
      if (!(row.types == kGemmF32) || row.isa == 0 || !runs) continue;
      if (!PassesTest(row)) continue;
      AddChanged(&Space::IsGemm,
                 [&row](NodePlan& plan) { plan.gemm.kernel = &row; });
    }
  }

  void AddSizes(Applies applies, const std::vector<int64_t>& sizes,
                int64_t GemmPlan::* field) {
    for (const int64_t size : sizes) {
      AddChanged(applies, [&](NodePlan& plan) { plan.gemm.*field = size; });
    }
  }

  void AddLines() {
    for (const int64_t lines : {-1, 0, 1}) {
      StepPlan plan = best_;
      plan.lines = lines;
      Add(std::move(plan));
    }
  }

  void AddTiles() {
    if (!Any(&Space::IsDepthwise)) return;
    for (const int64_t tile : {2, 4, 8, 32}) {
      AddChanged(&Space::IsDepthwise,
                 [tile](NodePlan& plan) { plan.tile = tile; });
    }
  }

  const std::vector<FusedNode>& links_;
  const StepPlan& best_;
  const CpuContext& context_;
  std::vector<StepPlan> found_;
};

}  // namespace

StepPlan PlanStep(const std::vector<FusedNode>& links,
                  const CpuContext& context) {
  StepPlan plan;
  for (size_t i = 0; i < links.size(); ++i) {
    plan.nodes.push_back(PlanNode(*links[i].node, context, i));
  }
  return plan;
}

std::vector<StepPlan> Candidates(Aspect aspect,
                                 const std::vector<FusedNode>& links,
                                 const StepPlan& best,
                                 const CpuContext& context) {
  return Space(links, best, context).Candidates(aspect);
}

bool HasCandidates(const std::vector<FusedNode>& links,
                   const CpuContext& context) {
  return !Space(links, PlanStep(links, context), context).IsEmpty();
}

bool CanRunAs(const StepPlan& plan, const std::vector<FusedNode>& links,
              CpuContext context) {
  if (plan.nodes.size() != links.size()) return false;
  context.asked = &plan;
  const StepPlan got = PlanStep(links, context);
  for (size_t i = 0; i < links.size(); ++i) {
    const NodePlan &a = got.nodes[i], &b = plan.nodes[i];
    if (a.method != b.method || a.tile != b.tile) return false;
  }
  return true;
}

}  // namespace mace::cpu
