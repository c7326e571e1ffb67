// FakeDevice: a device that takes what a test says, with kernels to match.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PLAN_TESTING_FAKE_DEVICE_H_
#define MACE_PLAN_TESTING_FAKE_DEVICE_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mace/plan/testing/plan_maker.h"

namespace mace::testing {

// With storage of its own, for images, if it is called "GPU".
class FakeDevice : public Device, public NodeKernels, public DeviceStorage {
 public:
  explicit FakeDevice(std::string name) : name_(std::move(name)) {}

  // The answers of Supports, Prepare and its kin. By default nodes are
  // supported, and never fused.
  std::function<Result<KernelProperties>(const Node&)> prepare =
      [](const Node&) { return KernelProperties(); };
  std::function<Result<KernelProperties>(const std::vector<FusedNode>&)>
      prepare_fused = [](const std::vector<FusedNode>&) {
        return Unsupported("never fused");
      };
  std::function<Result<KernelProperties>(const Node&)> prepare_convert =
      [](const Node&) { return KernelProperties(); };
  std::function<bool(const Node&)> computes_fp16 = [](const Node&) {
    return false;
  };
  DeviceSpeed its_speed;
  DataType its_image_dtype = DataType::kF32;
  // Of images as they are planned: an element takes a pixel of one row.
  Extent2D its_max_extent = {1 << 20, 1};
  // How often FinishPrepare was called.
  int finished = 0;

  const char* name() const override;
  DeviceSpeed speed() const override { return its_speed; }
  NodeKernels* kernels() override { return this; }
  DeviceStorage* storage() override;

  Result<NodeWork> Supports(const Node& node) override;
  Result<KernelPtr> Prepare(const Node& node) override;
  Result<KernelPtr> PrepareFused(const std::vector<FusedNode>& nodes) override;
  bool ComputesFp16(const Node& node) const override;
  Status FinishPrepare() override;

  Result<KernelPtr> PrepareConvert(const Node& node) override;
  DataType image_dtype() const override { return its_image_dtype; }
  Extent2D max_image_extent() const override { return its_max_extent; }
  Result<Extent2D> ImageExtentOf(const TensorType& type) const override;
  // No plan is run, so there are no images.
  Result<std::unique_ptr<DeviceImages>> CreateImages(
      const std::vector<ImageType>& types) override;
  Status CheckMemory(const DeviceMemory& memory,
                     const TensorType& type) const override;
  NativeHandles native_handles() const override { return {}; }
  void UseBuffer(Kernel& /*convert*/, void* /*buffer*/) override {}

 private:
  const std::string name_;
};

}  // namespace mace::testing

#endif  // MACE_PLAN_TESTING_FAKE_DEVICE_H_
