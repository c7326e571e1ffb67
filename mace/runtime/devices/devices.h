// Creates the devices that this build has, for one engine.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_DEVICES_DEVICES_H_
#define MACE_RUNTIME_DEVICES_DEVICES_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/device/device.h"
#include "mace/device/device_weights.h"
#include "mace/device/packed_weights.h"
#include "mace/runtime/settings/config.h"

namespace mace {

struct CpuOptions;

// Owns the devices. They must outlive all plans and executors that use them.
struct Devices {
  // The preferred device first, the CPU last.
  std::vector<std::unique_ptr<Device>> list;
  // Why a requested device is missing or was given up. Empty: none is.
  std::string note;
  // Which settings have no effect on these devices. Empty: all have, or nobody
  // chose one that has none.
  std::string without_effect;
  // Where the results of the tests of micro-kernels are kept; null: nowhere.
  std::shared_ptr<KVStorage> kernel_tests;
};

// What the devices of all engines of one model share.
struct SharedWeights {
  std::shared_ptr<PackedWeights> packed;
  std::shared_ptr<DeviceWeights> on_device;
};

// Leaves out a device that this machine or build lacks or whose driver fails;
// Devices::note has the reason, which is not logged. Errors: MACE_UNSUPPORTED
// for an unknown device type or settings that need an absent component;
// MACE_INVALID_ARGS for settings that do not fit; MACE_OUT_OF_RESOURCES.
Result<Devices> CreateDevices(const MaceEngineConfig::Impl& config,
                              const SharedWeights& weights);

// Writes the results of the tests of micro-kernels to devices.kernel_tests, if
// it does not have them yet. Logs a storage that fails.
void KeepKernelTests(const Devices& devices);

// Sets those options of the CPU that change results.
void SetCpuOptions(const Settings& settings, CpuOptions* options);

}  // namespace mace

#endif  // MACE_RUNTIME_DEVICES_DEVICES_H_
