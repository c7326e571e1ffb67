// Target: what kernels are described for, without a driver.
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

// A kernel as its op describes it: nothing is compiled or uploaded yet.
struct KernelSpec {
  struct Facts {
    std::string variant;  // empty: the names of the passes
    int64_t macs = 0;
    std::vector<Extent2D> scratch_images;
    bool renames_only = false;  // output 0 is the image of input 0: no passes
  };
  std::vector<Pass> passes;  // run one after the other
  Facts facts = {};
};

// Of one node: its device's limits and how its images are stored.
class Target {
 public:
  // `fp16`: images hold fp16, else floats; kernels compute in float either way.
  // `facts` must outlive it. `max_winograd`: as in OpenclOptions.
  Target(const DeviceFacts& facts, bool fp16, int max_winograd)
      : facts_(facts), fp16_(fp16), max_winograd_(max_winograd) {}

  bool fp16() const { return fp16_; }
  DataType image_dtype() const {
    return fp16_ ? DataType::kF16 : DataType::kF32;
  }
  int max_winograd() const { return max_winograd_; }

  // Errors: MACE_UNSUPPORTED, with the limit and the cure.
  Status CheckExtent(const Extent2D& extent, const std::string& what) const;

  // An image of a weight or bias, as a tensor of these extents.
  // REQUIRES: a float constant. Errors: MACE_UNSUPPORTED beyond the limits.
  Result<ConstantPtr> ConstantImage(ImageLayout layout, const Extents4& extents,
                                    const Operand& operand) const;

  // An image of what `fill` computes, into zeros, of the constants `from` and
  // of what `how` says. Errors: as ConstantImage.
  Result<ConstantPtr> ComputedImage(ImageLayout layout, const Extents4& extents,
                                    const std::vector<const Operand*>& from,
                                    const std::string& how,
                                    std::function<void(float*)> fill) const;

  // A buffer of these numbers. REQUIRES: there are some.
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
