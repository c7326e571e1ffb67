// FusedConv: convolutions one behind the other, line by line through the cache.
// SPDX-License-Identifier: Apache-2.0
//
//   x --> conv --> ring of lines --> depthwise --> lines --> 1x1 --> ring --> y
//
// A task is a band of output lines. A stage computes lines when the next one
// asks for them; a ring holds those that the window of the next lines touches.
// Where a band begins, the lines above it are computed again. Every element is
// computed as by the kernels on their own.
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

// A convolution of the chain; the indices are those of inputs, below 0 without.
struct FusedProduct {
  ConvShape shape;
  PackedB filter;
  ConvGemm gemm;
  int bias = -1;
  int addend = -1;
  // Instead of the two above; the filter is then packed for it.
  std::optional<StrassenGemm> strassen = {};
  std::shared_ptr<const void> strassen_filter = {};
  double cost = 0;  // NodePlan::cost

  int64_t thread_scratch_floats() const;
  std::string variant() const;

  // Rows [begin, end); the first of them goes to `y`, and is y_floats behind
  // the first of all.
  void Run(const RunArgs& args, int64_t begin, int64_t end, const float* x,
           float* y, int64_t y_floats, void* scratch) const;
  // Pairs of rows of x and of the whole output.
  void RunPairs(const RunArgs& args, const float* x,
                const StrassenGemm::Rows& first,
                const StrassenGemm::Rows& second, void* scratch) const;
};

// Floats between the pixels of the depthwise output that a product reads: more
// than channels where whole pixels would compete for eight sets of the cache.
inline int64_t FusedPixel(int64_t channels, const Blocks& blocks) {
  return channels * 4 % (blocks.set_bytes / 8) == 0 ? channels + 16 : channels;
}

// A depthwise convolution of the chain.
struct FusedDepthwise {
  ConvShape shape;
  Depthwise kernel;
  std::shared_ptr<const void> taps;
  int bias = -1;
};

// One or the other.
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
    // Products and depthwise convolutions in turns; products but the first are
    // 1x1, and by Strassen's method only behind a single depthwise one.
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
  // The output of a stage but the last: so many lines that take turns.
  struct Ring {
    int64_t lines = 0;
    int64_t line_floats = 0;
    int64_t at = 0;  // in a thread's scratch, in floats
  };
  // What a thread knows of the band it computes.
  struct Band {
    const RunArgs& args;
    float* scratch;
    int64_t ready[kMaxStages] = {};  // by stage: lines up to here are computed
    int64_t base[kMaxStages] = {};   // by ring: the line that comes first in it
  };

  const ConvShape& last() const { return stages_.back().shape(); }
  bool pairs_lines() const {
    return stages_.back().product && stages_.back().product->strassen;
  }
  // Lines that bands and steps divide: those of a half where lines are paired.
  int64_t Lines() const;
  int64_t BandBegin(int64_t band) const;
  // The first line that line `p` of a stage reads; the one behind.
  int64_t FirstLine(size_t stage, int64_t p) const;
  int64_t LastLine(size_t stage, int64_t p) const;

  void PlanLines(int64_t doubled, const Blocks& blocks);
  void PlanScratch(const Blocks& blocks);
  // Computes a stage's lines up to `end`, and what they need.
  void Advance(Band& band, size_t stage, int64_t end) const;
  void RunDepthwise(const Band& band, size_t stage, int64_t begin,
                    int64_t end) const;
  void RunProduct(const Band& band, size_t stage, int64_t begin,
                  int64_t end) const;
  // Where a stage writes a line; how many, up to `most`, follow each other.
  float* OutputLine(const Band& band, size_t stage, int64_t line) const;
  int64_t Contiguous(const Band& band, size_t stage, int64_t line,
                     int64_t most) const;
  // A band of a Strassen product: lines of the upper half of the output and
  // those as far down in the lower half.
  void RunPairs(const RunArgs& args, int64_t band, float* scratch) const;

  std::vector<FusedStage> stages_;
  ThreadPool* threads_;
  std::vector<int64_t> step_;  // by stage: lines at a time
  std::vector<Ring> rings_;
  std::vector<int64_t> scratch_at_;  // by stage
  int64_t num_bands_ = 1;
  int64_t thread_floats_ = 0;  // scratch of a thread
};

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_KERNEL_H_
