// The transformed filter, and the three passes of winograd.cl.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/winograd.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "mace/base/str_cat.h"
#include "mace/opencl/kernels/activation.h"
#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/window.h"
#include "mace/opencl/launch/speed.h"

namespace mace::opencl {
namespace {

// The matrix G of F(2x2, 3x3) and of F(4x4, 3x3); see winograd.cl.
constexpr float kFilter2[4][3] = {
    {1, 0, 0}, {0.5f, 0.5f, 0.5f}, {0.5f, -0.5f, 0.5f}, {0, 0, 1}};
constexpr float kFilter4[6][3] = {{1 / 4.0f, 0, 0},
                                  {-1 / 6.0f, -1 / 6.0f, -1 / 6.0f},
                                  {-1 / 6.0f, 1 / 6.0f, -1 / 6.0f},
                                  {1 / 24.0f, 1 / 12.0f, 1 / 6.0f},
                                  {1 / 24.0f, -1 / 12.0f, 1 / 6.0f},
                                  {0, 0, 1}};

struct Tiles {
  int64_t tile, taps;      // on each side
  int64_t lines, columns;  // of tiles in an image
  int64_t rows;            // lines of tiles in all images
};

Tiles TilesOf(const Window2D& window, int64_t batch, int64_t tile) {
  Tiles t;
  t.tile = tile;
  t.taps = tile + 2;
  t.lines = (window.h.out + tile - 1) / tile;
  t.columns = (window.w.out + tile - 1) / tile;
  t.rows = batch * t.lines;
  return t;
}

// Returns the extent of the transformed input or of the products.
Extent2D ExtentOf(const Tiles& t, int64_t channels) {
  return ImageExtent(ImageLayout::kChannelMajor,
                     {t.taps * t.taps, t.rows, t.columns, channels});
}

// Writes G g G^T of each 3x3 filter g to `to`.
void TransformFilters(int64_t filters, int64_t taps, const float* g,
                      float* to) {
  const auto* rows = taps == 4 ? kFilter2 : kFilter4;
  for (int64_t f = 0; f < filters; ++f, g += 9) {
    for (int64_t i = 0; i < taps; ++i) {
      for (int64_t j = 0; j < taps; ++j) {
        double sum = 0;
        for (int r = 0; r < 3; ++r) {
          for (int t = 0; t < 3; ++t) {
            sum += double{rows[i][r]} * rows[j][t] * g[r * 3 + t];
          }
        }
        *to++ = static_cast<float>(sum);
      }
    }
  }
}

Pass WinogradPass(const char* entry, const Grid& grid, const Tiles& t) {
  Pass pass("winograd", entry, grid);
  pass.Define("TILE", std::to_string(t.tile));
  return pass;
}

Grid GridOf(int64_t channels, int64_t columns, int64_t rows) {
  return {static_cast<size_t>(Blocks(channels)), static_cast<size_t>(columns),
          static_cast<size_t>(rows)};
}

}  // namespace

int64_t WinogradTile(const Conv2dAttrs& attrs, const Window2D& window,
                     const Node& node, const Target& target) {
  const auto fits = [](const Window& w) {
    return w.kernel == 3 && w.stride == 1 && w.dilation == 1;
  };
  // Larger tiles add terms that cancel, which loses too much in fp16.
  const int64_t tile = std::min(target.max_winograd(), target.fp16() ? 2 : 4);
  if (tile == 0 || attrs.group != 1 || !fits(window.h) || !fits(window.w)) {
    return 0;
  }
  const Shape& x = node.inputs[0].type.shape;
  const Tiles t = TilesOf(window, x[0], tile);
  for (int64_t channels : {x[3], node.outputs[0].shape[3]}) {
    if (!target.CheckExtent(ExtentOf(t, channels), "").ok()) return 0;
  }
  return tile;
}

double WinogradMicros(const Node& node, const Window2D& window, int64_t tile,
                      const Target& target) {
  const Shape& x = node.inputs[0].type.shape;
  const Shape& y = node.outputs[0].shape;
  const Tiles t = TilesOf(window, x[0], tile);
  const auto product = [](std::initializer_list<int64_t> factors) {
    return static_cast<double>(SaturatedProduct(factors));
  };
  const double tiles = product({t.rows, t.columns});
  const double taps = static_cast<double>(t.taps * t.taps);
  const auto inputs = static_cast<double>(x[3]);
  const auto outputs = static_cast<double>(y[3]);
  const double line = static_cast<double>(t.taps + t.tile);
  const double macs =
      tiles * (taps * inputs * outputs +
               2 * taps * static_cast<double>(t.taps) * inputs +
               line * static_cast<double>(t.taps * t.tile) * outputs);
  // Transformed inputs and products are written and read.
  const auto pixels = [&](const Extent2D& extent) {
    return product({extent.width, extent.height});
  };
  const Extents4 filter = {y[3], x[3], t.taps, t.taps};
  const double read_and_written =
      pixels(ImageExtent(ImageLayout::kChannelMajor, AsNhwc(x))) +
      pixels(ImageExtent(ImageLayout::kChannelMajor, AsNhwc(y))) +
      2 * pixels(ExtentOf(t, x[3])) + 2 * pixels(ExtentOf(t, y[3])) +
      pixels(ImageExtent(ImageLayout::kConvFilter, filter));
  return GpuMicros(3, macs,
                   read_and_written * static_cast<double>(
                                          BytesOfPixel(target.float_pixels())));
}

Result<KernelSpec> DescribeWinograd(const Node& node, const Conv2dAttrs& attrs,
                                    const Window2D& window, int64_t tile,
                                    const Target& target) {
  const Shape& x = node.inputs[0].type.shape;
  const int64_t inputs = x[3], outputs = node.outputs[0].shape[3];
  const Tiles t = TilesOf(window, x[0], tile);
  Rearrangement transform;
  transform.floats = [filters = outputs * inputs, taps = t.taps](
                         const float* from, float* to) {
    TransformFilters(filters, taps, from, to);
  };
  MACE_ASSIGN_OR_RETURN(
      ConstantPtr filter,
      target.RearrangedImage(ImageLayout::kConvFilter,
                             {outputs, inputs, t.taps, t.taps}, node.inputs[1],
                             "Winograd", transform, target.float_pixels()));
  MACE_ASSIGN_OR_RETURN(ConstantPtr bias,
                        ArgumentImage(node, 2, outputs, target));
  Pass in = WinogradPass("winograd_input",
                         GridOf(inputs, t.columns, t.taps * t.rows), t);
  in.In(0).Image(0);
  AddWindow(window, in);
  in.Int(inputs, t.lines, t.rows);

  Pass multiply = WinogradPass(
      "winograd_multiply",
      GridOf(outputs, Blocks(t.columns), t.taps * t.taps * t.rows), t);
  multiply.Image(0).Constant(filter).Image(1);
  multiply.Int(t.columns, t.rows, Blocks(inputs), outputs);
  multiply.Team(target.TeamOf(multiply.grid, Blocks(inputs), 1), 4);

  Pass out = WinogradPass("winograd_output",
                          GridOf(outputs, t.columns, t.tile * t.rows), t);
  out.Image(1).Constant(bias).Out();
  AddWindow(window, out);
  out.Int(outputs, t.lines, t.rows);
  MACE_RETURN_IF_ERROR(AddActivation(node, attrs, out));

  KernelSpec::Info info;
  info.macs = NumElements(node.outputs[0].shape) * inputs * 9;
  info.variant = StrCat("winograd_", tile);
  if (multiply.team > 1) {
    info.variant += StrCat(" in teams of ", multiply.team);
  }
  info.scratch_images = {ExtentOf(t, inputs), ExtentOf(t, outputs)};
  return KernelSpec{{in, multiply, out}, info};
}

}  // namespace mace::opencl
