// Planning the lines of fused convolutions, and running bands of lines.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_conv_kernel.h"

#include "mace/base/parts.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"

namespace mace::cpu {
namespace {

constexpr int64_t kFewRows = 56;  // pixels for each reading of a filter

int64_t AlignedFloats(int64_t floats) {
  return AlignUp(floats * static_cast<int64_t>(sizeof(float)), kAlignment) /
         static_cast<int64_t>(sizeof(float));
}

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

int64_t FusedProduct::thread_scratch_floats() const {
  const int64_t bytes = kHasStrassen && strassen
                            ? strassen->thread_scratch_bytes()
                            : gemm.thread_scratch_bytes();
  return bytes / static_cast<int64_t>(sizeof(float));
}

std::string FusedProduct::variant() const {
  return StrCat(kHasStrassen && strassen ? strassen->variant() : gemm.variant(),
                addend >= 0 ? " + sum" : "");
}

FusedConv::FusedConv(Spec spec, ThreadPool* threads)
    : stages_(std::move(spec.stages)), threads_(threads) {
  PlanLines(spec.lines, spec.blocks);
  PlanScratch(spec.blocks);
}

int64_t FusedConv::scratch_bytes() const {
  return threads_->num_threads() * thread_floats_ *
         static_cast<int64_t>(sizeof(float));
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

std::vector<mace::Overlap> FusedConv::overlaps() const {
  if (pairs_lines()) return {};  // both halves of x are read from the start
  const int64_t threads = threads_->num_threads();
  const Window2D& out = last().window;
  const int64_t step = step_.back();
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
        int64_t line = begin(i);
        for (size_t s = stages_.size(); s-- > 0;) line = FirstLine(s, line);
        const ConvShape& first = stages_[0].shape();
        return line * first.window.w.in * first.in_channels * 4;
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
      Overlap(args.outputs[0].as<float>(),
              floats(out.h.out, out.w.out, last().out_channels),
              args.inputs[0].as<const float>(),
              floats(in.h.in, in.w.in, first.in_channels));
  RunTasks(threads_, num_bands_, in_order, [&](size_t worker, size_t index) {
    const auto i = static_cast<int64_t>(index);
    float* scratch = args.scratch.as<float>() + worker * thread_floats_;
    if (pairs_lines()) return RunPairs(args, i, scratch);
    Band band = {args, scratch};
    band.ready[stages_.size() - 1] = BandBegin(i);
    Advance(band, stages_.size() - 1, BandBegin(i + 1));
  });
  return Status();
}

bool FusedConv::pairs_lines() const {
  return kHasStrassen && stages_.back().product &&
         stages_.back().product->strassen;
}

int64_t FusedConv::Lines() const {
  return pairs_lines() ? last().window.h.out / 2 : last().window.h.out;
}

int64_t FusedConv::BandBegin(int64_t band) const {
  return band * Lines() / num_bands_;
}

int64_t FusedConv::FirstLine(size_t stage, int64_t p) const {
  const Window& h = stages_[stage].shape().window.h;
  return std::clamp<int64_t>(p * h.stride - h.pad_before, 0, h.in);
}

int64_t FusedConv::LastLine(size_t stage, int64_t p) const {
  const Window& h = stages_[stage].shape().window.h;
  return std::clamp<int64_t>(p * h.stride - h.pad_before + h.extent(), 0, h.in);
}

void FusedConv::PlanLines(int64_t doubled, const Blocks& blocks) {
  const ConvShape& s = last();
  const int64_t threads = threads_->num_threads();
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
  const int64_t share = CeilDiv(Lines(), threads);
  step = std::min(step, share);
  step = CeilDiv(share, CeilDiv(share, step));
  // Bands are as long as possible if lines are computed twice where bands meet.
  bool twice = false;
  for (size_t i = 1; i < stages_.size(); ++i) twice |= !stages_[i].product;
  const int64_t rounds = CeilDiv(CeilDiv(Lines(), step), threads);
  num_bands_ = std::min(twice ? threads : rounds * threads, Lines());
  // The lines that a step of the last stage needs of each stage.
  step_.assign(stages_.size(), step);
  for (size_t i = stages_.size() - 1; i > 0; --i) {
    step_[i - 1] = step_[i] * stages_[i].shape().window.h.stride;
  }
  if (pairs_lines()) {
    stages_.back().product->strassen->SetMaxPairs(step * s.window.w.out);
  }
}

void FusedConv::PlanScratch(const Blocks& blocks) {
  int64_t floats = 0;
  const auto add = [&floats](int64_t more) {
    const int64_t at = floats;
    floats += AlignedFloats(more);
    return at;
  };
  for (size_t i = 0; i < stages_.size(); ++i) {
    const FusedStage& stage = stages_[i];
    scratch_at_.push_back(
        add(stage.product
                ? stage.product->thread_scratch_floats()
                : CeilDiv(stage.depthwise->kernel.thread_scratch_bytes(), 4)));
    if (i + 1 == stages_.size()) break;
    const FusedStage& next = stages_[i + 1];
    const Window& h = next.shape().window.h;
    const int64_t channels = stage.shape().out_channels;
    Ring ring;
    ring.lines = (step_[i + 1] - 1) * h.stride + h.extent();
    if (pairs_lines()) ring.lines *= 2;
    ring.line_floats = stage.shape().window.w.out *
                       (next.product ? FusedPixel(channels, blocks) : channels);
    ring.at = add(ring.lines * ring.line_floats);
    rings_.push_back(ring);
  }
  thread_floats_ = floats;
}

void FusedConv::Advance(Band& band, size_t stage, int64_t end) const {
  int64_t& ready = band.ready[stage];
  while (ready < end) {
    const int64_t stop = std::min(ready + step_[stage], end);
    if (stage > 0) {
      int64_t& before = band.ready[stage - 1];
      before = std::max(before, FirstLine(stage, ready));
      // A product does not reuse lines in the next step: its ring starts again.
      if (stages_[stage].product) band.base[stage - 1] = ready;
      Advance(band, stage - 1, LastLine(stage, stop - 1));
    }
    if (stages_[stage].product) {
      RunProduct(band, stage, ready, stop);
    } else {
      RunDepthwise(band, stage, ready, stop);
    }
    ready = stop;
  }
}

float* FusedConv::OutputLine(const Band& band, size_t stage,
                             int64_t line) const {
  if (stage == rings_.size()) {
    return band.args.outputs[0].as<float>() +
           line * last().window.w.out * last().out_channels;
  }
  const Ring& ring = rings_[stage];
  return band.scratch + ring.at +
         (line - band.base[stage]) % ring.lines * ring.line_floats;
}

int64_t FusedConv::Contiguous(const Band& band, size_t stage, int64_t line,
                              int64_t most) const {
  if (stage == rings_.size()) return most;
  const int64_t lines = rings_[stage].lines;
  return std::min(most, lines - (line - band.base[stage]) % lines);
}

void FusedConv::RunDepthwise(const Band& band, size_t stage, int64_t begin,
                             int64_t end) const {
  const FusedDepthwise& d = *stages_[stage].depthwise;
  Depthwise::Image image = {band.args.inputs[0].as<const float>(),
                            d.shape.window.h.in};
  if (stage > 0) {
    const Ring& ring = rings_[stage - 1];
    image = {band.scratch + ring.at, ring.lines};
  }
  for (int64_t i = begin; i < end; ++i) {
    d.kernel.RunLine(image, i, static_cast<const float*>(d.taps.get()),
                     Input(band.args, d.bias), OutputLine(band, stage, i),
                     band.scratch + scratch_at_[stage]);
  }
}

void FusedConv::RunProduct(const Band& band, size_t stage, int64_t begin,
                           int64_t end) const {
  const FusedProduct& product = *stages_[stage].product;
  const int64_t width = product.shape.window.w.out;
  float* scratch = band.scratch + scratch_at_[stage];
  for (int64_t stop; begin < end; begin = stop) {
    // The lines that are read belong to one step, so they are contiguous.
    stop = begin + Contiguous(band, stage, begin, end - begin);
    float* y = OutputLine(band, stage, begin);
    const int64_t rows = (stop - begin) * width;
    if (stage > 0) {
      product.Run(band.args, 0, rows, OutputLine(band, stage - 1, begin), y,
                  begin * width * product.shape.out_channels, scratch);
    } else {
      product.Run(band.args, begin * width, stop * width,
                  band.args.inputs[0].as<const float>(), y, 0, scratch);
    }
  }
}

void FusedConv::RunPairs(const RunArgs& args, int64_t band,
                         float* scratch) const {
  const Window2D& w = last().window;
  const Ring& ring = rings_[0];
  const float* lines = scratch + ring.at;
  const int64_t half = w.h.out / 2, end = BandBegin(band + 1);
  for (int64_t p = BandBegin(band); p < end; p += step_[1]) {
    const int64_t n = std::min(step_[1], end - p);
    // The lines of the lower half are stored after those of the upper half.
    RunDepthwise({args, scratch, {}, {p}}, 0, p, p + n);
    RunDepthwise({args, scratch, {}, {p + half - n}}, 0, p + half,
                 p + half + n);
    const int64_t rows = n * w.w.out;
    stages_[1].product->RunPairs(args, lines, {0, p * w.w.out, rows},
                                 {rows, (p + half) * w.w.out, rows},
                                 scratch + scratch_at_[1]);
  }
}

}  // namespace mace::cpu
