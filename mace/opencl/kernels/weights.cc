// Choosing how a kernel reads weights, and describing their images.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/weights.h"

#include <utility>

#include "mace/base/str_cat.h"
#include "mace/graph/stored_weight.h"
#include "mace/opencl/launch/speed.h"

namespace mace::opencl {
namespace {

// Where the pixels of kUnorm8 begin, and how many steps they have.
constexpr int kMinInt8 = INT8_MIN, kInt8Steps = UINT8_MAX;

// How the device can hold a quantized weight.
struct QuantizedPixels {
  PixelType type = PixelType::kFloat;  // it cannot
  std::string why_not;
  int32_t zero_point = 0;
};

QuantizedPixels PixelsOfQuantized(const WeightUse& use, const Target& target) {
  const Operand& weight = *use.weight;
  QuantizedPixels pixels;
  if (weight.stored != DataType::kI8) {
    pixels.why_not = "kernels read int8 only";
    return pixels;
  }
  const StoredScales scales(weight);
  if (scales.axis() >= use.output_axes) {
    pixels.why_not = "outputs of several scales";
    return pixels;
  }
  if (!scales.HasOneZeroPoint(&pixels.zero_point)) {
    pixels.why_not = "several zero points";
    return pixels;
  }
  const DeviceInfo& info = target.info();
  // Exact but for a rounding of 1.5 units in the last place (OpenCL 1.2,
  // section 8.3.1), and the conversion costs nothing.
  if (info.has_snorm8_images && pixels.zero_point == 0 &&
      !target.known_weights().HasLeast(weight)) {
    pixels.type = PixelType::kSnorm8;
  } else if (info.has_unorm8_images) {
    pixels.type = PixelType::kUnorm8;
  } else {
    pixels.why_not = "the device's images cannot hold these quantized values";
  }
  return pixels;
}

// Describes the factors of the sums.
Result<ConstantPtr> ScaleImage(const WeightUse& use, PixelType pixels,
                               const Target& target) {
  const int factor = pixels == PixelType::kSnorm8 ? INT8_MAX : kInt8Steps;
  const Operand weight = *use.weight;
  const auto fill = [weight, factor, element_of = use.element_of,
                     outputs = use.outputs](float* to) {
    const StoredScales scales(weight);
    const int64_t each = NumElements(weight.type.shape) / outputs;
    for (int64_t o = 0; o < outputs; ++o) {
      to[o] = scales.scale(element_of ? element_of(o) : o * each) *
              static_cast<float>(factor);
    }
  };
  // In float: scales may be far below what fp16 holds.
  return target.ComputedImage(
      ImageLayout::kArgument, {1, 1, 1, use.outputs}, {use.weight},
      StrCat(use.how, ", scales times ", factor), fill, PixelType::kFloat);
}

Result<WeightImages> InQuantized(const WeightUse& use,
                                 const QuantizedPixels& pixels,
                                 const Target& target) {
  WeightImages images;
  MACE_ASSIGN_OR_RETURN(
      images.weights,
      target.RearrangedImage(use.layout, use.extents, *use.weight, use.how,
                             use.rearrange, pixels.type));
  MACE_ASSIGN_OR_RETURN(images.scales, ScaleImage(use, pixels.type, target));
  images.bytes = BytesOf(*images.weights) + BytesOf(*images.scales);
  auto macs = static_cast<double>(use.macs);
  images.variant = ", weights i8";
  if (pixels.type == PixelType::kUnorm8) {
    images.zero = static_cast<float>(pixels.zero_point - kMinInt8) /
                  static_cast<float>(kInt8Steps);
    images.variant += " with a zero point";
    // A subtraction takes as long as a multiply-add.
    macs *= 1 + use.reads_per_mac;
  }
  images.micros = GpuMicros(0, macs, static_cast<double>(images.bytes));
  return images;
}

}  // namespace

std::string InFloats(const Target& target, const std::string& reason) {
  return StrCat(", weights ", Name(target.image_dtype()), " (", reason, ")");
}

Result<WeightImages> DescribeWeights(const WeightUse& use,
                                     const Target& target) {
  WeightImages floats;
  MACE_ASSIGN_OR_RETURN(
      floats.weights,
      target.RearrangedImage(use.layout, use.extents, *use.weight, use.how,
                             use.rearrange, target.float_pixels()));
  floats.bytes = BytesOf(*floats.weights);
  floats.micros = GpuMicros(0, static_cast<double>(use.macs),
                            static_cast<double>(floats.bytes));
  if (!IsStoredQuantized(use.weight->stored)) return floats;
  QuantizedPixels pixels = PixelsOfQuantized(use, target);
  if (pixels.type != PixelType::kFloat) {
    MACE_ASSIGN_OR_RETURN(WeightImages quantized,
                          InQuantized(use, pixels, target));
    if (quantized.micros < floats.micros) return quantized;
    pixels.why_not =
        quantized.bytes < floats.bytes
            ? "subtracting the zero point would cost more than reading floats"
            : "int8 weights are slower here";
  }
  floats.variant = InFloats(target, pixels.why_not);
  return floats;
}

double PassMicros(const Node& node, const WeightImages& images,
                  const Target& target) {
  double pixels = 0;
  for (const Shape* shape :
       {&node.inputs[0].type.shape, &node.outputs[0].shape}) {
    const Extent2D extent =
        ImageExtent(ImageLayout::kChannelMajor, AsNhwc(*shape));
    pixels += static_cast<double>(extent.width * extent.height);
  }
  const auto bytes = static_cast<double>(BytesOfPixel(target.float_pixels()));
  return images.micros + GpuMicros(1, 0, pixels * bytes);
}

void AddWeights(const WeightImages& images, Pass& pass) {
  pass.Constant(images.weights);
  if (images.scales == nullptr) return;
  pass.Constant(images.scales).Define("CODES");
  if (images.weights->pixels != PixelType::kUnorm8) return;
  pass.Float(images.zero).Define("CODES_WITH_ZERO");
}

KernelSpec::Info InfoOf(const WeightImages& images, const Pass& pass,
                        int64_t macs) {
  KernelSpec::Info info;
  info.macs = macs;
  info.variant = NameOf(pass) + images.variant;
  if (images.scales == nullptr) return info;
  info.constant_bytes = 0;
  for (const Pass::Arg& arg : pass.args) {
    const auto* constant = std::get_if<ConstantPtr>(&arg);
    if (constant != nullptr) info.constant_bytes += BytesOf(**constant);
  }
  return info;
}

}  // namespace mace::opencl
