// The devices of this build, made for one engine.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_DEVICES_H_
#define MACE_RUNTIME_DEVICES_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/device/device.h"
#include "mace/device/device_weights.h"
#include "mace/device/packed_weights.h"
#include "mace/runtime/config.h"

namespace mace {

struct CpuOptions;

struct Devices {
  std::vector<std::unique_ptr<Device>> list;  // by preference; the CPU is last
  std::string note;  // why a device that was asked for is not there, or empty
};

// What the devices of all engines of a model share.
struct SharedWeights {
  std::shared_ptr<PackedWeights> packed;
  std::shared_ptr<DeviceWeights> on_device;
};

// A device that this machine or build lacks is left out, and the note says why.
// Errors: MACE_UNSUPPORTED for a device type that is not known,
// MACE_OUT_OF_RESOURCES.
Result<Devices> CreateDevices(const MaceEngineConfig::Impl& config,
                              const SharedWeights& weights);

// The options of the CPU on which results depend.
void SetCpuOptions(const Settings& settings, CpuOptions* options);

}  // namespace mace

#endif  // MACE_RUNTIME_DEVICES_H_
