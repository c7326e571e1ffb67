// Resize on the CPU. Positions and weights are computed once into tables; then
// each output pixel is a weighted sum of a few input pixels, for each channel.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/resize.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mace/cpu/common/choose.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/table_size.h"
#include "mace/cpu/copy/copy_kernel.h"
#include "mace/cpu/ukernels/row/row_f32_table.h"
#include "mace/device/kernel.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"

namespace mace::cpu {
namespace {

constexpr int kPositionBits = 10;  // fraction bits of positions

// Where an output lies between two inputs.
struct Position {
  int64_t low = 0, high = 0;
  int32_t units = 0;  // i8: from `low` on, of 2^-10; may be below 0
  float share = 0;    // u8: the same
};

enum class Coordinate { kAsymmetric, kHalfPixel, kAlignCorners };

Position PositionI8(Coordinate kind, int64_t i, int64_t n, int64_t m) {
  const bool aligns = kind == Coordinate::kAlignCorners && m > 1;
  const int64_t in = aligns ? n - 1 : n, out = aligns ? m - 1 : m;
  const int64_t step = ((in << kPositionBits) + out / 2) / out;
  constexpr int64_t kOne = 1 << kPositionBits;
  int64_t at = i * step;
  if (kind == Coordinate::kHalfPixel) at += step / 2 - kOne / 2;
  // `step` is rounded: the last positions could lie behind the image.
  at = std::min(at, (n - 1) * kOne);
  Position p;
  p.low = std::max<int64_t>(at / kOne, 0);
  p.high = std::min<int64_t>((at + kOne - 1) / kOne, n - 1);
  p.units = static_cast<int32_t>(at - p.low * kOne);
  return p;
}

Position PositionU8(Coordinate kind, int64_t i, int64_t n, int64_t m) {
  const bool aligns = kind == Coordinate::kAlignCorners && m > 1;
  const float step = static_cast<float>(aligns ? n - 1 : n) /
                     static_cast<float>(aligns ? m - 1 : m);
  const auto index = static_cast<float>(i);
  const float at = kind == Coordinate::kHalfPixel ? (index + 0.5f) * step - 0.5f
                                                  : index * step;
  Position p;
  p.low = std::clamp<int64_t>(static_cast<int64_t>(std::floor(at)), 0, n - 1);
  p.high = std::min<int64_t>(static_cast<int64_t>(std::ceil(at)), n - 1);
  p.share = at - static_cast<float>(p.low);
  return p;
}

// Four inputs: rows y0 and y1 at columns x0 and x1.
template <typename T>
struct Corners {
  const T *y0x0, *y0x1, *y1x0, *y1x1;
};

void Mix(const Corners<int8_t>& c, const Position& y, const Position& x,
         int64_t n, int8_t* to) {
  constexpr int32_t kOne = 1 << kPositionBits,
                    kHalf = 1 << (2 * kPositionBits - 1);
  const int32_t w00 = (kOne - y.units) * (kOne - x.units);
  const int32_t w01 = (kOne - y.units) * x.units;
  const int32_t w10 = y.units * (kOne - x.units), w11 = y.units * x.units;
  for (int64_t i = 0; i < n; ++i) {
    const int32_t sum =
        c.y0x0[i] * w00 + c.y1x0[i] * w10 + c.y0x1[i] * w01 + c.y1x1[i] * w11;
    to[i] = static_cast<int8_t>((sum + (sum > 0 ? kHalf : -kHalf)) /
                                (1 << (2 * kPositionBits)));
  }
}

void Mix(const Corners<uint8_t>& c, const Position& y, const Position& x,
         int64_t n, uint8_t* to) {
  for (int64_t i = 0; i < n; ++i) {
    const float sum =
        static_cast<float>(c.y0x0[i]) * (1 - y.share) * (1 - x.share) +
        static_cast<float>(c.y1x0[i]) * y.share * (1 - x.share) +
        static_cast<float>(c.y0x1[i]) * (1 - y.share) * x.share +
        static_cast<float>(c.y1x1[i]) * y.share * x.share;
    to[i] = static_cast<uint8_t>(sum + 0.5f);
  }
}

struct Image {
  int64_t height = 0, width = 0, channels = 0;
  std::vector<Position> rows, columns;  // of the output

  template <typename T>
  void Row(const T* x, int64_t row, T* y) const {
    const Position& at = rows[row];
    const T* top = x + at.low * width * channels;
    const T* bottom = x + at.high * width * channels;
    for (const Position& column : columns) {
      const int64_t left = column.low * channels;
      const int64_t right = column.high * channels;
      Mix({top + left, top + right, bottom + left, bottom + right}, at, column,
          channels, y);
      y += channels;
    }
  }
};

template <typename T>
KernelPtr MakeResizeQ8(Image image, int64_t batch, CpuContext& context) {
  KernelProperties properties;
  properties.variant = "resize_q8";
  return MakeKernel(
      [image = std::move(image), batch,
       threads = context.threads](const RunArgs& args) {
        const auto out = static_cast<int64_t>(image.rows.size());
        const int64_t in_size = image.height * image.width * image.channels;
        const auto row_size =
            static_cast<int64_t>(image.columns.size()) * image.channels;
        threads->ParallelFor(batch * out, 1, [&](size_t begin, size_t end) {
          for (int64_t r = begin; r < static_cast<int64_t>(end); ++r) {
            image.Row(args.inputs[0].as<const T>() + r / out * in_size, r % out,
                      args.outputs[0].as<T>() + r * row_size);
          }
        });
      },
      properties);
}

Result<Coordinate> CoordinateOf(const Node& node, const ResizeAttrs& attrs) {
  const bool has_size = node.has_input(1) || !attrs.size.empty();
  if (has_size && attrs.mode == "LINEAR") {
    if (attrs.coordinate == "ASYMMETRIC") return Coordinate::kAsymmetric;
    if (attrs.coordinate == "HALF_PIXEL") return Coordinate::kHalfPixel;
    if (attrs.coordinate == "ALIGN_CORNERS") return Coordinate::kAlignCorners;
  }
  return Unsupported(Label(node), ": of quantized tensors the CPU computes ",
                     "NEAREST, and LINEAR to a size with the coordinates ",
                     "ASYMMETRIC, HALF_PIXEL and ALIGN_CORNERS, not ",
                     attrs.mode, " with ", attrs.coordinate);
}

// Prepares a Resize node of mode LINEAR whose input is quantized i8 or u8.
// Results are those of TFLite's reference kernel: integers with 10 fraction
// bits for i8, floats for u8. Errors: MACE_UNSUPPORTED for scales in place of a
// size, and for coordinates other than ASYMMETRIC, HALF_PIXEL and
// ALIGN_CORNERS.
Result<KernelPtr> PrepareResizeQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ReadAttrs<ResizeAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const Coordinate kind, CoordinateOf(node, attrs));
  const TensorType &x = node.inputs[0].type, &y = node.outputs[0];
  const auto position = x.dtype == DataType::kU8 ? PositionU8 : PositionI8;
  Image image = {x.shape[1], x.shape[2], x.shape[3], {}, {}};
  for (const int axis : {1, 2}) {
    MACE_RETURN_IF_ERROR(cpu::CheckTable(node, "lines or columns",
                                         {y.shape[axis]}, sizeof(Position)));
    auto& positions = axis == 1 ? image.rows : image.columns;
    for (int64_t i = 0; i < y.shape[axis]; ++i) {
      positions.push_back(position(kind, i, x.shape[axis], y.shape[axis]));
    }
  }
  return x.dtype == DataType::kU8
             ? MakeResizeQ8<uint8_t>(std::move(image), x.shape[0], context)
             : MakeResizeQ8<int8_t>(std::move(image), x.shape[0], context);
}

struct ResizeKernel final : Kernel {
  ThreadPool* threads = nullptr;
  const RowF32* micro = nullptr;
  ResizeTaps rows, cols;  // indices of cols are byte offsets in a row
  int64_t batch = 1, height = 1, out_h = 1, out_w = 1, channels = 1;
  int64_t row_bytes = 0, pixel_bytes = 0;

  std::string variant() const override {
    return rows.num_taps == 2 ? micro->name : "scalar";
  }

  Status Run(const RunArgs& args) override {
    const char* x = args.inputs[0].as<const char>();
    char* y = args.outputs[0].as<char>();
    const int64_t out_row_bytes = out_w * pixel_bytes;
    const int64_t tile = 32768 / std::max<int64_t>(1, out_row_bytes);
    threads->ParallelFor(
        batch * out_h, std::max<int64_t>(1, tile),
        [&](size_t begin, size_t end) {
          for (int64_t u = begin; u < static_cast<int64_t>(end); ++u) {
            const char* image = x + u / out_h * height * row_bytes;
            char* to = y + u * out_row_bytes;
            switch (rows.num_taps) {
              case 1:
                NearestRow(image, u % out_h, to);
                break;
              case 2:
                LinearRow(image, u % out_h, to);
                break;
              default:
                CubicRow(image, u % out_h, to);
                break;
            }
          }
        });
    return Status();
  }

  void NearestRow(const char* image, int64_t i, char* y) const {
    const char* row = image + rows.index[i] * row_bytes;
    for (int64_t j = 0; j < out_w; ++j) {
      std::memcpy(y + j * pixel_bytes, row + cols.index[j],
                  static_cast<size_t>(pixel_bytes));
    }
  }

  void LinearRow(const char* image, int64_t i, char* y) const {
    const char* top = image + rows.index[2 * i] * row_bytes;
    const char* bottom = image + rows.index[2 * i + 1] * row_bytes;
    const float wt = rows.weight[2 * i], wb = rows.weight[2 * i + 1];
    for (int64_t j = 0; j < out_w; ++j) {
      const int64_t left = cols.index[2 * j], right = cols.index[2 * j + 1];
      const float wl = cols.weight[2 * j], wr = cols.weight[2 * j + 1];
      micro->set->mix({static_cast<size_t>(channels),
                       {Floats(top + left), Floats(top + right),
                        Floats(bottom + left), Floats(bottom + right)},
                       {wt * wl, wt * wr, wb * wl, wb * wr},
                       reinterpret_cast<float*>(y + j * pixel_bytes)});
    }
  }

  void CubicRow(const char* image, int64_t i, char* y) const {
    for (int64_t j = 0; j < out_w; ++j) {
      float* to = reinterpret_cast<float*>(y + j * pixel_bytes);
      std::fill_n(to, channels, 0.0f);
      for (int64_t k = 4 * i; k < 4 * i + 4; ++k) {
        const char* row = image + rows.index[k] * row_bytes;
        for (int64_t l = 4 * j; l < 4 * j + 4; ++l) {
          const float* from = Floats(row + cols.index[l]);
          const float w = rows.weight[k] * cols.weight[l];
          for (int64_t c = 0; c < channels; ++c) to[c] += from[c] * w;
        }
      }
    }
  }

  static const float* Floats(const char* p) {
    return reinterpret_cast<const float*>(p);
  }
};

Result<KernelPtr> PrepareResize(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ReadAttrs<ResizeAttrs>(node));
  const TensorType& x = node.inputs[0].type;
  if (x.shape == node.outputs[0].shape && attrs.size.size() == 2 &&
      attrs.mode != "CUBIC" && attrs.coordinate != "TF_HALF_PIXEL_NN") {
    return PrepareView(node, context);  // every pixel stays where it is
  }
  for (int axis : {1, 2}) {
    // Each has at most four positions and weights.
    MACE_RETURN_IF_ERROR(
        cpu::CheckTable(node, "lines or columns", {node.outputs[0].shape[axis]},
                        4 * (sizeof(int64_t) + sizeof(float))));
  }
  auto kernel = std::make_unique<ResizeKernel>();
  kernel->threads = context.threads;
  kernel->micro = &ChooseRow(kRowF32, context.features);
  kernel->rows = TapsOf(attrs, node, 0);
  kernel->cols = TapsOf(attrs, node, 1);
  kernel->batch = x.shape[0];
  kernel->height = x.shape[1];
  kernel->channels = x.shape[3];
  kernel->out_h = node.outputs[0].shape[1];
  kernel->out_w = node.outputs[0].shape[2];
  kernel->pixel_bytes = x.shape[3] * static_cast<int64_t>(SizeOf(x.dtype));
  kernel->row_bytes = x.shape[2] * kernel->pixel_bytes;
  for (int64_t& i : kernel->cols.index) i *= kernel->pixel_bytes;
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> PrepareResizeNodeQ8(const Node& node, CpuContext& context) {
  MACE_ASSIGN_OR_RETURN(const ResizeAttrs attrs, ReadAttrs<ResizeAttrs>(node));
  return attrs.mode == "NEAREST" ? PrepareResize(node, context)
                                 : PrepareResizeQ8(node, context);
}

}  // namespace

// The rows for quantized values come first, as those for integers take
// quantized values, too.
CpuKernelDefs Resize() {
  CpuKernelDefs defs = WithQ8({}, PrepareResizeNodeQ8);
  for (const CpuKernelDef& def : ForAllTypes(PrepareResize))
    defs.push_back(def);
  return defs;
}

}  // namespace mace::cpu
