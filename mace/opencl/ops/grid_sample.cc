// GridSample on the GPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/ops/grid_sample.h"

#include <algorithm>
#include <string>
#include <vector>

#include "mace/opencl/kernels/constants.h"
#include "mace/opencl/kernels/kernel_table.h"

namespace mace::opencl {
namespace {

// Positions in images of fp16 have 11 bits: within longer axes they would be
// more than an eighth of an element off.
constexpr int64_t kMaxInFp16 = 1024;
constexpr int64_t kMaxPixelsInFp16 = 512;  // of positions that count elements

const char* ModeDefine(GridMode mode) {
  switch (mode) {
    case GridMode::kLinear:
      return "GRID_LINEAR";
    case GridMode::kNearest:
      return "GRID_NEAREST";
    case GridMode::kCubic:
      return "GRID_CUBIC";
  }
  return "";
}

const char* PaddingDefine(GridPadding padding) {
  switch (padding) {
    case GridPadding::kZeros:
      return "PAD_ZEROS";
    case GridPadding::kBorder:
      return "PAD_BORDER";
    case GridPadding::kReflection:
      return "PAD_REFLECTION";
  }
  return "";
}

Status CheckPrecision(const Node& node, const GridSampleAttrs& attrs,
                      const Target& target) {
  if (node.inputs[1].data != nullptr || !target.fp16()) return Status();
  const int64_t most = attrs.pixels ? kMaxPixelsInFp16 : kMaxInFp16;
  const Shape& x = node.inputs[0].type.shape;
  const int64_t longest = *std::max_element(x.begin() + 1, x.end() - 1);
  if (longest <= most) return Status();
  return Unsupported(Label(node), ": positions of fp16 are too coarse for ",
                     longest, " elements; the GPU takes up to ", most,
                     ", or any number in float32 (float32_nodes)");
}

// Adds the numbers of images, which must be known and right.
Status AddImages(const Node& node, Pass& pass) {
  MACE_RETURN_IF_ERROR(CheckConstant(node, 2, "images"));
  MACE_ASSIGN_OR_RETURN(const std::vector<int64_t> images,
                        ConstantInts(node, 2));
  std::vector<int32_t> table;
  for (const int64_t image : images) {
    if (image < 0 || image >= node.inputs[0].type.shape[0]) {
      return Unsupported(Label(node), ": there is no image ", image,
                         " in its input ", ToString(node.inputs[0].type));
    }
    table.push_back(static_cast<int32_t>(image));
  }
  pass.Define("IMAGES").Constant(Target::Table(table));
  return Status();
}

Result<KernelSpec> DescribeGridSample(const Node& node, const Target& target) {
  MACE_ASSIGN_OR_RETURN(const GridSampleAttrs attrs,
                        ReadAttrs<GridSampleAttrs>(node));
  MACE_ASSIGN_OR_RETURN(const GridMode mode, GridModeOf(node, attrs));
  MACE_ASSIGN_OR_RETURN(const GridPadding padding, GridPaddingOf(node, attrs));
  MACE_RETURN_IF_ERROR(CheckPrecision(node, attrs, target));
  const Shape& x = node.inputs[0].type.shape;
  const auto axes = static_cast<int>(x.size()) - 2;
  const Extents4 in = AsNhwc(x), out = AsNhwc(node.outputs[0].shape);

  Pass pass("grid_sample", "grid_sample", BlockGrid(out));
  pass.Define("GRID_AXES", std::to_string(axes));
  pass.Define(ModeDefine(mode)).Define(PaddingDefine(padding));
  if (attrs.align_corners) pass.Define("ALIGN_CORNERS");
  if (attrs.pixels) pass.Define("PIXELS");
  MACE_RETURN_IF_ERROR(AddTensor(node, 0, target.float_pixels(), target, pass));
  MACE_RETURN_IF_ERROR(AddTensor(node, 1, PixelType::kFloat, target, pass));
  if (node.has_input(2)) MACE_RETURN_IF_ERROR(AddImages(node, pass));
  pass.Out();
  const int64_t rows = node.inputs[1].type.shape[0];
  pass.Int(out[3], out[0] * out[1] / rows);
  int64_t taps = 1;
  for (int a = 0; a < 3; ++a) {
    pass.Int(a < axes ? x[x.size() - 2 - a] : 1);
    if (a < axes && mode != GridMode::kNearest) {
      taps *= mode == GridMode::kLinear ? 2 : 4;
    }
  }
  // A single axis is rows of the image; otherwise the last one is columns.
  const bool is_line = axes == 1;
  pass.Int(in[2], is_line ? 0 : 1, is_line ? 1 : 0, in[0] * in[1] / x[0]);
  KernelSpec::Info info;
  info.macs = SaturatedProduct({NumElements(node.outputs[0].shape), taps});
  return KernelSpec{{pass}, info};
}

}  // namespace

GpuKernelDef GridSample() { return {DescribeGridSample}; }

}  // namespace mace::opencl
