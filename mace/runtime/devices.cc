// The one file that names the concrete devices.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/devices.h"

#include "mace/base/cpu_topology.h"
#include "mace/cpu/cpu_device.h"

namespace mace {

Result<std::vector<std::unique_ptr<Device>>> CreateDevices(
    const MaceEngineConfig::Impl& config,
    std::shared_ptr<PackedWeights> packed) {
  if (config.device_type != CPU) {
    return Unsupported("device type " + std::to_string(config.device_type) +
                       " is not in this build of the library; use CPU");
  }
  std::vector<int> cores = config.core_ids;
  if (cores.empty()) {
    cores = SelectCores(ReadCpuCores(), config.affinity_policy);
  }
  CpuOptions options;
  options.num_threads = config.num_threads > 0 ? config.num_threads
                                               : static_cast<int>(cores.size());
  // The workers inherit the mask; the caller's own thread gets its mask back.
  if (config.core_ids.empty() && config.affinity_policy == AFFINITY_NONE) {
    cores.clear();
  }
  const ScopedAffinity affinity(cores);
  MACE_ASSIGN_OR_RETURN(std::unique_ptr<CpuDevice> cpu,
                        CpuDevice::Create(options, std::move(packed)));
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::move(cpu));
  return devices;
}

}  // namespace mace
