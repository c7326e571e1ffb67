// Device: what a backend offers to the plan and the engine, in parts.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_DEVICE_H_
#define MACE_DEVICE_DEVICE_H_

#include "mace/base/status.h"
#include "mace/device/device_activity.h"
#include "mace/device/device_storage.h"
#include "mace/device/device_tuning.h"
#include "mace/device/node_kernels.h"
#include "mace/device/region_kernels.h"

namespace mace {

// How fast a device is, for device placement. Only the ratios between the
// devices of a plan matter.
struct DeviceSpeed {
  double macs_per_us = 1;
  double bytes_per_us = 1;     // read and written by a kernel
  double launch_us = 0;        // of any kernel
  double transfer_us = 0;      // of moving a tensor from or to the host,
  double transfer_per_us = 0;  // and bytes of it per microsecond; 0: any number
};

// A device has the interfaces that apply to it; the others are null. Exactly
// one of kernels() and regions() is not null. The last device of a plan, which
// folds constants and runs the nodes that no other device does, has kernels()
// and works in host memory.
class Device {
 public:
  using DryRun = DeviceTuning::DryRun;

  virtual ~Device() = default;

  virtual const char* name() const = 0;  // "CPU", "GPU"
  virtual DeviceSpeed speed() const = 0;

  virtual NodeKernels* kernels() { return nullptr; }
  virtual RegionKernels* regions() { return nullptr; }
  virtual DeviceStorage* storage() { return nullptr; }
  virtual DeviceTuning* tuning() { return nullptr; }
  virtual DeviceActivity* activity() { return nullptr; }

  // As NodeKernels::Supports or RegionKernels::Supports.
  Result<NodeWork> Supports(const Node& node) {
    return kernels() != nullptr ? kernels()->Supports(node)
                                : regions()->Supports(node);
  }
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_H_
