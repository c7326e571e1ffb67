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

#include "mace/cpu/depthwise/depthwise.h"
#include "mace/cpu/fused/lines.h"
#include "mace/cpu/gemm/conv_gemm.h"
#include "mace/cpu/gemm/strassen.h"
#include "mace/cpu/reference/conv.h"
#include "mace/device/kernel.h"

namespace mace::cpu {

// One of the fused convolutions, of any type: a depthwise one, which computes
// its output line by line, or a product, which computes rows.
struct FusedStage {
  FusedStage(const ConvShape& shape_in, bool is_depthwise_in)
      : shape(shape_in), is_depthwise(is_depthwise_in) {}
  virtual ~FusedStage() = default;

  virtual int64_t thread_scratch_bytes() const = 0;
  virtual std::string variant() const = 0;
  // In multiply-adds at full speed.
  virtual double cost() const { return static_cast<double>(macs()); }
  int64_t macs() const {
    return SaturatedProduct(
        {shape.rows(), shape.out_channels, shape.in_per_group(), shape.taps()});
  }

  // Computes line `p` of a depthwise convolution from the ring `x` to `y`, on
  // the calling thread with its own scratch.
  virtual void RunLine(const RunArgs& /*args*/, const Lines::Ring& /*x*/,
                       int64_t /*p*/, void* /*y*/, void* /*scratch*/) const {}
  // Computes rows (pixels) [begin, end) of a product, counted from the one at
  // `x`. The first of them is written to `y`. An addend, a whole tensor that
  // only the last stage has, is read from y_elements on: where `y` lies in the
  // whole output.
  virtual void RunRows(const RunArgs& /*args*/, int64_t /*begin*/,
                       int64_t /*end*/, const void* /*x*/, void* /*y*/,
                       int64_t /*y_elements*/, void* /*scratch*/) const {}

  ConvShape shape;
  bool is_depthwise;
};

// A product of floats. The indices are those of inputs, or negative if there is
// no such input.
struct FusedGemm final : FusedStage {
  FusedGemm(const ConvShape& shape_in, PackedB filter_in, ConvGemm gemm_in,
            int bias_in)
      : FusedStage(shape_in, /*is_depthwise_in=*/false),
        filter(std::move(filter_in)),
        gemm(std::move(gemm_in)),
        bias(bias_in) {}

  int64_t thread_scratch_bytes() const override;
  std::string variant() const override;
  double cost() const override { return plan_cost; }
  void RunRows(const RunArgs& args, int64_t begin, int64_t end, const void* x,
               void* y, int64_t y_elements, void* scratch) const override;
  // Computes pairs of rows by Strassen's method, from rows of x to rows of the
  // whole output.
  void RunPairs(const RunArgs& args, const float* x,
                const StrassenGemm::Rows& first,
                const StrassenGemm::Rows& second, void* scratch) const;

  PackedB filter;
  ConvGemm gemm;
  int bias = -1;
  int addend = -1;
  // If set, it is used instead of `gemm`, and the filter is packed for it.
  std::optional<StrassenGemm> strassen = {};
  std::shared_ptr<const void> strassen_filter = {};
  double plan_cost = 0;  // NodePlan::cost
};

// Returns the distance, in floats, between the pixels of the depthwise output
// that a product reads. It is more than the number of channels if whole pixels
// would compete for eight sets of the cache.
inline int64_t FusedPixel(int64_t channels, const Blocks& blocks) {
  return channels * 4 % (blocks.set_bytes / 8) == 0 ? channels + 16 : channels;
}

// A depthwise convolution of floats.
struct FusedDepthwise final : FusedStage {
  FusedDepthwise(const ConvShape& shape_in, Depthwise kernel_in,
                 std::shared_ptr<const void> taps_in, int bias_in)
      : FusedStage(shape_in, /*is_depthwise_in=*/true),
        kernel(std::move(kernel_in)),
        taps(std::move(taps_in)),
        bias(bias_in) {}

  int64_t thread_scratch_bytes() const override {
    return kernel.thread_scratch_bytes();
  }
  std::string variant() const override { return kernel.variant(); }
  void RunLine(const RunArgs& args, const Lines::Ring& x, int64_t p, void* y,
               void* scratch) const override;

  Depthwise kernel;
  std::shared_ptr<const void> taps;
  int bias;
};

// Runs the stages by Lines, a band of the output for each task; every thread
// has rings and scratch of its own. The inputs of the kernel are, in this
// order: x; the filter and, if it has one, the bias of each node; the addend.
class FusedConv final : public Kernel {
 public:
  struct Spec {
    // Alternating products and depthwise convolutions, all of one type. All
    // products except the first are 1x1.
    std::vector<std::unique_ptr<FusedStage>> stages;
    int64_t element_bytes = sizeof(float);
    // The last stage, if it is a product by Strassen's method: only after a
    // single depthwise convolution.
    FusedGemm* strassen = nullptr;
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
  const ConvShape& last() const { return stages_.back()->shape; }
  bool pairs_lines() const { return strassen_ != nullptr; }
  int64_t InputBytes(int64_t lines) const;   // of lines of x
  int64_t OutputBytes(int64_t lines) const;  // of y
  // Lines that bands and steps divide: of half of the output if lines are
  // paired.
  int64_t NumLines() const;
  int64_t BandBegin(int64_t band) const;

  // Returns how many lines of the output a step has: as many as suit the
  // caches, doubled or halved, and about equally many in all steps of a thread.
  // PlanLines then lays out the rings.
  int64_t PlanStep(int64_t doubled, const Blocks& blocks) const;
  void PlanLines(int64_t step, const Blocks& blocks);
  void RunDepthwise(const RunArgs& args, const Lines::Band& band, size_t stage,
                    int64_t begin, int64_t end) const;
  void RunGemm(const RunArgs& args, const Lines::Band& band, size_t stage,
               int64_t begin, int64_t end) const;
  // A band by Strassen's method: lines of the upper half of the output, and the
  // corresponding lines of the lower half.
  void RunPairs(const RunArgs& args, int64_t band, char* scratch) const;

  std::vector<std::unique_ptr<FusedStage>> stages_;
  int64_t element_bytes_;
  FusedGemm* strassen_;
  ThreadPool* threads_;
  Lines lines_;
  int64_t num_bands_ = 1;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_FUSED_FUSED_CONV_KERNEL_H_
