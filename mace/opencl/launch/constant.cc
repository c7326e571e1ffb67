// Arranging constants in images and uploading them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/constant.h"

#include <utility>

#include "mace/base/fp16.h"
#include "mace/base/large_array.h"
#include "mace/graph/stored_weight.h"

namespace mace::opencl {
namespace {

int64_t ElementsOf(const ConstantData& constant) {
  const Extents4& e = constant.extents;
  return SaturatedProduct({e[0], e[1], e[2], e[3]});
}

int64_t BytesOfImage(ImageLayout layout, const Extents4& extents,
                     PixelType pixels) {
  const Extent2D extent = ImageExtent(layout, extents);
  return SaturatedProduct({extent.width, extent.height, BytesOfPixel(pixels)});
}

DeviceWeights::Upload Uploaded(ClMem memory, int64_t bytes) {
  return {std::make_shared<const ClMem>(std::move(memory)), bytes};
}

// Makes the image of a dense tensor. `Component` is what its pixels hold:
// float, uint16_t for fp16, uint8_t for int8.
template <typename Component, typename T, typename Convert>
Result<DeviceWeights::Upload> MakeImage(const ConstantData& constant,
                                        PixelType pixels,
                                        const ClContext& context, const T* data,
                                        Convert convert) {
  const Extent2D extent = ImageExtent(constant.layout, constant.extents);
  MACE_ASSIGN_OR_RETURN(LargeArray<Component> image,
                        LargeArray<Component>::Create(
                            SaturatedProduct({extent.width, extent.height, 4}),
                            "a weight's image"));
  const Extents4& e = constant.extents;
  Extents4 at;
  for (at[0] = 0; at[0] < e[0]; ++at[0]) {
    for (at[1] = 0; at[1] < e[1]; ++at[1]) {
      for (at[2] = 0; at[2] < e[2]; ++at[2]) {
        for (at[3] = 0; at[3] < e[3]; ++at[3]) {
          const PixelComponent p = PixelOf(constant.layout, e, at);
          image[(p.y * extent.width + p.x) * 4 + p.component] =
              convert(*data++);
        }
      }
    }
  }
  MACE_ASSIGN_OR_RETURN(
      ClMem memory,
      context.CreateImage(extent.width, extent.height, pixels, image.data()));
  return Uploaded(std::move(memory),
                  BytesOfImage(constant.layout, constant.extents, pixels));
}

// An array that stays empty where nothing needs it.
template <typename T>
Result<LargeArray<T>> ArrayIf(bool needed, int64_t n, const char* what) {
  if (!needed) return LargeArray<T>();
  return LargeArray<T>::Create(n, what);
}

Result<DeviceWeights::Upload> MakeQuantizedImage(const ConstantData& constant,
                                                 const ClContext& context) {
  const auto* values = static_cast<const int8_t*>(constant.source.data);
  const auto& rearrange = constant.rearrange.quantized;
  MACE_ASSIGN_OR_RETURN(
      LargeArray<int8_t> other,
      ArrayIf<int8_t>(rearrange != nullptr, ElementsOf(constant),
                      "a weight's quantized values in another order"));
  if (rearrange) {
    rearrange(values, other.data());
    values = other.data();
  }
  // From the smallest value on, or as they are.
  const uint8_t flip = constant.pixels == PixelType::kUnorm8 ? 0x80 : 0;
  return MakeImage<uint8_t>(
      constant, constant.pixels, context, values, [flip](int8_t value) {
        return static_cast<uint8_t>(static_cast<uint8_t>(value) ^ flip);
      });
}

Result<DeviceWeights::Upload> MakeFloatImage(const ConstantData& constant,
                                             const ClContext& context) {
  const Operand& source = constant.source;
  const bool is_stored_otherwise =
      source.present() && source.stored != DataType::kInvalid;
  MACE_ASSIGN_OR_RETURN(
      LargeArray<float> widened,
      ArrayIf<float>(is_stored_otherwise,
                     is_stored_otherwise ? NumElements(source.type.shape) : 0,
                     "a weight's floats"));
  const auto* elements = static_cast<const float*>(source.data);
  if (is_stored_otherwise) {
    WidenStored(source, widened.data());
    elements = widened.data();
  }
  const auto& rearrange = constant.rearrange.floats;
  MACE_ASSIGN_OR_RETURN(
      LargeArray<float> computed,
      ArrayIf<float>(rearrange != nullptr || !source.present(),
                     ElementsOf(constant), "a computed weight"));
  if (!source.present()) {
    constant.fill(computed.data());
    elements = computed.data();
  } else if (rearrange) {
    rearrange(elements, computed.data());
    elements = computed.data();
  }
  if (constant.pixels == PixelType::kHalf &&
      FitsFp16(elements, ElementsOf(constant))) {
    return MakeImage<uint16_t>(constant, PixelType::kHalf, context, elements,
                               [](float v) { return ToFp16(v); });
  }
  return MakeImage<float>(constant, PixelType::kFloat, context, elements,
                          [](float v) { return v; });
}

Result<DeviceWeights::Upload> MakeMemory(const ConstantData& constant,
                                         const ClContext& context) {
  if (!constant.bytes.empty()) {
    const size_t bytes = constant.bytes.size();
    MACE_ASSIGN_OR_RETURN(ClMem memory,
                          context.CreateBuffer(bytes, constant.bytes.data()));
    return Uploaded(std::move(memory), static_cast<int64_t>(bytes));
  }
  const bool is_quantized = constant.pixels == PixelType::kSnorm8 ||
                            constant.pixels == PixelType::kUnorm8;
  return is_quantized ? MakeQuantizedImage(constant, context)
                      : MakeFloatImage(constant, context);
}

}  // namespace

int64_t BytesOf(const ConstantData& constant) {
  if (!constant.bytes.empty()) {
    return static_cast<int64_t>(constant.bytes.size());
  }
  return BytesOfImage(constant.layout, constant.extents, constant.pixels);
}

Result<SharedMem> GetOrUpload(const ConstantData& constant,
                              const ClContext& context,
                              DeviceWeights& weights) {
  MACE_ASSIGN_OR_RETURN(DeviceWeights::Copy copy,
                        weights.GetOrUpload(context.get(), constant.name, [&] {
                          return MakeMemory(constant, context);
                        }));
  return std::static_pointer_cast<const ClMem>(std::move(copy));
}

}  // namespace mace::opencl
