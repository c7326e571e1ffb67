// EngineDevices: the devices of one engine, which may lose those with a driver.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_PLANNING_ENGINE_DEVICES_H_
#define MACE_RUNTIME_PLANNING_ENGINE_DEVICES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/base/fork.h"
#include "mace/base/status.h"
#include "mace/plan/types/one_device.h"
#include "mace/runtime/devices/devices.h"

namespace mace {

// Drivers of GPUs and DSPs do not survive fork(): an engine that uses them
// works in the process that created it only. Not thread-safe.
class EngineDevices {
 public:
  // Creates the devices that `config` asks for, and logs which of them are
  // missing and which settings have no effect. Errors: as CreateDevices.
  Status Create(const MaceEngineConfig::Impl& config,
                const SharedWeights& weights);

  // All devices, also those that failed, as there may still be kernels of them.
  const Devices& all() const { return devices_; }
  Device& first() const { return *devices_.list.front(); }
  Device& cpu() const { return *devices_.list.back(); }
  // Returns the devices that plans may use, the preferred one first, the CPU
  // last.
  std::vector<Device*> usable() const;
  // Whether the CPU is the only usable device.
  bool only_cpu() const {
    return kOneDevice || cpu_only_ || devices_.list.size() <= 1;
  }
  // The driver of another device failed: leaves everything to the CPU, and
  // reports it in the log and in all().note.
  void FallBackToCpu(const std::string& reason);

  // Errors: MACE_RUNTIME_ERROR in a fork of the process that created the
  // devices, unless only_cpu().
  Status CheckForked() const;

 private:
  Devices devices_;
  bool cpu_only_ = false;                   // another device failed
  uint32_t generation_ = ForkGeneration();  // that created them
};

}  // namespace mace

#endif  // MACE_RUNTIME_PLANNING_ENGINE_DEVICES_H_
