// Choosing convolutions of codes to compute by lines, and running their bands.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/fused/fused_conv_q8.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/conv/conv_node.h"
#include "mace/cpu/conv/conv_q8.h"
#include "mace/cpu/fused/fusing.h"
#include "mace/cpu/fused/lines.h"

namespace mace::cpu {
namespace {

struct Stage {
  ConvShape shape;
  std::variant<ConvGemmQ8, DepthwiseQ8> kernel;

  const ConvGemmQ8* product() const { return std::get_if<ConvGemmQ8>(&kernel); }
  const DepthwiseQ8* depthwise() const {
    return std::get_if<DepthwiseQ8>(&kernel);
  }
  int64_t macs() const {
    return SaturatedProduct(
        {shape.rows(), shape.out_channels, shape.in_per_group(), shape.taps()});
  }
  int64_t line_bytes() const { return shape.window.w.out * shape.out_channels; }
};

class FusedConvQ8 final : public Kernel {
 public:
  FusedConvQ8(std::vector<Stage> stages, const CpuContext& context)
      : stages_(std::move(stages)), threads_(context.threads) {
    std::vector<Lines::Stage> lines;
    for (const Stage& stage : stages_) {
      lines.push_back(
          {stage.shape.window.h, stage.product() != nullptr, stage.line_bytes(),
           stage.product() ? stage.product()->scratch_bytes()
                           : stage.depthwise()->thread_scratch_bytes()});
    }
    lines_ = Lines(std::move(lines), StepOf(BlocksOf(context.caches)));
    num_bands_ = lines_.BandsOf(lines_.num_lines(), threads_->num_threads());
  }

  int64_t scratch_bytes() const override {
    return threads_->num_threads() * lines_.thread_bytes();
  }
  int64_t macs() const override {
    int64_t macs = 0;
    for (const Stage& stage : stages_) {
      macs +=
          std::min(stage.macs(), std::numeric_limits<int64_t>::max() - macs);
    }
    return macs;
  }
  std::vector<Overlap> overlaps() const override;
  std::string variant() const override {
    std::string variant;
    for (const Stage& stage : stages_) {
      StrAppend(&variant, variant.empty() ? "" : " + ");
      StrAppend(&variant, stage.product() ? stage.product()->gemm.variant()
                                          : stage.depthwise()->variant());
    }
    return StrCat(variant, " by lines");
  }
  Status Run(const RunArgs& args) override;

 private:
  int64_t StepOf(const Blocks& blocks) const;
  int64_t input_line() const {
    const ConvShape& first = stages_[0].shape;
    return first.window.w.in * first.in_channels;
  }
  void RunStage(const uint8_t* x, const Lines::Band& band, size_t stage,
                int64_t begin, int64_t end) const;
  void RunDepthwise(const uint8_t* x, const Lines::Band& band, size_t stage,
                    int64_t begin, int64_t end) const;
  void RunProduct(const uint8_t* x, const Lines::Band& band, size_t stage,
                  int64_t begin, int64_t end) const;

  std::vector<Stage> stages_;
  ThreadPool* threads_;
  Lines lines_;
  int64_t num_bands_ = 1;
};

int64_t FusedConvQ8::StepOf(const Blocks& blocks) const {
  const Stage& last = stages_.back();
  int64_t step = 1;
  if (last.product()) {
    const ConvShape& s = last.shape;
    step = std::max(blocks.fused_lines / (s.window.w.out * s.in_channels),
                    CeilDiv(kFewRows, s.window.w.out));
  }
  const int64_t share =
      CeilDiv(last.shape.window.h.out, threads_->num_threads());
  step = std::min(step, share);
  return CeilDiv(share, CeilDiv(share, step));
}

std::vector<Overlap> FusedConvQ8::overlaps() const {
  const int64_t threads = threads_->num_threads();
  const int64_t lines = lines_.num_lines();
  const int64_t step = lines_.step(stages_.size() - 1);
  // One thread runs the steps in order.
  const int64_t pieces = threads == 1 ? CeilDiv(lines, step) : num_bands_;
  const auto begin = [&](int64_t i) {
    return threads == 1 ? std::min(i * step, lines)
                        : PieceBegin(i, pieces, lines);
  };
  const int64_t distance = SafeDistance(
      pieces, threads,
      [&](int64_t i) { return begin(i + 1) * stages_.back().line_bytes(); },
      [&](int64_t i) { return lines_.FirstInput(begin(i)) * input_line(); });
  if (distance < 0) return {};
  return {{0, distance}};
}

Status FusedConvQ8::Run(const RunArgs& args) {
  const auto* x = args.inputs[0].as<const uint8_t>();
  auto* y = args.outputs[0].as<uint8_t>();
  const int64_t lines = lines_.num_lines();
  const bool in_order =
      RangesOverlap(y, lines * stages_.back().line_bytes(), x,
                    stages_[0].shape.window.h.in * input_line());
  RunTasks(
      threads_, static_cast<size_t>(num_bands_), in_order,
      [&](size_t worker, size_t index) {
        const auto i = static_cast<int64_t>(index);
        Lines::Band band;
        band.scratch = args.scratch.as<char>() +
                       static_cast<int64_t>(worker) * lines_.thread_bytes();
        band.y = reinterpret_cast<char*>(y);
        lines_.Run(band, PieceBegin(i, num_bands_, lines),
                   PieceBegin(i + 1, num_bands_, lines),
                   [&](const Lines::Band& b, size_t stage, int64_t begin,
                       int64_t end) { RunStage(x, b, stage, begin, end); });
      });
  return Status();
}

void FusedConvQ8::RunStage(const uint8_t* x, const Lines::Band& band,
                           size_t stage, int64_t begin, int64_t end) const {
  if (stages_[stage].product()) {
    RunProduct(x, band, stage, begin, end);
  } else {
    RunDepthwise(x, band, stage, begin, end);
  }
}

void FusedConvQ8::RunDepthwise(const uint8_t* x, const Lines::Band& band,
                               size_t stage, int64_t begin, int64_t end) const {
  const Stage& s = stages_[stage];
  DepthwiseQ8::Image image = {x, s.shape.window.h.in};
  if (stage > 0) {
    const Lines::Ring ring = lines_.InputRing(band, stage);
    image = {static_cast<const uint8_t*>(ring.begin), ring.lines};
  }
  for (int64_t i = begin; i < end; ++i) {
    s.depthwise()->RunLine(
        image, i, static_cast<uint8_t*>(lines_.OutputLine(band, stage, i)),
        lines_.scratch(band, stage));
  }
}

void FusedConvQ8::RunProduct(const uint8_t* x, const Lines::Band& band,
                             size_t stage, int64_t begin, int64_t end) const {
  const Stage& s = stages_[stage];
  const int64_t width = s.shape.window.w.out;
  for (int64_t stop; begin < end; begin = stop) {
    // Lines that are written may be apart; those that are read never are.
    stop = begin + lines_.Contiguous(band, stage, begin, end - begin);
    auto* y = static_cast<uint8_t*>(lines_.OutputLine(band, stage, begin));
    void* scratch = lines_.scratch(band, stage);
    if (stage == 0) {
      s.product()->RunRows(begin * width, stop * width, x, y, scratch);
    } else {
      const void* from = lines_.OutputLine(band, stage - 1, begin);
      s.product()->RunRows(0, (stop - begin) * width,
                           static_cast<const uint8_t*>(from), y, scratch);
    }
  }
}

// Checks that the nodes are of the kinds that can be fused, in their order.
bool MatchesFusedConvQ8(const std::vector<FusedNode>& chain) {
  if (chain.size() < 2 || chain.size() > Lines::kMaxStages) return false;
  for (size_t i = 0; i < chain.size(); ++i) {
    const Node& node = *chain[i].node;
    const bool is_depthwise = node.op == "DepthwiseConv2d";
    if (!is_depthwise && node.op != "Conv2d") return false;
    if (i > 0 && (chain[i].previous != 0 || chain[i - 1].node->op == node.op)) {
      return false;
    }
    const TensorType& x = node.inputs[0].type;
    if (!x.is_quantized() || SizeOf(x.dtype) != 1 || x.shape[0] != 1) {
      return false;
    }
  }
  return true;
}

// A smaller tensor before a 1x1 convolution is read again from the second-level
// cache as fast as from a few lines, and of fewer lines some tiles are not
// full.
constexpr int64_t kLargeBytes = 1 << 18;

// Checks whether a stage can be one, and pays.
Status CheckStage(const std::vector<FusedNode>& chain, size_t i,
                  const ConvShape& s, const CpuContext& context) {
  const bool before = i + 1 < chain.size(), after = i > 0;
  if (chain[i].node->op == "DepthwiseConv2d") {
    // The last one may be fused with what follows it instead.
    const bool is_fine = s.out_per_group() == 1 && (i < 2 || before);
    return is_fine ? Status() : NotWorthFusing(chain[i]);
  }
  const bool is_pointwise = IsPointwise(s);
  // What does not lie beyond a depthwise convolution may also be as fast by
  // Winograd's method.
  if (s.group != 1 || (!is_pointwise && (after || s.window.h.stride == 1))) {
    return NotWorthFusing(chain[i]);
  }
  if (IsFusionForced(context)) return Status();
  const bool is_large =
      s.window.h.in * s.window.w.in * s.in_channels >= kLargeBytes;
  if ((after && !is_large) || (before && !IsFar(s, 1))) {
    return NotWorthFusing(chain[i]);
  }
  return Status();
}

}  // namespace

Result<KernelPtr> PrepareFusedConvQ8(const std::vector<FusedNode>& chain,
                                     CpuContext& context) {
  if (!MatchesFusedConvQ8(chain)) {
    return Unsupported("these nodes cannot be fused as convolutions");
  }
  std::vector<ConvShape> shapes;
  for (size_t i = 0; i < chain.size(); ++i) {
    const Node& node = *chain[i].node;
    MACE_ASSIGN_OR_RETURN(const ConvNode conv, node.op == "Conv2d"
                                                   ? ReadConv2d(node)
                                                   : ReadDepthwiseConv2d(node));
    MACE_RETURN_IF_ERROR(CheckStage(chain, i, conv.shape, context));
    if (i > 0 && !HasSameLines(shapes.back(), conv.shape)) {
      return NotWorthFusing(chain[i]);
    }
    shapes.push_back(conv.shape);
  }
  std::vector<Stage> stages;
  for (size_t i = 0; i < chain.size(); ++i) {
    const Node& node = *chain[i].node;
    if (node.op == "Conv2d") {
      MACE_ASSIGN_OR_RETURN(ConvGemmQ8 product,
                            MakeConvRowsQ8(node, shapes[i], context));
      stages.push_back({shapes[i], std::move(product)});
    } else {
      MACE_ASSIGN_OR_RETURN(DepthwiseQ8 depthwise,
                            MakeDepthwiseQ8(node, shapes[i], context));
      stages.push_back({shapes[i], std::move(depthwise)});
    }
  }
  return KernelPtr(std::make_unique<FusedConvQ8>(std::move(stages), context));
}

}  // namespace mace::cpu
