// Devices for tests of placement: they compute as the CPU does, for some ops,
// and count what they are asked for.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_TESTING_FAKE_DEVICES_H_
#define MACE_TESTING_FAKE_DEVICES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "mace/cpu/cpu_device.h"
#include "mace/device/device.h"

namespace mace::testing {

// What a fake device is. It supports the nodes of `ops` that the CPU supports,
// too.
struct FakeOptions {
  const char* name = "fake";
  std::set<std::string> ops;  // that it supports
  DeviceSpeed speed;
  size_t max_nodes = SIZE_MAX;  // of a region: more do not fit
};

// Much faster than the CPU, at some cost of moving: 10^6 multiply-adds and
// bytes a microsecond, and 0.1 us for each launch and transfer.
DeviceSpeed FastSpeed();

// A device that runs node by node, in host memory. Its kernels are those of the
// CPU.
class FakeNodeDevice final : public Device, public NodeKernels {
 public:
  explicit FakeNodeDevice(FakeOptions options);

  const char* name() const override { return options_.name; }
  DeviceSpeed speed() const override { return options_.speed; }
  NodeKernels* kernels() override { return this; }
  Result<NodeWork> Supports(const Node& node) override;
  Result<KernelPtr> Prepare(const Node& node) override;

  int num_prepared() const { return num_prepared_; }
  // Packed weights that its kernels hold now; a shared one counts once.
  int64_t num_packed() const { return packed_->count(); }

 private:
  FakeOptions options_;
  std::shared_ptr<PackedWeights> packed_;
  std::unique_ptr<CpuDevice> cpu_;
  int num_prepared_ = 0;
};

// A device that runs regions, with memory of its own for what is between their
// nodes. A region of more than max_nodes is refused with MACE_OUT_OF_RESOURCES.
class FakeRegionDevice final : public Device, public RegionKernels {
 public:
  explicit FakeRegionDevice(FakeOptions options);

  const char* name() const override { return options_.name; }
  DeviceSpeed speed() const override { return options_.speed; }
  RegionKernels* regions() override { return this; }
  Result<NodeWork> Supports(const Node& node) override;
  Result<KernelPtr> PrepareRegion(const Region& region) override;

  int num_regions() const { return num_regions_; }
  int num_prepared() const { return num_prepared_; }  // nodes

 private:
  FakeOptions options_;
  std::shared_ptr<PackedWeights> packed_;
  std::unique_ptr<CpuDevice> cpu_;
  int num_regions_ = 0;
  int num_prepared_ = 0;
};

}  // namespace mace::testing

#endif  // MACE_TESTING_FAKE_DEVICES_H_
