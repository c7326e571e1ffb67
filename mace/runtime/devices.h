// The devices of this build, made for one engine.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_DEVICES_H_
#define MACE_RUNTIME_DEVICES_H_

#include <memory>
#include <vector>

#include "mace/device/device.h"
#include "mace/device/packed_weights.h"
#include "mace/runtime/config.h"

namespace mace {

// In order of preference; the CPU is always last.
// Errors: MACE_UNSUPPORTED for a device type that this build lacks,
// MACE_OUT_OF_RESOURCES.
Result<std::vector<std::unique_ptr<Device>>> CreateDevices(
    const MaceEngineConfig::Impl& config,
    std::shared_ptr<PackedWeights> packed);

}  // namespace mace

#endif  // MACE_RUNTIME_DEVICES_H_
