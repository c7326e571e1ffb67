// Packing the filter of a depthwise convolution of quantized values, and
// running it.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/depthwise/depthwise_q8.h"

#include <algorithm>
#include <cstring>

#include "mace/base/aligned_buffer.h"
#include "mace/base/str_cat.h"
#include "mace/cpu/common/blocking.h"
#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/safe_distance.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/common/tasks.h"

namespace mace::cpu {
namespace {

// Small tasks let an output overlap its input closely.
constexpr int64_t kDepthwiseQ8TasksPerThread = 8;
// Most outputs of a tile: the columns and sums of wider ones leave the
// first-level cache.
constexpr int64_t kMaxWidth = 16;

// Where elements of a packed filter lie.
struct PackedTaps {
  const DwconvQ8* micro;
  const ConvShape* s;
  int64_t planes;

  int64_t groups() const { return CeilDiv(s->window.h.kernel, micro->group); }
  int64_t plane() const {  // elements
    return s->window.w.kernel * groups() * micro->lanes * micro->group;
  }
  // Writes the taps of channel `c`, [kernel_h, kernel_w] from quantized[at] on.
  template <typename T>
  void Pack(const FilterValuesQ8& quantized, int64_t at, int32_t zero,
            int64_t c, T* to) const {
    constexpr int32_t kLimit = std::numeric_limits<T>::max();
    const int64_t lanes = micro->lanes, group = micro->group;
    const Window &h = s->window.h, &w = s->window.w;
    T* block = to + c / lanes * planes * plane();
    for (int64_t r = 0; r < h.kernel; ++r) {
      for (int64_t j = 0; j < w.kernel; ++j) {
        T* tap = block +
                 ((j * groups() + r / group) * lanes + c % lanes) * group +
                 r % group;
        int32_t rest = quantized[at++] - zero;
        for (; rest != 0; tap += plane()) {
          const int32_t here = std::clamp(rest, -kLimit - 1, kLimit);
          *tap = static_cast<T>(here);
          rest -= here;
        }
      }
    }
  }
};

// Returns how many planes of 8 bits the elements of a filter take.
int64_t PlanesOf(const Operand& w) {
  const int32_t zero = w.type.quantization->zero_point();
  const int32_t least = (w.type.dtype == DataType::kI8 ? -128 : 0) - zero;
  return std::max<int64_t>(CeilDiv(-least, 128), CeilDiv(least + 255, 127));
}

// Of the pixels of a tile each thread keeps pointers and columns.
Status CheckTile(const Node& node, const ConvShape& shape) {
  const Window& w = shape.window.w;
  return CheckTable(node, "pixels of a tile",
                    {(std::min(kMaxWidth, w.out) - 1) * w.stride + w.extent(),
                     shape.window.h.kernel},
                    sizeof(void*));
}

}  // namespace

Result<DepthwiseQ8> DepthwiseQ8::Create(const Node& node,
                                        const ConvShape& shape,
                                        const OutputStage& stage,
                                        CpuContext& context) {
  MACE_RETURN_IF_ERROR(CheckConstantQ8(node));
  MACE_RETURN_IF_ERROR(CheckTile(node, shape));
  DepthwiseQ8 d;
  const Window& window = shape.window.w;
  d.micro_ =
      &ChooseRow(kDwconvQ8, context.features, [&window](const DwconvQ8& row) {
        return row.kernel == 0 ||
               (row.kernel == window.kernel && row.stride == window.stride &&
                window.dilation == 1);
      });
  d.threads_ = context.threads;
  d.s_ = shape;
  d.x_ = FlipFor(node.inputs[0].type, d.micro_->reads_unsigned);
  const Operand& w = node.inputs[1];
  d.planes_ = d.micro_->w_bytes == 1 ? PlanesOf(w) : 1;
  const PackedTaps taps = {d.micro_, &shape, d.planes_};
  d.block_bytes_ = d.planes_ * taps.plane() * d.micro_->w_bytes;
  const int64_t channels = AlignUp(shape.out_channels, d.micro_->lanes);
  const int64_t stage_bytes = AlignUp(StageQ8::Bytes(channels), kAlignment);
  const auto bytes = static_cast<size_t>(
      stage_bytes + channels / d.micro_->lanes * d.block_bytes_);
  const FilterOrder order = {shape.out_channels, 1, shape.taps()};
  const int32_t zero = w.type.quantization->zero_point();
  const auto pack = [&](void* to) -> Status {
    std::memset(to, 0, bytes);
    char* first = static_cast<char*>(to) + stage_bytes;
    const FilterValuesQ8 quantized = {w.data, w.type.dtype == DataType::kU8};
    for (int64_t c = 0; c < shape.out_channels; ++c) {
      const int64_t at = order.offset(c);
      if (d.micro_->w_bytes == 1) {
        taps.Pack(quantized, at, zero, c, reinterpret_cast<int8_t*>(first));
      } else {
        taps.Pack(quantized, at, zero, c, reinterpret_cast<int16_t*>(first));
      }
      StageQ8::Pack(channels, c, stage, c,
                    SumsQ8(node, order, c, d.x_.zero_point, zero), to);
    }
    return Status();
  };
  const std::string how =
      StrCat("q8 depthwise by ", d.micro_->lanes, "x", d.micro_->group, "x",
             d.micro_->w_bytes, d.micro_->reads_unsigned ? "u" : "s",
             NameOfNumbersQ8(node));
  MACE_ASSIGN_OR_RETURN(
      d.packed_, context.packed->GetOrPack(SharedIdQ8(node), how, bytes, pack));
  d.stage_ = StageQ8(stage, channels, d.packed_.get(), context.features);
  d.zeros_.assign(
      static_cast<size_t>(shape.in_channels),
      static_cast<uint8_t>(node.inputs[0].type.quantization->zero_point()));
  d.Plan();
  return d;
}

void DepthwiseQ8::Plan() {
  const Window &h = s_.window.h, &w = s_.window.w;
  // Equal tiles.
  const int64_t tiles = CeilDiv(std::max<int64_t>(w.out, 1), kMaxWidth);
  width_ = CeilDiv(std::max<int64_t>(w.out, 1), tiles);
  const int64_t columns =
      (width_ - 1) * w.stride + (w.kernel - 1) * w.dilation + 1;
  const int64_t lanes = micro_->lanes;
  const auto align = [](int64_t n) { return AlignUp(n, kAlignment); };
  sums_at_ = align(columns * h.kernel * static_cast<int64_t>(sizeof(void*)));
  // Requantizing reads whole vectors.
  columns_at_ =
      sums_at_ +
      align((width_ * lanes + static_cast<int64_t>(kRequantizeQ8Columns)) *
            static_cast<int64_t>(sizeof(int32_t)));
  thread_bytes_ =
      columns_at_ + align(columns * CeilDiv(h.kernel, micro_->group) * lanes *
                          micro_->group * micro_->x_bytes);
}

int64_t DepthwiseQ8::num_tasks() const {
  return std::min(s_.batch * s_.window.h.out,
                  threads_->num_threads() * kDepthwiseQ8TasksPerThread);
}

int64_t DepthwiseQ8::SafeDistanceBytes() const {
  const Window &h = s_.window.h, &w = s_.window.w;
  const int64_t pieces = num_tasks(), lines = s_.batch * h.out;
  const auto output_end = [&](int64_t i) {
    return PieceBegin(i + 1, pieces, lines) * w.out * s_.out_channels;
  };
  const auto input_begin = [&](int64_t i) {
    const int64_t line = PieceBegin(i, pieces, lines);
    const int64_t top = line % h.out * h.stride - h.pad_before;
    return (line / h.out * h.in + std::max<int64_t>(top, 0)) * w.in *
           s_.in_channels;
  };
  // A line's tiles are written one after the other, while later ones still
  // read the same lines of the input: its whole output must lie before them.
  return SafeDistance(pieces, threads_->num_threads(), output_end, input_begin);
}

void DepthwiseQ8::Run(const uint8_t* x, uint8_t* y, void* scratch) const {
  const Window &h = s_.window.h, &w = s_.window.w;
  const int64_t lines = s_.batch * h.out, tasks = num_tasks();
  const int64_t image = h.in * w.in * s_.in_channels;
  const int64_t line_bytes = w.out * s_.out_channels;
  const bool in_order =
      RangesOverlap(y, lines * line_bytes, x, s_.batch * image);
  const RequantizeQ8* requantize = &stage_.Micro();
  RunTasks(threads_, static_cast<size_t>(tasks), in_order,
           [&](size_t worker, size_t index) {
             const auto i = static_cast<int64_t>(index);
             const int64_t end = PieceBegin(i + 1, tasks, lines);
             for (int64_t l = PieceBegin(i, tasks, lines); l < end; ++l) {
               RunTiles({{x + l / h.out * image, h.in},
                         l % h.out,
                         y + l * line_bytes,
                         static_cast<char*>(scratch) +
                             static_cast<int64_t>(worker) * thread_bytes_,
                         requantize});
             }
           });
}

void DepthwiseQ8::RunLine(const Image& image, int64_t p, uint8_t* y,
                          void* scratch) const {
  RunTiles({image, p, y, static_cast<char*>(scratch), &stage_.Micro()});
}

void DepthwiseQ8::RunTiles(const Line& line) const {
  const int64_t out = s_.window.w.out;
  for (int64_t q = 0; q < out; q += width_) {
    RunTile(line, q, std::min(width_, out - q));
  }
}

void DepthwiseQ8::RunTile(const Line& line, int64_t q, int64_t width) const {
  const Window &h = s_.window.h, &w = s_.window.w;
  const int64_t columns =
      (width - 1) * w.stride + (w.kernel - 1) * w.dilation + 1;
  const auto** pixels = reinterpret_cast<const uint8_t**>(line.scratch);
  FindPixels(line, q, columns, pixels);
  const int64_t lanes = micro_->lanes;
  const char* filter =
      static_cast<const char*>(packed_.get()) +
      AlignUp(StageQ8::Bytes(AlignUp(s_.out_channels, lanes)), kAlignment);
  auto* sums = reinterpret_cast<int32_t*>(line.scratch + sums_at_);
  for (int64_t c = 0; c < s_.out_channels; c += lanes) {
    const int64_t n = std::min(lanes, s_.out_channels - c);
    micro_->fn({static_cast<size_t>(n), static_cast<size_t>(width),
                static_cast<size_t>(h.kernel), static_cast<size_t>(w.kernel),
                static_cast<size_t>(planes_), static_cast<size_t>(w.stride),
                static_cast<size_t>(w.dilation), pixels,
                static_cast<size_t>(columns), static_cast<size_t>(c), x_.flip,
                filter + c / lanes * block_bytes_, stage_.start(c), sums,
                line.scratch + columns_at_});
    stage_.Run(*line.requantize,
               {width, n, c, sums, lanes, nullptr,
                line.y + q * s_.out_channels + c, s_.out_channels});
  }
}

void DepthwiseQ8::FindPixels(const Line& line, int64_t q, int64_t columns,
                             const uint8_t** pixels) const {
  const Window &h = s_.window.h, &w = s_.window.w;
  const int64_t left = q * w.stride - w.pad_before;
  const int64_t top = line.p * h.stride - h.pad_before;
  for (int64_t r = 0; r < h.kernel; ++r) {
    const int64_t row = top + r * h.dilation;
    const bool inside = row >= 0 && row < h.in;
    const int64_t first =
        inside ? std::clamp<int64_t>(-left, 0, columns) : columns;
    const int64_t end =
        inside ? std::clamp<int64_t>(w.in - left, first, columns) : columns;
    const uint8_t** to = pixels + r;
    int64_t c = 0;
    for (; c < first; ++c, to += h.kernel) *to = zeros_.data();
    const uint8_t* from =
        line.image.pixels +
        (row % line.image.lines * w.in + left + first) * s_.in_channels;
    for (; c < end; ++c, to += h.kernel, from += s_.in_channels) *to = from;
    for (; c < columns; ++c, to += h.kernel) *to = zeros_.data();
  }
}

}  // namespace mace::cpu
