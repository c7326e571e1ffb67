// NodePlan and StepPlan: the algorithm by which nodes are computed, as values.
// SPDX-License-Identifier: Apache-2.0
//
// A StepPlan comes from the cost model (conv/conv_plan.h) or from measurements
// (tuning/tuner.h), and CpuContext::asked hands it to the functions that
// prepare kernels:
//
// StepPlan          one kernel: a node, or several that are fused
//   NodePlan        one node: the method and its tile
//     GemmPlan      its matrix product: micro-kernel, rows, block
#ifndef MACE_CPU_COMMON_KERNEL_PLAN_H_
#define MACE_CPU_COMMON_KERNEL_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mace::cpu {

struct GemmUkernel;

// The numbers of the values are stored (ToNumbers).
enum class Method {
  kNone,       // no choice
  kGemm,       // a matrix product, for example of a convolution's patches
  kWinograd,   // Winograd's F(tile, 3)
  kStrassen,   // one level of Strassen's method
  kDepthwise,  // tap by tap
};

enum class ChosenBy { kCostModel, kTuning };

// How a product accesses the rows of its operand a.
enum class RowAccess {
  kByDistance,  // in place, or copied if they would compete for cache sets
  kInPlace,
  kCopied,
};

// How a matrix product runs.
struct GemmPlan {
  const GemmUkernel* kernel = nullptr;  // null: the cost model's choice
  // The product's depth is divided as for this micro-kernel, the cost model's
  // choice, so that sums are rounded alike with any other micro-kernel. Null:
  // as for `kernel`.
  const GemmUkernel* sums_as = nullptr;
  RowAccess rows = RowAccess::kByDistance;
  // Rows of a block: as many as suit the caches, doubled (1) or halved (-1).
  int64_t block = 0;

  bool operator==(const GemmPlan& other) const {
    return kernel == other.kernel && sums_as == other.sums_as &&
           rows == other.rows && block == other.block;
  }
};

// How a node is computed. Only `method` and the tile of Winograd affect bits of
// the result, and never by more than CpuContext::max_winograd permits.
struct NodePlan {
  Method method = Method::kNone;
  // The outputs of a tile: in each dimension for Winograd, side by side for a
  // depthwise convolution (0: chosen by the caches).
  int64_t tile = 0;
  GemmPlan gemm;
  double cost = 0;  // predicted, in multiply-adds at full speed
  ChosenBy chosen_by = ChosenBy::kCostModel;

  bool has_gemm() const {
    return method != Method::kNone && method != Method::kDepthwise;
  }
  bool operator==(const NodePlan& other) const {
    return method == other.method && tile == other.tile && gemm == other.gemm;
  }
};

// Whether several nodes become one kernel: as the cost model says, never, or
// wherever it is possible.
enum class Fusion { kWhereItPays, kNever, kAlways };

// How a node is computed, or several nodes as one kernel.
struct StepPlan {
  Fusion fusion = Fusion::kWhereItPays;
  // Lines that a fused kernel computes at a time: doubled (1) or halved (-1).
  int64_t lines = 0;
  std::vector<NodePlan> nodes;

  bool operator==(const StepPlan& other) const {
    return fusion == other.fusion && lines == other.lines &&
           nodes == other.nodes;
  }
};

// Returns how the plan differs from the cost model's: "winograd 2, block
// halved", or "as the model" if it does not. REQUIRES: both are plans of the
// same nodes.
std::string Describe(const StepPlan& plan, const StepPlan& model);

// Convert a plan to numbers for storing it, and back:
// fusion, lines,  then of each node:  method, tile, kernel, rows, block
// `kernel` is the index in the table kGemm, or -1 for the cost model's, so that
// numbers are valid for one version only (see device/tuning_results.h); sums_as
// and the cost are not stored. FromNumbers returns none if the numbers are not
// those of a plan; whether it suits a node is for the caller to check.
std::vector<int64_t> ToNumbers(const StepPlan& plan);
std::optional<StepPlan> FromNumbers(const std::vector<int64_t>& numbers);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_KERNEL_PLAN_H_
