// Arranging constants in images and uploading them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/constant.h"

#include <utility>

#include "mace/base/fp16.h"
#include "mace/base/large_array.h"

namespace mace::opencl {
namespace {

// Computes the bytes of the image. `Component` is float or, for fp16, uint16_t.
template <typename Component, typename Convert>
Result<LargeArray<Component>> Arrange(const ConstantData& constant,
                                      const Extent2D& extent, const float* data,
                                      Convert convert) {
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
  return image;
}

Result<ClMem> MakeImage(const ConstantData& constant,
                        const ClContext& context) {
  const Extents4& e = constant.extents;
  LargeArray<float> computed;
  const float* elements = constant.elements;
  if (elements == nullptr) {
    MACE_ASSIGN_OR_RETURN(
        computed,
        LargeArray<float>::Create(SaturatedProduct({e[0], e[1], e[2], e[3]}),
                                  "a computed weight"));
    constant.fill(computed.data());
    elements = computed.data();
  }
  const Extent2D extent = ImageExtent(constant.layout, e);
  if (constant.dtype == DataType::kF16) {
    MACE_ASSIGN_OR_RETURN(const LargeArray<uint16_t> image,
                          Arrange<uint16_t>(constant, extent, elements,
                                            [](float v) { return ToFp16(v); }));
    return context.CreateImage(extent.width, extent.height, true, image.data());
  }
  MACE_ASSIGN_OR_RETURN(
      const LargeArray<float> image,
      Arrange<float>(constant, extent, elements, [](float v) { return v; }));
  return context.CreateImage(extent.width, extent.height, false, image.data());
}

int64_t BytesOf(const ConstantData& constant) {
  if (!constant.bytes.empty()) {
    return static_cast<int64_t>(constant.bytes.size());
  }
  const Extent2D extent = ImageExtent(constant.layout, constant.extents);
  return SaturatedProduct(
      {extent.width, extent.height, constant.dtype == DataType::kF16 ? 8 : 16});
}

}  // namespace

Result<SharedMem> GetOrUpload(const ConstantData& constant,
                              const ClContext& context,
                              DeviceWeights& weights) {
  const auto upload = [&]() -> Result<DeviceWeights::Copy> {
    MACE_ASSIGN_OR_RETURN(ClMem memory,
                          constant.bytes.empty()
                              ? MakeImage(constant, context)
                              : context.CreateBuffer(constant.bytes.size(),
                                                     constant.bytes.data()));
    return DeviceWeights::Copy(
        std::make_shared<const ClMem>(std::move(memory)));
  };
  MACE_ASSIGN_OR_RETURN(DeviceWeights::Copy copy,
                        weights.GetOrUpload(context.get(), constant.name,
                                            BytesOf(constant), upload));
  return std::static_pointer_cast<const ClMem>(std::move(copy));
}

}  // namespace mace::opencl
