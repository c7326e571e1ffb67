// Target: what an op needs to describe its kernel, without a driver.
// SPDX-License-Identifier: Apache-2.0
//
// So Supports can answer by describing a kernel and dropping it, and tests can
// read descriptions without a GPU.
#ifndef MACE_OPENCL_LAUNCH_TARGET_H_
#define MACE_OPENCL_LAUNCH_TARGET_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mace/device/kernel.h"
#include "mace/graph/node.h"
#include "mace/opencl/driver/device_info.h"
#include "mace/opencl/launch/constant.h"
#include "mace/opencl/launch/known_weights.h"
#include "mace/opencl/launch/pass.h"

namespace mace::opencl {

// The description of a kernel, as its op gives it. Nothing is compiled or
// uploaded yet.
struct KernelSpec {
  struct Info {
    std::string variant;  // empty: the names of the passes
    int64_t macs = 0;
    // Of the image_dtype of the node, in the order of Pass::Scratch::index. The
    // plan allocates them.
    std::vector<Extent2D> scratch_images;
    bool renames_only = false;  // output 0 is the image of input 0
    // As NodeWork::constant_bytes.
    int64_t constant_bytes = -1;
  };
  // Empty if renames_only. Scratch images carry values from one pass to the
  // next.
  std::vector<Pass> passes;  // run one after the other
  Info info = {};
};

// The limits of the device and the type of images, for one node. Descriptions
// may outlive the target, but not the node.
class Target {
 public:
  // With `fp16`, images hold fp16, else float; kernels compute in float either
  // way. `info` and `known_weights` must outlive the target. `max_winograd` and
  // `wanted_items`: as in OpenclOptions.
  Target(const DeviceInfo& info, bool fp16, int max_winograd,
         int64_t wanted_items, KnownWeights& known_weights)
      : info_(info),
        fp16_(fp16),
        max_winograd_(max_winograd),
        wanted_items_(wanted_items),
        known_weights_(known_weights) {}

  bool fp16() const { return fp16_; }
  DataType image_dtype() const {
    return fp16_ ? DataType::kF16 : DataType::kF32;
  }
  PixelType float_pixels() const {
    return fp16_ ? PixelType::kHalf : PixelType::kFloat;
  }
  int max_winograd() const { return max_winograd_; }
  const DeviceInfo& info() const { return info_; }
  KnownWeights& known_weights() const { return known_weights_; }

  // Returns how many work items should compute each position of `grid` together
  // (Pass::Team): as many as fill the device, as long as each of them has some
  // of the sum's terms. The terms are dealt out in `steps`, each of which has
  // `terms` of them. A power of two, at most 32 and at most what a group and
  // its local memory can hold; 1 where the grid fills the device.
  size_t TeamOf(const Grid& grid, int64_t steps, int64_t terms) const;
  // Returns whether a kernel with this grid and such teams has items enough:
  // `wanted_items`, or, if that is negative, 1024 for each compute unit of a
  // GPU, and any number on a device that is no GPU.
  bool FillsDevice(const Grid& grid, size_t team) const;

  // Checks that an image fits the device; `what` begins the message. Errors:
  // MACE_UNSUPPORTED, with the limit and the cure.
  Status CheckExtent(const Extent2D& extent, const std::string& what) const;

  // Describes the image of a weight or bias, as a tensor of these extents.
  // REQUIRES: `operand` is a float constant. Errors: MACE_UNSUPPORTED if the
  // image is too large.
  Result<ConstantPtr> ConstantImage(ImageLayout layout, const Extents4& extents,
                                    const Operand& operand) const {
    return RearrangedImage(layout, extents, operand, "elements", {},
                           float_pixels());
  }

  // The same with other pixels, and with elements in another order, which `how`
  // names. REQUIRES: `rearrange` is empty, or has the function for these
  // pixels; pixels of 8 bits are of an operand stored as int8.
  Result<ConstantPtr> RearrangedImage(
      ImageLayout layout, const Extents4& extents, const Operand& operand,
      const std::string& how, Rearrangement rearrange, PixelType pixels) const;

  // Describes an image that `fill` computes: it gets zeros and writes the dense
  // tensor of `extents`. `from` lists the constants on which the image depends,
  // and `how` names the computation, with all else on which it depends: images
  // with the same `from`, `how`, layout, extents and pixels are one if `from`
  // are weights of the model. `fill` is called when a kernel is made, while the
  // node exists. Errors: as ConstantImage.
  Result<ConstantPtr> ComputedImage(ImageLayout layout, const Extents4& extents,
                                    const std::vector<const Operand*>& from,
                                    const std::string& how,
                                    std::function<void(float*)> fill) const {
    return ComputedImage(layout, extents, from, how, std::move(fill),
                         float_pixels());
  }
  // `pixels`: kFloat or kHalf.
  Result<ConstantPtr> ComputedImage(ImageLayout layout, const Extents4& extents,
                                    const std::vector<const Operand*>& from,
                                    const std::string& how,
                                    std::function<void(float*)> fill,
                                    PixelType pixels) const;

  // Describes a buffer with a copy of these numbers, which a kernel reads
  // through a __global pointer. Engines of one model share the buffers of
  // tables with the same bytes. REQUIRES: `values` is not empty.
  template <typename T>
  static ConstantPtr Table(const std::vector<T>& values) {
    const auto* begin = reinterpret_cast<const uint8_t*>(values.data());
    return TableOf({begin, begin + values.size() * sizeof(T)});
  }

 private:
  // `wanted_items`, or the default if that is negative: 0 for a device that is
  // no GPU, as a CPU has no items to spare.
  int64_t WantedItems() const;
  // All but what fills the image. It is shared only if every operand of `from`
  // is a weight of the model.
  Result<std::shared_ptr<ConstantData>> DescribeImage(
      ImageLayout layout, const Extents4& extents,
      const std::vector<const Operand*>& from, const std::string& how,
      PixelType pixels) const;
  static ConstantPtr TableOf(std::vector<uint8_t> bytes);

  const DeviceInfo& info_;
  bool fp16_;
  int max_winograd_;
  int64_t wanted_items_;
  KnownWeights& known_weights_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_TARGET_H_
