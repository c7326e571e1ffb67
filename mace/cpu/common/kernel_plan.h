// NodePlan and StepPlan: the algorithm by which nodes are computed, as values.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_KERNEL_PLAN_H_
#define MACE_CPU_COMMON_KERNEL_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mace::cpu {

struct GemmUkernel;

enum class Method {
  kNone,       // there is nothing to choose
  kProduct,    // one matrix product, of a convolution's patches for example
  kWinograd,   // Winograd's F(tile, 3)
  kStrassen,   // one level of Strassen's method
  kDepthwise,  // tap by tap
};

enum class ChosenBy { kCostModel, kTuning };

// Where a product finds the rows of its operand a.
enum class RowAccess {
  kByDistance,  // in place, or copied where they would compete for cache sets
  kInPlace,
  kCopied,
};

// How a matrix product runs.
struct GemmPlan {
  const GemmUkernel* kernel =
      nullptr;  // null: the one that the cost model finds
  // The product's depth is cut as for this micro-kernel, which is what the cost
  // model finds, so that sums round alike with any other; null: as for
  // `kernel`.
  const GemmUkernel* sums_as = nullptr;
  RowAccess rows = RowAccess::kByDistance;
  int64_t block = 0;  // rows of a block: as the caches ask for, doubled (1) or
                      // halved (-1)

  bool operator==(const GemmPlan& other) const {
    return kernel == other.kernel && sums_as == other.sums_as &&
           rows == other.rows && block == other.block;
  }
};

// How a node is computed. Only `method` and a Winograd tile change bits of the
// result, never by more than CpuContext::max_winograd allows.
struct NodePlan {
  Method method = Method::kNone;
  // Outputs of a tile: in each direction of a Winograd tile, side by side of a
  // depthwise one (0: as the caches ask for).
  int64_t tile = 0;
  GemmPlan gemm;
  double cost = 0;  // predicted, in multiply-adds at full speed
  ChosenBy by = ChosenBy::kCostModel;

  bool has_product() const {
    return method != Method::kNone && method != Method::kDepthwise;
  }
  bool operator==(const NodePlan& other) const {
    return method == other.method && tile == other.tile && gemm == other.gemm;
  }
};

enum class Fusion { kWhereItPays, kNever, kAlways };

// How a node, or several as one kernel, are computed.
struct StepPlan {
  Fusion fusion = Fusion::kWhereItPays;
  int64_t lines = 0;  // of a fused kernel at a time: doubled (1), halved (-1)
  std::vector<NodePlan> nodes;

  bool operator==(const StepPlan& other) const {
    return fusion == other.fusion && lines == other.lines &&
           nodes == other.nodes;
  }
};

// What differs from the cost model's plan: "winograd 2, block halved", or "as
// the model".
std::string Describe(const StepPlan& plan, const StepPlan& model);

// The plan as numbers, to be kept; and back: none where they are of no plan.
std::vector<int64_t> ToNumbers(const StepPlan& plan);
std::optional<StepPlan> FromNumbers(const std::vector<int64_t>& numbers);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_KERNEL_PLAN_H_
