// Kernels from facts.
// SPDX-License-Identifier: Apache-2.0

#include "mace/plan/testing/fake_device.h"

namespace mace::testing {
namespace {

Result<KernelPtr> Make(const Result<KernelFacts>& facts) {
  if (!facts.ok()) return facts.status();
  return KernelPtr(std::make_unique<FakeKernel>(*facts));
}

}  // namespace

const char* FakeDevice::name() const { return name_.c_str(); }

Result<KernelPtr> FakeDevice::Prepare(const Node& node) {
  return Make(prepare(node));
}

Result<KernelPtr> FakeDevice::PrepareFused(
    const std::vector<FusedNode>& chain) {
  return Make(prepare_fused(chain));
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

Status FakeDevice::FinishPrepare() {
  ++finished;
  return Status();
}

}  // namespace mace::testing
