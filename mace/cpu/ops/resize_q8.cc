// Positions are computed once; then each output is a sum of four inputs.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ops/resize_q8.h"

#include <algorithm>
#include <cmath>

#include "mace/cpu/common/function_kernel.h"
#include "mace/cpu/common/table_size.h"
#include "mace/graph/attrs.h"
#include "mace/ops/common/operands.h"
#include "mace/ops/resize.h"

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
  p.low = std::max<int64_t>(static_cast<int64_t>(std::floor(at)), 0);
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
  KernelFacts facts;
  facts.variant = "resize_q8";
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
      facts);
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

}  // namespace

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

}  // namespace mace::cpu
