// ConvChain: a depthwise convolution with the convolutions before and after it,
// line by line through the cache.
// SPDX-License-Identifier: Apache-2.0
//
//   x --> conv --> ring of lines --> depthwise --> a few lines --> 1x1 --> y
//
// A task is a band of output lines. The ring holds the lines that the window
// of the next depthwise lines touches; where a band begins, the lines above it
// are computed anew. Every element is computed as by the kernels on their own.
#ifndef MACE_CPU_CONV_CHAIN_KERNEL_H_
#define MACE_CPU_CONV_CHAIN_KERNEL_H_

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mace/cpu/conv_gemm.h"
#include "mace/cpu/depthwise.h"
#include "mace/cpu/reference/conv.h"
#include "mace/cpu/strassen.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// A convolution of the chain; the indices are those of inputs, below 0 without.
struct ChainProduct {
  ConvShape shape;
  PackedB filter;
  ConvGemm gemm;
  int bias = -1;
  int addend = -1;
  // Instead of the two above; the filter is then packed for it.
  std::optional<StrassenGemm> strassen = {};
  std::shared_ptr<const void> strassen_filter = {};

  int64_t thread_scratch_floats() const;
  std::string variant() const;
  double Cost() const;

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
// than channels where whole pixels would compete for a few sets of the cache.
inline int64_t ChainPixel(int64_t channels) {
  constexpr int64_t kSetConflictBytes = 512;
  return channels * 4 % kSetConflictBytes == 0 ? channels + 16 : channels;
}

class ConvChain final : public Kernel {
 public:
  struct Spec {
    std::optional<ChainProduct> before;
    Depthwise depthwise;
    ConvShape shape;  // of the depthwise convolution
    std::shared_ptr<const void> taps;
    int bias = -1;  // of the depthwise convolution
    std::optional<ChainProduct> after;
    int64_t step = 0;  // KernelChoice::step
  };
  ConvChain(Spec spec, ThreadPool* threads);

  int64_t scratch_bytes() const override;
  int64_t macs() const override;
  int64_t cost_macs() const override;
  std::vector<mace::Overlap> overlaps() const override;
  std::string variant() const override;
  Status Run(const RunArgs& args) override;

 private:
  int64_t OutPixels() const;
  int64_t OutChannels() const;
  int64_t InChannels() const;
  bool pairs_lines() const { return after_ && after_->strassen; }
  // Lines that bands and steps divide: those of a half where lines are paired.
  int64_t Lines() const;
  int64_t BandBegin(int64_t band) const;
  // The first line that depthwise output line `p` reads; the one behind.
  int64_t FirstLine(int64_t p) const;
  int64_t LastLine(int64_t p) const;

  void PlanLines(int64_t doubled);
  void PlanScratch();
  void RunBand(const RunArgs& args, int64_t band, float* scratch) const;
  void RunDepthwise(const RunArgs& args, const Depthwise::Image& image,
                    int64_t begin, int64_t end, float* lines,
                    float* scratch) const;
  // A band of a Strassen product: lines of the upper half of the output and
  // those as far down in the lower half.
  void RunPairs(const RunArgs& args, int64_t band, float* scratch) const;
  // Computes lines [begin, end), those that follow each other in the ring at
  // once.
  void FillRing(const RunArgs& args, int64_t begin, int64_t end,
                float* scratch) const;

  std::optional<ChainProduct> before_;
  Depthwise depthwise_;
  ConvShape shape_;
  std::shared_ptr<const void> taps_;
  int bias_;
  std::optional<ChainProduct> after_;
  ThreadPool* threads_;

  int64_t pixel_ = 0;  // floats between pixels of the depthwise output
  int64_t step_ = 1;   // depthwise lines at a time
  int64_t num_bands_ = 1;
  int64_t ring_lines_ = 0;
  // Scratch of a thread, in floats.
  int64_t thread_floats_ = 0;
  int64_t pixels_at_ = 0, ring_at_ = 0, before_at_ = 0, lines_at_ = 0,
          after_at_ = 0;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_CONV_CHAIN_KERNEL_H_
