// Converts plans of nodes to text and to numbers.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/kernel_plan.h"

#include <algorithm>
#include <iterator>

#include "mace/base/str_cat.h"
#include "mace/cpu/ukernels/gemm/gemm_table.h"

namespace mace::cpu {
namespace {

constexpr size_t kStepNumbers = 2, kNodeNumbers = 5;
constexpr int64_t kWidestTile = 32;

std::string NameOf(const NodePlan& plan) {
  switch (plan.method) {
    case Method::kWinograd:
      return StrCat("winograd ", plan.tile);
    case Method::kStrassen:
      return "strassen";
    case Method::kDepthwise:
      return StrCat("tile ", plan.tile);
    default:
      return "product";
  }
}

// Collects differences, each only once.
class Differences {
 public:
  void Add(bool differs, const std::string& part) {
    if (!differs || std::count(parts_.begin(), parts_.end(), part) > 0) return;
    parts_.push_back(part);
    text_ += StrCat(text_.empty() ? "" : ", ", part);
  }
  void AddShift(const std::string& name, int64_t shift) {
    Add(shift != 0, StrCat(name, shift > 0 ? " doubled" : " halved"));
  }
  const std::string& text() const { return text_; }

 private:
  std::vector<std::string> parts_;
  std::string text_;
};

// Returns the index in the table of micro-kernels; -1 stands for the cost
// model's choice.
int64_t IndexOf(const GemmUkernel* kernel) {
  for (size_t i = 0; i < std::size(kGemm); ++i) {
    if (kernel == &kGemm[i]) return static_cast<int64_t>(i);
  }
  return -1;
}

// Returns whether IndexOf may have returned `index`.
bool IsKernel(int64_t index) {
  return index == -1 ||
         (index >= 0 && index < static_cast<int64_t>(std::size(kGemm)) &&
          kGemm[index].types == kGemmF32);
}

bool IsAmong(int64_t value, int64_t first, int64_t last) {
  return value >= first && value <= last;
}

}  // namespace

std::string Describe(const StepPlan& plan, const StepPlan& model) {
  Differences found;
  found.Add(plan.fusion == Fusion::kNever, "one by one");
  found.Add(plan.fusion == Fusion::kAlways, "as one kernel");
  for (size_t i = 0; i < plan.nodes.size(); ++i) {
    const NodePlan &a = plan.nodes[i], &b = model.nodes[i];
    const GemmPlan& gemm = a.gemm;
    found.Add(a.method != b.method || a.tile != b.tile, NameOf(a));
    found.Add(gemm.rows == RowAccess::kInPlace, "rows in place");
    found.Add(gemm.rows == RowAccess::kCopied, "rows copied");
    found.Add(gemm.kernel != b.gemm.kernel && a.method == b.method,
              gemm.kernel != nullptr ? gemm.kernel->name : "");
    found.AddShift("block", gemm.block);
  }
  found.AddShift("lines", plan.lines);
  return found.text().empty() ? "as the model" : found.text();
}

std::vector<int64_t> ToNumbers(const StepPlan& plan) {
  std::vector<int64_t> numbers = {static_cast<int64_t>(plan.fusion),
                                  plan.lines};
  for (const NodePlan& node : plan.nodes) {
    const GemmPlan& gemm = node.gemm;
    for (const int64_t n :
         {static_cast<int64_t>(node.method), node.tile, IndexOf(gemm.kernel),
          static_cast<int64_t>(gemm.rows), gemm.block}) {
      numbers.push_back(n);
    }
  }
  return numbers;
}

std::optional<StepPlan> FromNumbers(const std::vector<int64_t>& numbers) {
  const size_t size = numbers.size();
  if (size < kStepNumbers || (size - kStepNumbers) % kNodeNumbers != 0) {
    return {};
  }
  StepPlan plan;
  plan.fusion = static_cast<Fusion>(numbers[0]);
  plan.lines = numbers[1];
  bool fits = IsAmong(numbers[0], 0, static_cast<int64_t>(Fusion::kAlways)) &&
              IsAmong(plan.lines, -1, 1);
  for (size_t i = kStepNumbers; i < size; i += kNodeNumbers) {
    const int64_t* n = &numbers[i];
    fits = fits && IsAmong(n[0], 0, static_cast<int64_t>(Method::kDepthwise)) &&
           IsAmong(n[1], 0, kWidestTile) && IsKernel(n[2]) &&
           IsAmong(n[3], 0, static_cast<int64_t>(RowAccess::kCopied)) &&
           IsAmong(n[4], -1, 1);
    if (!fits) return {};
    NodePlan node;
    node.method = static_cast<Method>(n[0]);
    node.tile = n[1];
    node.gemm.kernel = n[2] < 0 ? nullptr : &kGemm[n[2]];
    node.gemm.rows = static_cast<RowAccess>(n[3]);
    node.gemm.block = n[4];
    node.chosen_by = ChosenBy::kTuning;
    plan.nodes.push_back(node);
  }
  if (!fits) return {};
  return plan;
}

}  // namespace mace::cpu
