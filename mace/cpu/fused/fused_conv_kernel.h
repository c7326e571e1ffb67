// FusedConv: consecutive convolutions, computed line by line so that the values
// between them stay in a cache.
// SPDX-License-Identifier: Apache-2.0
//
//   x --> conv --> ring of lines --> depthwise --> lines --> 1x1 --> ring --> y
//
// A task is a band of output lines. A stage computes lines when the next stage
// needs them; a ring holds the lines that the window of the next lines covers.
// Lines just above a band are computed once more, for this band. Every element
// is computed exactly as by the separate kernels.
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

  int64_t thread_scratch_floats() const;
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
  static constexpr size_t kMaxStages = 8;
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
  std::vector<mace::Overlap> overlaps() const override;
  std::string variant() const override;
  Status Run(const RunArgs& args) override;

 private:
  // The output of a stage other than the last: a ring buffer of lines.
  struct Ring {
    int64_t lines = 0;
    int64_t line_floats = 0;
    int64_t at = 0;  // offset in a thread's scratch, in floats
  };
  // The state of a thread within its band.
  struct Band {
    const RunArgs& args;
    float* scratch;
    // By stage: all lines before this one are computed.
    int64_t ready[kMaxStages] = {};
    // By ring: the line at its first position.
    int64_t base[kMaxStages] = {};
  };

  const ConvShape& last() const { return stages_.back().shape(); }
  bool pairs_lines() const;
  // Lines that bands and steps divide: of half of the output if lines are
  // paired.
  int64_t Lines() const;
  int64_t BandBegin(int64_t band) const;
  // The first line that line `p` of a stage reads, and the end of those lines.
  int64_t FirstLine(size_t stage, int64_t p) const;
  int64_t LastLine(size_t stage, int64_t p) const;

  void PlanLines(int64_t doubled, const Blocks& blocks);
  void PlanScratch(const Blocks& blocks);
  // Computes the lines of a stage up to `end`, and all lines that they need.
  void Advance(Band& band, size_t stage, int64_t end) const;
  void RunDepthwise(const Band& band, size_t stage, int64_t begin,
                    int64_t end) const;
  void RunProduct(const Band& band, size_t stage, int64_t begin,
                  int64_t end) const;
  // Where a stage writes a line, and how many lines from there on, up to
  // `most`, are contiguous.
  float* OutputLine(const Band& band, size_t stage, int64_t line) const;
  int64_t Contiguous(const Band& band, size_t stage, int64_t line,
                     int64_t most) const;
  // A band by Strassen's method: lines of the upper half of the output, and the
  // corresponding lines of the lower half.
  void RunPairs(const RunArgs& args, int64_t band, float* scratch) const;

  std::vector<FusedStage> stages_;
  ThreadPool* threads_;
  std::vector<int64_t> step_;  // by stage: lines of a step
  std::vector<Ring> rings_;
  std::vector<int64_t> scratch_at_;  // by stage
  int64_t num_bands_ = 1;
  int64_t thread_floats_ = 0;  // scratch of one thread
};

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_KERNEL_H_
