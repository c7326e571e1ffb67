// What a device without chains or images answers when asked for one.
// SPDX-License-Identifier: Apache-2.0

#include "mace/device/device.h"

#include <string>

namespace mace {

Result<KernelPtr> Device::PrepareFused(const std::vector<FusedNode>& chain) {
  return Unsupported(Label(*chain[0].node) + ": device " + name() +
                     " has no kernels for chains");
}

Result<KernelPtr> Device::PrepareConvert(const Node& node) {
  return Unsupported(Label(node) + ": device " + name() + " has no images");
}

Result<Extent2D> Device::ImageExtentOf(const TensorType& type) const {
  return Unsupported(ToString(type) + ": device " + name() + " has no images");
}

Status Device::CheckMemory(const DeviceMemory& /*memory*/,
                           const TensorType& /*type*/) const {
  return Unsupported(std::string("device ") + name() +
                     " has no memory of its own; give host memory");
}

Result<std::unique_ptr<DeviceImages>> Device::CreateImages(
    const std::vector<ImageType>& types) {
  if (types.empty()) return std::unique_ptr<DeviceImages>();
  return Unsupported(std::string("device ") + name() + " has no images");
}

}  // namespace mace
