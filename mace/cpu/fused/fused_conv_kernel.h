// FusedConv: consecutive convolutions, computed line by line (lines.h) so that
// the values between them stay in a cache.
// SPDX-License-Identifier: Apache-2.0
//
//   x --> conv --> ring of lines --> depthwise --> lines --> 1x1 --> ring --> y
//
// A task is a band of output lines. Every element is computed exactly as by the
// separate kernels.
#ifndef MACE_CPU_FUSED_FUSED_CONV_KERNEL_H_
#define MACE_CPU_FUSED_FUSED_CONV_KERNEL_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mace/cpu/conv/conv_gemm.h"
#include "mace/cpu/conv/depthwise.h"
#include "mace/cpu/conv/strassen.h"
#include "mace/cpu/fused/lines.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// A convolution of the fused nodes. The indices are those of inputs, or
// negative if there is no such input.
struct FusedProduct {
  ConvShape shape;
  PackedB filter;
  ConvGemm gemm;
  int bias = -1;
  int addend = -1;
  // If set, it is used instead of `gemm`, and the filter is packed for it.
  std::optional<StrassenGemm> strassen = {};
  std::shared_ptr<const void> strassen_filter = {};
  double cost = 0;  // NodePlan::cost

  int64_t thread_scratch_bytes() const;
  std::string variant() const;

  // Computes rows [begin, end). The first of them is written to `y`, which is
  // y_floats floats after the first row of the whole output.
  void Run(const RunArgs& args, int64_t begin, int64_t end, const float* x,
           float* y, int64_t y_floats, void* scratch) const;
  // Computes pairs of rows by Strassen's method, from rows of x to rows of the
  // whole output.
  void RunPairs(const RunArgs& args, const float* x,
                const StrassenGemm::Rows& first,
                const StrassenGemm::Rows& second, void* scratch) const;
};

// Returns the distance, in floats, between the pixels of the depthwise output
// that a product reads. It is more than the number of channels if whole pixels
// would compete for eight sets of the cache.
inline int64_t FusedPixel(int64_t channels, const Blocks& blocks) {
  return channels * 4 % (blocks.set_bytes / 8) == 0 ? channels + 16 : channels;
}

// A depthwise convolution of the fused nodes.
struct FusedDepthwise {
  ConvShape shape;
  Depthwise kernel;
  std::shared_ptr<const void> taps;
  int bias = -1;
};

// Exactly one of the two is set.
struct FusedStage {
  std::optional<FusedProduct> product;
  std::optional<FusedDepthwise> depthwise;

  const ConvShape& shape() const {
    return product ? product->shape : depthwise->shape;
  }
};

class FusedConv final : public Kernel {
 public:
  struct Spec {
    // Products and depthwise convolutions in turn. All products except the
    // first are 1x1. Strassen's method is possible only after a single
    // depthwise convolution.
    std::vector<FusedStage> stages;
    int64_t lines = 0;  // StepPlan::lines
    Blocks blocks;
  };
  FusedConv(Spec spec, ThreadPool* threads);

  int64_t scratch_bytes() const override;
  int64_t macs() const override;
  int64_t cost_macs() const override;
  std::vector<Overlap> overlaps() const override;
  std::string variant() const override;
  Status Run(const RunArgs& args) override;

 private:
  const ConvShape& last() const { return stages_.back().shape(); }
  bool pairs_lines() const;
  // Lines that bands and steps divide: of half of the output if lines are
  // paired.
  int64_t NumLines() const;
  int64_t BandBegin(int64_t band) const;

  // The lines of a step.
  int64_t PlanStep(int64_t doubled, const Blocks& blocks) const;
  void PlanLines(int64_t step, const Blocks& blocks);
  void RunDepthwise(const RunArgs& args, const Lines::Band& band, size_t stage,
                    int64_t begin, int64_t end) const;
  void RunProduct(const RunArgs& args, const Lines::Band& band, size_t stage,
                  int64_t begin, int64_t end) const;
  // A band by Strassen's method: lines of the upper half of the output, and the
  // corresponding lines of the lower half.
  void RunPairs(const RunArgs& args, int64_t band, char* scratch) const;

  std::vector<FusedStage> stages_;
  ThreadPool* threads_;
  Lines lines_;
  int64_t num_bands_ = 1;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_KERNEL_H_
