// Packing and running a Winograd convolution of quantized values.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/winograd/conv_winograd_q8.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/blocks.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/tasks.h"
#include "mace/cpu/gemm/kernel_q8.h"
#include "mace/cpu/winograd/winograd_filter_q8.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/conv2d.h"

namespace mace::cpu {
namespace {

constexpr int64_t kOut = kWinogradQ8Out, kIn = kWinogradQ8In;
constexpr int64_t kArea = kWinogradQ8Area, kTaps = 9;
// Whose sums are requantized with one call for each line.
constexpr int64_t kTilesAtOnce = 4;
// With at least this many rows of tiles per thread, threads share rows evenly
// enough.
constexpr int64_t kWinogradQ8RowsPerThread = 4;
// The most that the magnitudes of a filter may add up to: sums of their
// products with quantized values, at most 128 from 0, are then less than 2^25
// from 0.
constexpr int64_t kMaxMagnitudes = (int64_t{1} << 25) / 128 - 1;

FilterOrder OrderOfConvWinogradQ8(const ConvShape& s) {
  return {s.out_channels, s.in_channels, kTaps, kTaps};
}

}  // namespace

int64_t WinogradQ8Tiles(const ConvShape& s) {
  return s.batch * CeilDiv(s.window.h.out, kOut) *
         CeilDiv(s.window.w.out, kOut);
}

int64_t WinogradQ8FilterBytes(const ConvShape& s, const WinogradQ8& micro) {
  return AlignUp(s.out_channels, micro.nr) *
         AlignUp(s.in_channels, micro.step) * kArea *
         static_cast<int64_t>(sizeof(int16_t));
}

int64_t WinogradQ8TileBytes(const ConvShape& s, const WinogradQ8& micro) {
  return AlignUp(s.in_channels, micro.lanes) * kArea *
         static_cast<int64_t>(sizeof(int16_t));
}

struct ConvWinogradQ8::Task {
  const uint8_t* x;
  uint8_t* y;
  int64_t y_stride;  // between pixels
  int16_t* v;
  int32_t* m;
  int32_t* sums;
  const RequantizeQ8* requantize;
  int64_t tile_begin, tile_end, panel_begin, panel_end;

  int64_t tiles() const { return tile_end - tile_begin; }
};

bool ConvWinogradQ8::IsExact(const Operand& w, const ConvShape& s) {
  const FilterValuesQ8 quantized = {w.data, w.type.dtype == DataType::kU8};
  const int32_t zero = w.type.quantization->zero_point();
  const int64_t elements = s.in_channels * kTaps;
  // A magnitude is at most 255, and 128 if the values are signed.
  if (elements * 255 <= kMaxMagnitudes) return true;
  for (int64_t o = 0; o < s.out_channels; ++o) {
    int64_t magnitudes = 0;
    for (int64_t i = 0; i < elements; ++i) {
      magnitudes += std::abs(quantized[o * elements + i] - zero);
    }
    if (magnitudes > kMaxMagnitudes) return false;
  }
  return true;
}

ConvWinogradQ8::ConvWinogradQ8(const ConvShape& shape, const WinogradQ8& micro,
                               const CpuContext& context)
    : shape_(shape),
      micro_(&micro),
      threads_(context.threads),
      depth_(AlignUp(shape.in_channels, micro.step)),
      group_(AlignUp(shape.in_channels, micro.lanes) * micro.mr),
      tile_lines_(CeilDiv(shape.window.h.out, kOut)),
      tile_columns_(CeilDiv(shape.window.w.out, kOut)),
      tiles_(WinogradQ8Tiles(shape)),
      panels_(CeilDiv(shape.out_channels, micro.nr)) {
  PlanTasks(context);
}

void ConvWinogradQ8::PlanTasks(const CpuContext& context) {
  const int64_t mr = micro_->mr, nr = micro_->nr;
  const int64_t threads = threads_->num_threads();
  const int64_t block =
      BlocksOf(context.caches).rows_of(WinogradQ8FilterBytes(shape_, *micro_));
  const int64_t rows = CeilDiv(std::max<int64_t>(tiles_, 1), mr);
  int64_t most =
      std::max<int64_t>(block / WinogradQ8TileBytes(shape_, *micro_) / mr, 1);
  panel_block_ = panels_;
  if (threads > 1) {
    // If there are few tiles, the threads share the channels and each
    // transforms all tiles.
    if (rows < kWinogradQ8RowsPerThread * threads && panels_ >= threads) {
      panel_block_ = EvenBlock(panels_, panels_, threads);
    } else {
      most = EvenBlock(rows, most, threads);
    }
  }
  // The same number of blocks, but of equal sizes.
  const int64_t row_block = CeilDiv(rows, CeilDiv(rows, most));
  tile_block_ = row_block * mr;
  // Neighbors of an element's number would otherwise compete for a cache's set.
  v_element_ = 2 * SpreadOverSets(CeilDiv(row_block * group_, 2));
  m_element_ = SpreadOverSets(tile_block_ * nr);
  m_at_ = kArea * v_element_ * static_cast<int64_t>(sizeof(int16_t));
  sums_at_ = m_at_ + kArea * m_element_ * static_cast<int64_t>(sizeof(int32_t));
  const int64_t sums =
      kOut * kOut * kTilesAtOnce * nr + int64_t{kRequantizeQ8Columns};
  thread_bytes_ =
      sums_at_ +
      AlignUp(sums * static_cast<int64_t>(sizeof(int32_t)), kAlignment);
}

Result<ConvWinogradQ8> ConvWinogradQ8::Create(const Node& node,
                                              const ConvShape& shape,
                                              const WinogradQ8& micro,
                                              const OutputStage& stage,
                                              CpuContext& context) {
  MACE_RETURN_IF_ERROR(CheckConstantQ8(node));
  ConvWinogradQ8 conv(shape, micro, context);
  const TensorType& x = node.inputs[0].type;
  conv.x_ = FlipFor(x, /*reads_unsigned=*/false);
  conv.zeros_.assign(static_cast<size_t>(shape.in_channels),
                     static_cast<uint8_t>(x.quantization->zero_point()));
  MACE_RETURN_IF_ERROR(conv.Pack(node, stage, context));
  return conv;
}

Status ConvWinogradQ8::Pack(const Node& node, const OutputStage& stage,
                            CpuContext& context) {
  const Operand& w = node.inputs[1];
  const int64_t nr = micro_->nr;
  const int64_t channels = panels_ * nr;
  const int64_t stage_bytes = AlignUp(StageQ8::Bytes(channels), kAlignment);
  const auto bytes =
      static_cast<size_t>(stage_bytes + WinogradQ8FilterBytes(shape_, *micro_));
  const FilterValuesQ8 quantized = {w.data, w.type.dtype == DataType::kU8};
  const int32_t zero = w.type.quantization->zero_point();
  const auto pack = [&](void* to) -> Status {
    std::memset(to, 0, bytes);
    PackWinogradFilterQ8(
        {quantized, zero, shape_.out_channels, shape_.in_channels}, *micro_,
        reinterpret_cast<int16_t*>(static_cast<char*>(to) + stage_bytes));
    for (int64_t o = 0; o < shape_.out_channels; ++o) {
      StageQ8::Pack(
          channels, o, stage, o,
          SumsQ8(node, OrderOfConvWinogradQ8(shape_), o, x_.zero_point, zero),
          to);
    }
    return Status();
  };
  const std::string how = StrCat(
      "winograd q8 of ", shape_.out_channels, "x", shape_.in_channels, " by ",
      nr, "x", micro_->group, "x", micro_->step, NameOfNumbersQ8(node));
  MACE_ASSIGN_OR_RETURN(
      packed_, context.packed->GetOrPack(SharedIdQ8(node), how, bytes, pack));
  filter_ = reinterpret_cast<const int16_t*>(
      static_cast<const char*>(packed_.get()) + stage_bytes);
  stage_ = StageQ8(stage, channels, packed_.get(), context.features);
  return Status();
}

void ConvWinogradQ8::Run(const uint8_t* x, uint8_t* y, int64_t row_stride,
                         void* scratch) const {
  const int64_t y_stride = row_stride > 0 ? row_stride : shape_.out_channels;
  const int64_t blocks = CeilDiv(tiles_, tile_block_);
  const int64_t panel_blocks = CeilDiv(panels_, panel_block_);
  const RequantizeQ8* requantize = &stage_.Micro();
  RunTasks(threads_, static_cast<size_t>(blocks * panel_blocks),
           [&](size_t worker, size_t index) {
             const auto i = static_cast<int64_t>(index);
             const int64_t tile = i / panel_blocks * tile_block_;
             const int64_t panel = i % panel_blocks * panel_block_;
             char* memory = static_cast<char*>(scratch) +
                            static_cast<int64_t>(worker) * thread_bytes_;
             RunTask({x, y, y_stride, reinterpret_cast<int16_t*>(memory),
                      reinterpret_cast<int32_t*>(memory + m_at_),
                      reinterpret_cast<int32_t*>(memory + sums_at_), requantize,
                      tile, std::min(tile + tile_block_, tiles_), panel,
                      std::min(panel + panel_block_, panels_)});
           });
}

void ConvWinogradQ8::RunTask(const Task& task) const {
  for (int64_t i = task.tile_begin; i < task.tile_end; ++i) {
    TransformInput(task, i);
  }
  for (int64_t p = task.panel_begin; p < task.panel_end; ++p) {
    MultiplyPanel(task, p);
    TransformOutput(task, p);
  }
}

void ConvWinogradQ8::TransformInput(const Task& task, int64_t tile) const {
  const Window &h = shape_.window.h, &w = shape_.window.w;
  const int64_t channels = shape_.in_channels, mr = micro_->mr;
  const int64_t line = tile / tile_columns_;
  const int64_t top = line % tile_lines_ * kOut - h.pad_before;
  const int64_t left = tile % tile_columns_ * kOut - w.pad_before;
  const uint8_t* image = task.x + line / tile_lines_ * h.in * w.in * channels;
  const uint8_t* pixels[kArea];
  const uint8_t** pixel = pixels;
  for (int64_t row = top; row < top + kIn; ++row) {
    const uint8_t* inside =
        row >= 0 && row < h.in ? image + row * w.in * channels : nullptr;
    for (int64_t column = left; column < left + kIn; ++column) {
      *pixel++ = inside != nullptr && column >= 0 && column < w.in
                     ? inside + column * channels
                     : zeros_.data();
    }
  }
  const int64_t at = tile - task.tile_begin;
  micro_->set->input({static_cast<size_t>(channels), pixels, x_.flip,
                      task.v + at / mr * group_ + at % mr * micro_->lanes,
                      static_cast<size_t>(v_element_),
                      static_cast<size_t>(mr * micro_->lanes)});
}

void ConvWinogradQ8::MultiplyPanel(const Task& task, int64_t panel) const {
  const int64_t mr = micro_->mr, nr = micro_->nr;
  const int16_t* b = filter_ + panel * kArea * depth_ * nr;
  for (int64_t i = 0; i < kArea; ++i, b += depth_ * nr) {
    const int16_t* a = task.v + i * v_element_;
    int32_t* c = task.m + i * m_element_;
    for (int64_t row = 0; row < task.tiles(); row += mr) {
      micro_->set->product(
          {static_cast<size_t>(std::min(mr, task.tiles() - row)),
           static_cast<size_t>(depth_), a, b, c});
      a += group_;
      c += mr * nr;
    }
  }
}

void ConvWinogradQ8::TransformOutput(const Task& task, int64_t panel) const {
  const Window &h = shape_.window.h, &w = shape_.window.w;
  const int64_t nr = micro_->nr, channels = shape_.out_channels;
  const int64_t first = panel * nr;
  for (int64_t i = task.tile_begin, n; i < task.tile_end; i += n) {
    n = std::min(
        {task.tile_end - i, tile_columns_ - i % tile_columns_, kTilesAtOnce});
    micro_->set->output(
        {static_cast<size_t>(n), task.m + (i - task.tile_begin) * nr,
         static_cast<size_t>(m_element_), stage_.start(first), task.sums});
    const int64_t line = i / tile_columns_;
    const int64_t p = line % tile_lines_ * kOut, q = i % tile_columns_ * kOut;
    uint8_t* y =
        task.y +
        ((line / tile_lines_ * h.out + p) * w.out + q) * task.y_stride + first;
    for (int64_t row = 0; row < std::min(kOut, h.out - p); ++row) {
      stage_.Run(*task.requantize,
                 {std::min(kOut * n, w.out - q), std::min(nr, channels - first),
                  first, task.sums + row * kOut * n * nr, nr, nullptr,
                  y + row * w.out * task.y_stride, task.y_stride});
    }
  }
}

Result<KernelPtr> PrepareConvWinogradQ8(const Node& node, const ConvShape& s,
                                        CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const Conv2dAttrs attrs, ReadAttrs<Conv2dAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const OutputStage stage, MakeOutputStage(node, attrs));
  const WinogradQ8& micro = ChooseRow(kWinogradQ8, context.features);
  MACE_ASSIGN_OR_RETURN(ConvWinogradQ8 winograd,
                        ConvWinogradQ8::Create(node, s, micro, stage, context));
  return KernelPtr(std::make_unique<KernelQ8<ConvWinogradQ8>>(
      std::move(winograd), micro.name,
      SaturatedProduct({s.rows(), s.out_channels, s.taps(), s.in_channels})));
}

}  // namespace mace::cpu
