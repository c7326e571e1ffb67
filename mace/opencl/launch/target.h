// Target: what an op needs to describe its kernel, without a driver.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_TARGET_H_
#define MACE_OPENCL_LAUNCH_TARGET_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mace/device/kernel.h"
#include "mace/graph/node.h"
#include "mace/opencl/driver/device_facts.h"
#include "mace/opencl/launch/constant.h"
#include "mace/opencl/launch/pass.h"

namespace mace::opencl {

// The description of a kernel, as its op gives it. Nothing is compiled or
// uploaded yet.
struct KernelSpec {
  struct Facts {
    std::string variant;  // empty: the names of the passes
    int64_t macs = 0;
    std::vector<Extent2D> scratch_images;
    bool renames_only = false;  // output 0 is the image of input 0
  };
  std::vector<Pass> passes;  // run one after the other
  Facts facts = {};
};

// The limits of the device and the type of images, for one node.
class Target {
 public:
  // With `fp16`, images hold fp16, else float; kernels compute in float either
  // way. `facts` must outlive the target. `max_winograd`: as in OpenclOptions.
  Target(const DeviceFacts& facts, bool fp16, int max_winograd)
      : facts_(facts), fp16_(fp16), max_winograd_(max_winograd) {}

  bool fp16() const { return fp16_; }
  DataType image_dtype() const {
    return fp16_ ? DataType::kF16 : DataType::kF32;
  }
  int max_winograd() const { return max_winograd_; }

  // Checks that an image fits the device. Errors: MACE_UNSUPPORTED, with the
  // limit and the cure.
  Status CheckExtent(const Extent2D& extent, const std::string& what) const;

  // Describes the image of a weight or bias, as a tensor of these extents.
  // REQUIRES: `operand` is a float constant. Errors: MACE_UNSUPPORTED if the
  // image is too large.
  Result<ConstantPtr> ConstantImage(ImageLayout layout, const Extents4& extents,
                                    const Operand& operand) const;

  // Describes an image that `fill` computes; it starts from zeros. `from` lists
  // the constants that it depends on, and `how` names the computation. Errors:
  // as ConstantImage.
  Result<ConstantPtr> ComputedImage(ImageLayout layout, const Extents4& extents,
                                    const std::vector<const Operand*>& from,
                                    const std::string& how,
                                    std::function<void(float*)> fill) const;

  // Describes a buffer of numbers. REQUIRES: `values` is not empty.
  template <typename T>
  static ConstantPtr Table(const std::vector<T>& values) {
    const auto* begin = reinterpret_cast<const uint8_t*>(values.data());
    return TableOf({begin, begin + values.size() * sizeof(T)});
  }

 private:
  Result<std::shared_ptr<ConstantData>> DescribeImage(
      ImageLayout layout, const Extents4& extents,
      const std::vector<const Operand*>& from, const std::string& how) const;
  static ConstantPtr TableOf(std::vector<uint8_t> bytes);

  const DeviceFacts& facts_;
  bool fp16_;
  int max_winograd_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_TARGET_H_
