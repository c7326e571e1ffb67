// Planning the lines of fused convolutions, and running bands of lines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_conv_kernel.h"

#include "mace/base/parts.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/fused/fusing.h"

namespace mace::cpu {
namespace {

int64_t Macs(const ConvShape& s) {
  return s.window.h.out * s.window.w.out * s.out_channels * s.in_per_group() *
         s.taps();
}

const float* Input(const RunArgs& args, int i) {
  return i < 0 ? nullptr : args.inputs[i].as<const float>();
}

}  // namespace

void FusedProduct::Run(const RunArgs& args, int64_t begin, int64_t end,
                       const float* x, float* y, int64_t y_floats,
                       void* scratch) const {
  const float* sum = Input(args, addend);
  gemm.RunRows(begin, end,
               {x, filter.Get(nullptr, nullptr), Input(args, bias), y,
                sum == nullptr ? nullptr : sum + y_floats},
               scratch);
}

void FusedProduct::RunPairs(const RunArgs& args, const float* x,
                            const StrassenGemm::Rows& first,
                            const StrassenGemm::Rows& second,
                            void* scratch) const {
  if constexpr (!kHasStrassen) return;
  strassen->RunPairs(
      {x, static_cast<const float*>(strassen_filter.get()), Input(args, bias),
       args.outputs[0].as<float>(), Input(args, addend)},
      first, second, scratch);
}

int64_t FusedProduct::thread_scratch_bytes() const {
  return kHasStrassen && strassen ? strassen->thread_scratch_bytes()
                                  : gemm.thread_scratch_bytes();
}

std::string FusedProduct::variant() const {
  return StrCat(kHasStrassen && strassen ? strassen->variant() : gemm.variant(),
                addend >= 0 ? " + sum" : "");
}

FusedConv::FusedConv(Spec spec, ThreadPool* threads)
    : stages_(std::move(spec.stages)), threads_(threads) {
  PlanLines(PlanStep(spec.lines, spec.blocks), spec.blocks);
}

int64_t FusedConv::scratch_bytes() const {
  return threads_->num_threads() * lines_.thread_bytes();
}

int64_t FusedConv::macs() const {
  int64_t macs = 0;
  for (const FusedStage& stage : stages_) macs += Macs(stage.shape());
  return macs;
}

int64_t FusedConv::cost_macs() const {
  double cost = 0;
  for (const FusedStage& stage : stages_) {
    cost += stage.product ? stage.product->cost
                          : static_cast<double>(Macs(stage.shape()));
  }
  return static_cast<int64_t>(cost);
}

std::vector<Overlap> FusedConv::overlaps() const {
  if (pairs_lines()) return {};  // both halves of x are read from the start
  const int64_t threads = threads_->num_threads();
  const Window2D& out = last().window;
  const int64_t step = lines_.step(stages_.size() - 1);
  // One thread runs the steps in order.
  const int64_t pieces = threads == 1 ? CeilDiv(out.h.out, step) : num_bands_;
  const auto begin = [&](int64_t i) {
    return threads == 1 ? std::min(i * step, out.h.out) : BandBegin(i);
  };
  const int64_t distance = SafeDistance(
      pieces, threads,
      [&](int64_t i) {
        return begin(i + 1) * out.w.out * last().out_channels * 4;
      },
      [&](int64_t i) {
        const ConvShape& first = stages_[0].shape();
        return lines_.FirstInput(begin(i)) * first.window.w.in *
               first.in_channels * 4;
      });
  if (distance < 0) return {};
  return {{0, distance}};
}

std::string FusedConv::variant() const {
  std::string variant;
  for (const FusedStage& stage : stages_) {
    variant += StrCat(variant.empty() ? "" : " + ",
                      stage.product ? stage.product->variant()
                                    : stage.depthwise->kernel.variant());
  }
  return StrCat(variant, " by lines");
}

Status FusedConv::Run(const RunArgs& args) {
  const auto floats = [](int64_t lines, int64_t width, int64_t channels) {
    return lines * width * channels;
  };
  const ConvShape& first = stages_[0].shape();
  const Window2D &in = first.window, &out = last().window;
  const bool in_order =
      RangesOverlap(args.outputs[0].as<float>(),
                    floats(out.h.out, out.w.out, last().out_channels),
                    args.inputs[0].as<const float>(),
                    floats(in.h.in, in.w.in, first.in_channels));
  RunTasks(threads_, num_bands_, in_order, [&](size_t worker, size_t index) {
    const auto i = static_cast<int64_t>(index);
    char* scratch = args.scratch.as<char>() +
                    static_cast<int64_t>(worker) * lines_.thread_bytes();
    if (pairs_lines()) return RunPairs(args, i, scratch);
    Lines::Band band = {scratch, args.outputs[0].as<char>()};
    lines_.Run(
        band, BandBegin(i), BandBegin(i + 1),
        [&](const Lines::Band& b, size_t stage, int64_t begin, int64_t end) {
          if (stages_[stage].product) {
            RunProduct(args, b, stage, begin, end);
          } else {
            RunDepthwise(args, b, stage, begin, end);
          }
        });
  });
  return Status();
}

bool FusedConv::pairs_lines() const {
  return kHasStrassen && stages_.back().product &&
         stages_.back().product->strassen;
}

int64_t FusedConv::NumLines() const {
  return pairs_lines() ? last().window.h.out / 2 : last().window.h.out;
}

int64_t FusedConv::BandBegin(int64_t band) const {
  return band * NumLines() / num_bands_;
}

int64_t FusedConv::PlanStep(int64_t doubled, const Blocks& blocks) const {
  const ConvShape& s = last();
  int64_t step = 1;
  if (stages_.back().product) {
    const int64_t filter_bytes = s.in_channels * s.out_channels * 4;
    const int64_t line_bytes = s.window.w.out * s.in_channels * 4;
    // Lines between depthwise and 1x1 convolution stay near, unless a large
    // filter must be read again for each of them.
    const int64_t bytes = filter_bytes > blocks.fused_large_filter
                              ? blocks.fused_large_filter
                              : blocks.fused_lines;
    step = std::max(bytes / line_bytes, CeilDiv(kFewRows, s.window.w.out));
  }
  step = Doubled(step, doubled);
  const int64_t share = CeilDiv(NumLines(), threads_->num_threads());
  step = std::min(step, share);
  return CeilDiv(share, CeilDiv(share, step));
}

void FusedConv::PlanLines(int64_t step, const Blocks& blocks) {
  if (pairs_lines()) {
    stages_.back().product->strassen->SetMaxPairs(step * last().window.w.out);
  }
  std::vector<Lines::Stage> stages;
  for (size_t i = 0; i < stages_.size(); ++i) {
    const FusedStage& stage = stages_[i];
    const int64_t channels = stage.shape().out_channels;
    const bool is_padded = i + 1 < stages_.size() && stages_[i + 1].product;
    stages.push_back({stage.shape().window.h, stage.product.has_value(),
                      stage.shape().window.w.out * 4 *
                          (is_padded ? FusedPixel(channels, blocks) : channels),
                      stage.product
                          ? stage.product->thread_scratch_bytes()
                          : stage.depthwise->kernel.thread_scratch_bytes()});
  }
  lines_ = Lines(std::move(stages), step, pairs_lines() ? 2 : 1);
  num_bands_ = lines_.BandsOf(NumLines(), threads_->num_threads());
}

void FusedConv::RunDepthwise(const RunArgs& args, const Lines::Band& band,
                             size_t stage, int64_t begin, int64_t end) const {
  const FusedDepthwise& d = *stages_[stage].depthwise;
  Depthwise::Image image = {args.inputs[0].as<const float>(),
                            d.shape.window.h.in};
  if (stage > 0) {
    const Lines::Ring ring = lines_.InputRing(band, stage);
    image = {static_cast<const float*>(ring.begin), ring.lines};
  }
  for (int64_t i = begin; i < end; ++i) {
    d.kernel.RunLine(image, i, static_cast<const float*>(d.taps.get()),
                     Input(args, d.bias),
                     static_cast<float*>(lines_.OutputLine(band, stage, i)),
                     lines_.scratch(band, stage));
  }
}

void FusedConv::RunProduct(const RunArgs& args, const Lines::Band& band,
                           size_t stage, int64_t begin, int64_t end) const {
  const FusedProduct& product = *stages_[stage].product;
  const int64_t width = product.shape.window.w.out;
  void* scratch = lines_.scratch(band, stage);
  for (int64_t stop; begin < end; begin = stop) {
    stop = begin + lines_.Contiguous(band, stage, begin, end - begin);
    auto* y = static_cast<float*>(lines_.OutputLine(band, stage, begin));
    const int64_t rows = (stop - begin) * width;
    if (stage > 0) {
      product.Run(
          args, 0, rows,
          static_cast<const float*>(lines_.OutputLine(band, stage - 1, begin)),
          y, begin * width * product.shape.out_channels, scratch);
    } else {
      product.Run(args, begin * width, stop * width,
                  args.inputs[0].as<const float>(), y, 0, scratch);
    }
  }
}

void FusedConv::RunPairs(const RunArgs& args, int64_t band,
                         char* scratch) const {
  const Window2D& w = last().window;
  const Lines::Band whole = {scratch};
  const auto* lines =
      static_cast<const float*>(lines_.InputRing(whole, 1).begin);
  const int64_t half = w.h.out / 2, end = BandBegin(band + 1);
  const int64_t step = lines_.step(1);
  for (int64_t p = BandBegin(band); p < end; p += step) {
    const int64_t n = std::min(step, end - p);
    // The lines of the lower half are stored after those of the upper half.
    RunDepthwise(args, {scratch, nullptr, {}, {p}}, 0, p, p + n);
    RunDepthwise(args, {scratch, nullptr, {}, {p + half - n}}, 0, p + half,
                 p + half + n);
    const int64_t rows = n * w.w.out;
    stages_[1].product->RunPairs(args, lines, {0, p * w.w.out, rows},
                                 {rows, (p + half) * w.w.out, rows},
                                 lines_.scratch(whole, 1));
  }
}

}  // namespace mace::cpu
