// Quantize and Dequantize: floats to quantized values and back, at the border
// of a region.
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstring>
#include <utility>

#include "mace/base/aligned_buffer.h"
#include "mace/graph/attrs.h"
#include "mace/hexagon/device/ranges.h"
#include "mace/hexagon/device/translate.h"
#include "mace/ops/quantize.h"

namespace mace::hexagon {
namespace {

constexpr int kFloatsBytes = 256;

float FloatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

// 256 words as the DSP looks them up: a plane of their lowest bytes, and so on.
Result<AlignedBuffer> Planes(const uint32_t* words) {
  MACE_ASSIGN_OR_RETURN(
      AlignedBuffer planes,
      AlignedBuffer::Create(4 * kFloatsBytes, "a table for the DSP"));
  auto* const to = static_cast<uint8_t*>(planes.data());
  for (int b = 0; b < 4; ++b) {
    for (int i = 0; i < kFloatsBytes; ++i) {
      to[b * kFloatsBytes + i] = static_cast<uint8_t>(words[i] >> (8 * b));
    }
  }
  return planes;
}

// The bits of the least float x >= 0 that is rounded to `units` scales or more.
// Positive floats have the order of their bits.
uint32_t LeastOf(float units, float scale, bool to_even) {
  uint32_t low = 0, high = 0x7f800000;  // the answer is in [low, high]
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const float x = FloatOf(middle) / scale;
    const float rounded = to_even ? std::nearbyint(x) : std::round(x);
    if (rounded >= units) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// A fixed-point number with any exponent, cut off: an estimate.
FixedParams EstimateOf(double real) {
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  return {static_cast<int32_t>(fraction * 2147483647.0), exponent};
}

// Tables and estimates are made for scales of floats that are not denormal, far
// from the ends.
Status CheckScale(const Node& node, const TensorType& values) {
  const float scale = values.quantization->scale();
  if (scale > 0x1p-100f && scale < 0x1p100f) return Status();
  return Unsupported(Label(node), ": the scale ", scale,
                     " is out of the DSP's range");
}

Status CheckFloats(const Node& node, const TensorType& type) {
  if (type.dtype == DataType::kF32 &&
      NumElements(type.shape) <= kMaxElements / 4) {
    return Status();
  }
  return Unsupported(Label(node),
                     ": the DSP quantizes and dequantizes float32, not ",
                     ToString(type));
}

}  // namespace

Status TranslateQuantize(const Node& node, const Target& target,
                         int64_t* macs) {
  const TensorType &x = node.inputs[0].type, &y = node.outputs[0];
  MACE_RETURN_IF_ERROR(CheckQuantized(node, "output", y));
  if (x.is_quantized()) {
    MACE_RETURN_IF_ERROR(CheckQuantized(node, "input", x));
    return TranslateLookup(node, target, macs);
  }
  MACE_RETURN_IF_ERROR(CheckFloats(node, x));
  MACE_RETURN_IF_ERROR(CheckScale(node, y));
  MACE_ASSIGN_OR_RETURN(const QuantizeAttrs attrs,
                        ReadAttrs<QuantizeAttrs>(node));
  if (target.writer == nullptr) return Status();
  const float scale = y.quantization->scale();
  uint32_t limits[kFloatsBytes] = {};
  for (int k = 1; k < kFloatsBytes; ++k) {
    limits[k] = LeastOf(static_cast<float>(k), scale, attrs.rounding == "EVEN");
  }
  MACE_ASSIGN_OR_RETURN(AlignedBuffer planes, Planes(limits));
  const int32_t least = IsSigned(y) != 0 ? -128 : 0;
  const QuantizeParams p = {static_cast<int32_t>(NumElements(y.shape)),
                            EstimateOf(1 / double{scale}),
                            IsSigned(y),
                            {y.quantization->zero_point(), least, least + 255}};
  const int table = target.writer->AddConstant(std::move(planes));
  target.writer->AddNode(kQuantize, {target.inputs[0], table, target.output},
                         p);
  return Status();
}

// A float for each quantized value.
Status TranslateDequantize(const Node& node, const Target& target,
                           int64_t* /*macs*/) {
  const TensorType &x = node.inputs[0].type, &y = node.outputs[0];
  MACE_RETURN_IF_ERROR(CheckQuantized(node, "input", x));
  MACE_RETURN_IF_ERROR(CheckFloats(node, y));
  if (target.writer == nullptr) return Status();
  const float scale = x.quantization->scale();
  uint32_t words[kFloatsBytes];
  for (int i = 0; i < kFloatsBytes; ++i) {
    const int32_t value = IsSigned(x) != 0 ? static_cast<int8_t>(i) : i;
    const float real =
        scale * static_cast<float>(value - x.quantization->zero_point());
    std::memcpy(&words[i], &real, sizeof(real));
  }
  MACE_ASSIGN_OR_RETURN(AlignedBuffer planes, Planes(words));
  const int table = target.writer->AddConstant(std::move(planes));
  const LookupWordsParams p = {static_cast<int32_t>(NumElements(x.shape))};
  target.writer->AddNode(kLookupWords, {target.inputs[0], table, target.output},
                         p);
  return Status();
}

}  // namespace mace::hexagon
