// Device: what a backend offers to the plan and the engine.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_DEVICE_H_
#define MACE_DEVICE_DEVICE_H_

#include <cstdint>
#include <memory>

#include "mace/base/status.h"
#include "mace/device/kernel.h"
#include "mace/graph/node.h"

namespace mace {

class Device {
 public:
  virtual ~Device() = default;

  virtual const char* name() const = 0;  // "CPU", "GPU"

  // Checks that this device can run `node`, whose types are inferred, then
  // does all one-time work: choosing a micro-kernel, packing weights,
  // compiling a program. The only place that says what a device supports.
  // Errors: MACE_UNSUPPORTED sends the node to the next device of the list.
  virtual Result<KernelPtr> Prepare(const Node& node) = 0;
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_H_
