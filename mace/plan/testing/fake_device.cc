// Kernels with given properties.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/testing/fake_device.h"

namespace mace::testing {
namespace {

Result<KernelPtr> Make(const Result<KernelProperties>& properties) {
  if (!properties.ok()) return properties.status();
  return KernelPtr(std::make_unique<FakeKernel>(*properties));
}

}  // namespace

const char* FakeDevice::name() const { return name_.c_str(); }

DeviceStorage* FakeDevice::storage() { return name_ == "GPU" ? this : nullptr; }

Result<NodeWork> FakeDevice::Supports(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const KernelPtr kernel, Prepare(node));
  return NodeWork{kernel->macs(), kernel->renames_only()};
}

Result<KernelPtr> FakeDevice::Prepare(const Node& node) {
  return Make(prepare(node));
}

Result<KernelPtr> FakeDevice::PrepareFused(
    const std::vector<FusedNode>& nodes) {
  return Make(prepare_fused(nodes));
}

Result<KernelPtr> FakeDevice::PrepareConvert(const Node& node) {
  return Make(prepare_convert(node));
}

bool FakeDevice::ComputesFp16(const Node& node) const {
  return computes_fp16(node);
}

Result<Extent2D> FakeDevice::ImageExtentOf(const TensorType& type) const {
  if (type.dtype == DataType::kI32) return Unsupported("no image of numbers");
  return Extent2D{NumElements(type.shape), 1};
}

Result<std::unique_ptr<DeviceImages>> FakeDevice::CreateImages(
    const std::vector<ImageType>& /*types*/) {
  return Unsupported("a fake device has no images");
}

Status FakeDevice::CheckMemory(const DeviceMemory& /*memory*/,
                               const TensorType& /*type*/) const {
  return Unsupported("a fake device has no memory");
}

Status FakeDevice::FinishPrepare() {
  ++finished;
  return Status();
}

}  // namespace mace::testing
