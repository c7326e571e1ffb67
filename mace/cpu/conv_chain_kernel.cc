// Planning the lines of a chain, and running its bands.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/conv_chain_kernel.h"

#include "mace/cpu/conv_choice.h"
#include "mace/cpu/safe_distance.h"
#include "mace/cpu/tasks.h"

namespace mace::cpu {
namespace {

// Lines between depthwise and 1x1 convolution: they stay near, unless a large
// filter must be read again for each of them.
constexpr int64_t kNearBytes = 16 * 1024;
constexpr int64_t kLargeFilterBytes = 256 * 1024;
constexpr int64_t kFewRows = 56;  // in which a filter is read once

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
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

void ChainProduct::Run(const RunArgs& args, int64_t begin, int64_t end,
                       const float* x, float* y, int64_t y_floats,
                       void* scratch) const {
  const float* sum = Input(args, addend);
  gemm.RunRows(begin, end,
               {x, filter.Get(nullptr, nullptr), Input(args, bias), y,
                sum == nullptr ? nullptr : sum + y_floats},
               scratch);
}

void ChainProduct::RunPairs(const RunArgs& args, const float* x,
                            const StrassenGemm::Rows& first,
                            const StrassenGemm::Rows& second,
                            void* scratch) const {
  strassen->RunPairs(
      {x, static_cast<const float*>(strassen_filter.get()), Input(args, bias),
       args.outputs[0].as<float>(), Input(args, addend)},
      first, second, scratch);
}

int64_t ChainProduct::thread_scratch_floats() const {
  return (strassen ? strassen->thread_scratch_bytes()
                   : gemm.thread_scratch_bytes()) /
         static_cast<int64_t>(sizeof(float));
}

std::string ChainProduct::variant() const {
  return (strassen ? strassen->variant() : gemm.variant()) +
         (addend >= 0 ? " + sum" : "");
}

double ChainProduct::Cost() const {
  return strassen ? StrassenCost(shape) : DirectCost(shape);
}

ConvChain::ConvChain(Spec spec, ThreadPool* threads)
    : before_(std::move(spec.before)),
      depthwise_(std::move(spec.depthwise)),
      shape_(spec.shape),
      taps_(std::move(spec.taps)),
      bias_(spec.bias),
      after_(std::move(spec.after)),
      threads_(threads) {
  PlanLines(spec.step);
  PlanScratch();
}

int64_t ConvChain::scratch_bytes() const {
  return threads_->num_threads() * thread_floats_ *
         static_cast<int64_t>(sizeof(float));
}

int64_t ConvChain::macs() const {
  int64_t macs = Macs(shape_);
  for (const auto* p : {&before_, &after_}) {
    if (*p) macs += Macs((*p)->shape);
  }
  return macs;
}

int64_t ConvChain::cost_macs() const {
  double cost = static_cast<double>(Macs(shape_));
  for (const auto* p : {&before_, &after_}) {
    if (*p) cost += (*p)->Cost();
  }
  return static_cast<int64_t>(cost);
}

std::vector<mace::Overlap> ConvChain::overlaps() const {
  if (pairs_lines()) return {};  // both halves are read from the start
  const int64_t threads = threads_->num_threads();
  const Window2D& w = shape_.window;
  // One thread runs step by step.
  const int64_t pieces = threads == 1 ? CeilDiv(w.h.out, step_) : num_bands_;
  const auto begin = [&](int64_t i) {
    return threads == 1 ? std::min(i * step_, w.h.out) : BandBegin(i);
  };
  const int64_t distance = SafeDistance(
      pieces, threads,
      [&](int64_t i) { return begin(i + 1) * w.w.out * OutChannels() * 4; },
      [&](int64_t i) {
        int64_t line = FirstLine(begin(i)), width = w.w.in;
        if (before_) {
          const Window2D& b = before_->shape.window;
          line = std::clamp<int64_t>(line * b.h.stride - b.h.pad_before, 0,
                                     b.h.in);
          width = b.w.in;
        }
        return line * width * InChannels() * 4;
      });
  return {{0, distance}};
}

std::string ConvChain::variant() const {
  return (before_ ? before_->variant() + " + " : std::string()) +
         depthwise_.variant() +
         (after_ ? " + " + after_->variant() : std::string()) + " by lines";
}

Status ConvChain::Run(const RunArgs& args) {
  const auto* x = args.inputs[0].as<const float>();
  auto* y = args.outputs[0].as<float>();
  const Window2D& in = before_ ? before_->shape.window : shape_.window;
  const bool in_order = Overlap(y, OutPixels() * OutChannels(), x,
                                in.h.in * in.w.in * InChannels());
  RunTasks(threads_, num_bands_, in_order, [&](size_t worker, size_t band) {
    float* scratch = args.scratch.as<float>() + worker * thread_floats_;
    if (pairs_lines()) {
      RunPairs(args, static_cast<int64_t>(band), scratch);
    } else {
      RunBand(args, static_cast<int64_t>(band), scratch);
    }
  });
  return Status();
}

int64_t ConvChain::OutPixels() const {
  return shape_.window.h.out * shape_.window.w.out;
}

int64_t ConvChain::OutChannels() const {
  return after_ ? after_->shape.out_channels : shape_.out_channels;
}

int64_t ConvChain::InChannels() const {
  return before_ ? before_->shape.in_channels : shape_.in_channels;
}

int64_t ConvChain::Lines() const {
  return pairs_lines() ? shape_.window.h.out / 2 : shape_.window.h.out;
}

int64_t ConvChain::BandBegin(int64_t band) const {
  return band * Lines() / num_bands_;
}

int64_t ConvChain::FirstLine(int64_t p) const {
  const Window& h = shape_.window.h;
  return std::clamp<int64_t>(p * h.stride - h.pad_before, 0, h.in);
}

int64_t ConvChain::LastLine(int64_t p) const {
  const Window& h = shape_.window.h;
  return std::clamp<int64_t>(p * h.stride - h.pad_before + h.extent(), 0, h.in);
}

void ConvChain::PlanLines(int64_t doubled) {
  const Window2D& w = shape_.window;
  const int64_t channels = shape_.out_channels;
  const int64_t threads = threads_->num_threads();
  pixel_ = channels;
  step_ = 1;
  if (after_) {
    pixel_ = ChainPixel(channels);
    const int64_t filter_bytes = channels * OutChannels() * 4;
    const int64_t bytes =
        filter_bytes > kLargeFilterBytes ? kLargeFilterBytes : kNearBytes;
    step_ =
        std::max(bytes / (w.w.out * channels * 4), CeilDiv(kFewRows, w.w.out));
  }
  step_ = Doubled(step_, doubled);
  const int64_t share = CeilDiv(Lines(), threads);
  step_ = std::min(step_, share);
  step_ = CeilDiv(share, CeilDiv(share, step_));
  // Bands as long as can be where lines are computed twice between them.
  const int64_t rounds = CeilDiv(CeilDiv(Lines(), step_), threads);
  num_bands_ = std::min(before_ ? threads : rounds * threads, Lines());
  ring_lines_ = (step_ - 1) * w.h.stride + w.h.extent();
  if (pairs_lines()) after_->strassen->SetMaxPairs(step_ * w.w.out);
}

void ConvChain::PlanScratch() {
  const Window2D& w = shape_.window;
  int64_t floats = 0;
  const auto add = [&floats](int64_t more) {
    const int64_t at = floats;
    floats += AlignedFloats(more);
    return at;
  };
  pixels_at_ = add(CeilDiv(depthwise_.thread_scratch_bytes(), 4));
  if (before_) {
    ring_at_ = add(ring_lines_ * w.w.in * shape_.in_channels);
    before_at_ = add(before_->thread_scratch_floats());
  }
  if (after_) {
    const int64_t lines = pairs_lines() ? 2 * step_ : step_;
    lines_at_ = add(lines * w.w.out * pixel_);
    after_at_ = add(after_->thread_scratch_floats());
  }
  thread_floats_ = floats;
}

void ConvChain::RunBand(const RunArgs& args, int64_t band,
                        float* scratch) const {
  const Window2D& w = shape_.window;
  auto* y = args.outputs[0].as<float>();
  Depthwise::Image image = {args.inputs[0].as<const float>(), w.h.in};
  if (before_) image = {scratch + ring_at_, ring_lines_};
  const int64_t end = BandBegin(band + 1);
  int64_t ready = 0;  // lines of the ring, up to here
  for (int64_t p = BandBegin(band); p < end; p += step_) {
    const int64_t p_end = std::min(p + step_, end);
    if (before_) {
      ready = std::max(ready, FirstLine(p));
      FillRing(args, ready, LastLine(p_end - 1), scratch);
      ready = std::max(ready, LastLine(p_end - 1));
    }
    const int64_t out_floats = p * w.w.out * OutChannels();
    float* out = y + out_floats;
    float* lines = after_ ? scratch + lines_at_ : out;
    RunDepthwise(args, image, p, p_end, lines, scratch);
    if (after_) {
      after_->Run(args, 0, (p_end - p) * w.w.out, lines, out, out_floats,
                  scratch + after_at_);
    }
  }
}

void ConvChain::RunDepthwise(const RunArgs& args, const Depthwise::Image& image,
                             int64_t begin, int64_t end, float* lines,
                             float* scratch) const {
  const int64_t line_floats = shape_.window.w.out * pixel_;
  for (int64_t i = begin; i < end; ++i, lines += line_floats) {
    depthwise_.RunLine(image, i, static_cast<const float*>(taps_.get()),
                       Input(args, bias_), lines, scratch + pixels_at_);
  }
}

void ConvChain::RunPairs(const RunArgs& args, int64_t band,
                         float* scratch) const {
  const Window2D& w = shape_.window;
  const Depthwise::Image image = {args.inputs[0].as<const float>(), w.h.in};
  float* lines = scratch + lines_at_;
  const int64_t half = w.h.out / 2, end = BandBegin(band + 1);
  for (int64_t p = BandBegin(band); p < end; p += step_) {
    const int64_t p_end = std::min(p + step_, end);
    const int64_t rows = (p_end - p) * w.w.out;
    RunDepthwise(args, image, p, p_end, lines, scratch);
    RunDepthwise(args, image, p + half, p_end + half, lines + rows * pixel_,
                 scratch);
    after_->RunPairs(args, lines, {0, p * w.w.out, rows},
                     {rows, (p + half) * w.w.out, rows}, scratch + after_at_);
  }
}

void ConvChain::FillRing(const RunArgs& args, int64_t begin, int64_t end,
                         float* scratch) const {
  const int64_t width = shape_.window.w.in;
  while (begin < end) {
    const int64_t at = begin % ring_lines_;
    const int64_t stop = std::min(end, begin + ring_lines_ - at);
    before_->Run(args, begin * width, stop * width,
                 args.inputs[0].as<const float>(),
                 scratch + ring_at_ + at * width * shape_.in_channels, 0,
                 scratch + before_at_);
    begin = stop;
  }
}

}  // namespace mace::cpu
