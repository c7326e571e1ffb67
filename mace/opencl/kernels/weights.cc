// Choosing how a kernel reads weights, and describing their images.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/weights.h"

#include <utility>

#include "mace/base/str_cat.h"
#include "mace/graph/stored_weight.h"
#include "mace/opencl/launch/speed.h"

namespace mace::opencl {
namespace {

// Returns how the device can hold the codes of a weight; kFloat: it cannot, for
// the reason that `why_not` receives.
PixelType PixelsOfCodes(const Operand& weight, const Target& target,
                        std::string* why_not) {
  if (weight.stored != DataType::kI8) {
    *why_not = "kernels read codes of 8 bits only";
    return PixelType::kFloat;
  }
  const DeviceFacts& facts = target.facts();
  // Exact but for a rounding of 1.5 units in the last place (OpenCL 1.2,
  // section 8.3.1), and the conversion costs nothing.
  if (facts.has_snorm8_images && !target.codes().HasLeast(weight)) {
    return PixelType::kSnorm8;
  }
  if (facts.has_int8_images) return PixelType::kInt8;
  *why_not = facts.has_snorm8_images
                 ? "the device's images cannot hold the code -128"
                 : "the device has no images of 8 bits";
  return PixelType::kFloat;
}

// Describes the factors of the sums: pixels of kSnorm8 hold code / 127.
Result<ConstantPtr> ScaleImage(const WeightUse& use, PixelType pixels,
                               const Target& target) {
  const int factor = pixels == PixelType::kSnorm8 ? INT8_MAX : 1;
  const Operand weight = *use.weight;
  const auto fill = [weight, factor, row_of = use.row_of,
                     outputs = use.outputs](float* to) {
    const CodeRows rows(weight);
    for (int64_t o = 0; o < outputs; ++o) {
      rows.ScalesOf(row_of ? row_of(o) : o, to + o);
      to[o] *= static_cast<float>(factor);
    }
  };
  // In float: scales may be far below what fp16 holds.
  return target.ComputedImage(
      ImageLayout::kArgument, {1, 1, 1, use.outputs}, {use.weight},
      StrCat(use.how, ", scales times ", factor), fill, PixelType::kFloat);
}

Result<WeightImages> InCodes(const WeightUse& use, PixelType pixels,
                             const Target& target) {
  WeightImages images;
  MACE_ASSIGN_OR_RETURN(
      images.weights,
      target.RearrangedImage(use.layout, use.extents, *use.weight, use.how,
                             use.rearrange, pixels));
  MACE_ASSIGN_OR_RETURN(images.scales, ScaleImage(use, pixels, target));
  images.bytes = BytesOf(*images.weights) + BytesOf(*images.scales);
  const bool converts = pixels == PixelType::kInt8;
  // Making an integer a float takes as long as a multiply-add.
  const double macs = static_cast<double>(use.macs) *
                      (converts ? 1 + use.conversions_per_mac : 1);
  images.micros = GpuMicros(0, macs, static_cast<double>(images.bytes));
  images.variant = converts ? ", weights i8 as integers" : ", weights i8";
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
  if (!IsStoredAsCodes(use.weight->stored)) return floats;
  std::string why_not;
  const PixelType pixels = PixelsOfCodes(*use.weight, target, &why_not);
  if (pixels != PixelType::kFloat) {
    MACE_ASSIGN_OR_RETURN(WeightImages codes, InCodes(use, pixels, target));
    if (codes.micros < floats.micros) return codes;
    why_not = codes.bytes < floats.bytes
                  ? "converting codes would cost more than reading floats"
                  : "the scales would cost more than codes save";
  }
  floats.variant = InFloats(target, why_not);
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
  if (images.weights->pixels == PixelType::kInt8) pass.Define("CODES_AS_INTS");
}

KernelSpec::Facts FactsOf(const WeightImages& images, const Pass& pass,
                          int64_t macs) {
  KernelSpec::Facts facts;
  facts.macs = macs;
  facts.variant = NameOf(pass) + images.variant;
  if (images.scales == nullptr) return facts;
  facts.constant_bytes = 0;
  for (const Pass::Arg& arg : pass.args) {
    const auto* constant = std::get_if<ConstantPtr>(&arg);
    if (constant != nullptr) facts.constant_bytes += BytesOf(**constant);
  }
  return facts;
}

}  // namespace mace::opencl
