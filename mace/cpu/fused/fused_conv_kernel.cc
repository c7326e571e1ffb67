// Planning the lines of fused convolutions, and running bands of lines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_conv_kernel.h"

#include <limits>

#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/fused/fusing.h"

namespace mace::cpu {
namespace {

const float* Input(const RunArgs& args, int i) {
  return i < 0 ? nullptr : args.inputs[i].as<const float>();
}

}  // namespace

void FusedGemm::RunRows(const RunArgs& args, int64_t begin, int64_t end,
                        const void* x, void* y, int64_t y_elements,
                        void* scratch) const {
  const float* sum = Input(args, addend);
  gemm.RunRows(begin, end,
               {x, filter.Get(nullptr, nullptr), Input(args, bias), y,
                sum == nullptr ? nullptr : sum + y_elements},
               scratch);
}

void FusedDepthwise::RunLine(const RunArgs& args, const Lines::Ring& x,
                             int64_t p, void* y, void* scratch) const {
  kernel.RunLine({static_cast<const float*>(x.begin), x.lines}, p,
                 static_cast<const float*>(taps.get()), Input(args, bias),
                 static_cast<float*>(y), scratch);
}

void FusedGemm::RunPairs(const RunArgs& args, const float* x,
                         const StrassenGemm::Rows& first,
                         const StrassenGemm::Rows& second,
                         void* scratch) const {
  strassen->RunPairs(
      {x, static_cast<const float*>(strassen_filter.get()), Input(args, bias),
       args.outputs[0].as<float>(), Input(args, addend)},
      first, second, scratch);
}

int64_t FusedGemm::thread_scratch_bytes() const {
  return strassen ? strassen->thread_scratch_bytes()
                  : gemm.thread_scratch_bytes();
}

std::string FusedGemm::variant() const {
  return StrCat(strassen ? strassen->variant() : gemm.variant(),
                addend >= 0 ? " + sum" : "");
}

FusedConv::FusedConv(Spec spec, ThreadPool* threads)
    : stages_(std::move(spec.stages)),
      element_bytes_(spec.element_bytes),
      strassen_(spec.strassen),
      threads_(threads) {
  PlanLines(PlanStep(spec.lines, spec.blocks), spec.blocks);
}

int64_t FusedConv::scratch_bytes() const {
  return threads_->num_threads() * lines_.thread_bytes();
}

int64_t FusedConv::macs() const {
  int64_t macs = 0;
  for (const auto& stage : stages_) {
    macs += std::min(stage->macs(), std::numeric_limits<int64_t>::max() - macs);
  }
  return macs;
}

int64_t FusedConv::cost_macs() const {
  double cost = 0;
  for (const auto& stage : stages_) cost += stage->cost();
  return static_cast<int64_t>(cost);
}

int64_t FusedConv::InputBytes(int64_t lines) const {
  const ConvShape& first = stages_[0]->shape;
  return lines * first.window.w.in * first.in_channels * element_bytes_;
}

int64_t FusedConv::OutputBytes(int64_t lines) const {
  return lines * last().window.w.out * last().out_channels * element_bytes_;
}

std::vector<Overlap> FusedConv::overlaps() const {
  if (pairs_lines()) return {};  // both halves of x are read from the start
  const int64_t threads = threads_->num_threads();
  const int64_t lines = last().window.h.out;
  const int64_t step = lines_.step(stages_.size() - 1);
  // One thread runs the steps in order.
  const int64_t pieces = threads == 1 ? CeilDiv(lines, step) : num_bands_;
  const auto begin = [&](int64_t i) {
    return threads == 1 ? std::min(i * step, lines) : BandBegin(i);
  };
  const int64_t distance = SafeDistance(
      pieces, threads, [&](int64_t i) { return OutputBytes(begin(i + 1)); },
      [&](int64_t i) { return InputBytes(lines_.FirstInput(begin(i))); });
  if (distance < 0) return {};
  return {{0, distance}};
}

std::string FusedConv::variant() const {
  std::string variant;
  for (const auto& stage : stages_) {
    variant += StrCat(variant.empty() ? "" : " + ", stage->variant());
  }
  return StrCat(variant, " by lines");
}

Status FusedConv::Run(const RunArgs& args) {
  const bool in_order = RangesOverlap(
      args.outputs[0].as<char>(), OutputBytes(last().window.h.out),
      args.inputs[0].as<const char>(),
      InputBytes(stages_[0]->shape.window.h.in));
  RunTasks(threads_, num_bands_, in_order, [&](size_t worker, size_t index) {
    const auto i = static_cast<int64_t>(index);
    char* scratch = args.scratch.as<char>() +
                    static_cast<int64_t>(worker) * lines_.thread_bytes();
    if (pairs_lines()) return RunPairs(args, i, scratch);
    Lines::Band band = {scratch, args.outputs[0].as<char>()};
    lines_.Run(
        band, BandBegin(i), BandBegin(i + 1),
        [&](const Lines::Band& b, size_t stage, int64_t begin, int64_t end) {
          if (stages_[stage]->is_depthwise) {
            RunDepthwise(args, b, stage, begin, end);
          } else {
            RunGemm(args, b, stage, begin, end);
          }
        });
  });
  return Status();
}

int64_t FusedConv::NumLines() const {
  return pairs_lines() ? last().window.h.out / 2 : last().window.h.out;
}

int64_t FusedConv::BandBegin(int64_t band) const {
  return PieceBegin(band, num_bands_, NumLines());
}

int64_t FusedConv::PlanStep(int64_t doubled, const Blocks& blocks) const {
  const ConvShape& s = last();
  int64_t step = 1;
  if (!stages_.back()->is_depthwise) {
    const int64_t filter_bytes =
        s.in_channels * s.out_channels * element_bytes_;
    const int64_t line_bytes = s.window.w.out * s.in_channels * element_bytes_;
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
    strassen_->strassen->SetMaxPairs(step * last().window.w.out);
  }
  const bool is_float = element_bytes_ == sizeof(float);
  std::vector<Lines::Stage> stages;
  for (size_t i = 0; i < stages_.size(); ++i) {
    const FusedStage& stage = *stages_[i];
    const int64_t channels = stage.shape.out_channels;
    const bool is_padded =
        is_float && i + 1 < stages_.size() && !stages_[i + 1]->is_depthwise;
    const int64_t pixel = is_padded ? FusedPixel(channels, blocks) : channels;
    stages.push_back({stage.shape.window.h, !stage.is_depthwise,
                      stage.shape.window.w.out * pixel * element_bytes_,
                      stage.thread_scratch_bytes()});
  }
  lines_ = Lines(std::move(stages), step, pairs_lines() ? 2 : 1);
  num_bands_ = lines_.BandsOf(NumLines(), threads_->num_threads());
}

void FusedConv::RunDepthwise(const RunArgs& args, const Lines::Band& band,
                             size_t stage, int64_t begin, int64_t end) const {
  const FusedStage& s = *stages_[stage];
  const Lines::Ring x =
      stage > 0 ? lines_.InputRing(band, stage)
                : Lines::Ring{args.inputs[0].handle, s.shape.window.h.in};
  for (int64_t i = begin; i < end; ++i) {
    s.RunLine(args, x, i, lines_.OutputLine(band, stage, i),
              lines_.scratch(band, stage));
  }
}

void FusedConv::RunGemm(const RunArgs& args, const Lines::Band& band,
                        size_t stage, int64_t begin, int64_t end) const {
  const FusedStage& s = *stages_[stage];
  const int64_t width = s.shape.window.w.out;
  void* scratch = lines_.scratch(band, stage);
  for (int64_t stop; begin < end; begin = stop) {
    // Lines that are written may be apart; those that are read never are.
    stop = begin + lines_.Contiguous(band, stage, begin, end - begin);
    void* y = lines_.OutputLine(band, stage, begin);
    if (stage > 0) {
      s.RunRows(args, 0, (stop - begin) * width,
                lines_.OutputLine(band, stage - 1, begin), y,
                begin * width * s.shape.out_channels, scratch);
    } else {
      s.RunRows(args, begin * width, stop * width, args.inputs[0].handle, y, 0,
                scratch);
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
    strassen_->RunPairs(args, lines, {0, p * w.w.out, rows},
                        {rows, (p + half) * w.w.out, rows},
                        lines_.scratch(whole, 1));
  }
}

}  // namespace mace::cpu
