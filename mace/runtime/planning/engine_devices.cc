// Creating the devices of an engine, and doing without those that fail.
// SPDX-License-Identifier: Apache-2.0

#include "mace/runtime/planning/engine_devices.h"

#include "mace/base/logging.h"
#include "mace/base/str_cat.h"

namespace mace {

Status EngineDevices::Create(const MaceEngineConfig::Impl& config,
                             const SharedWeights& weights) {
  MACE_ASSIGN_OR_RETURN(devices_, CreateDevices(config, weights));
  for (const std::string& text : {devices_.note, devices_.without_effect}) {
    if (!text.empty()) LOG(WARNING) << text;
  }
  return Status();
}

std::vector<Device*> EngineDevices::usable() const {
  std::vector<Device*> usable;
  for (const auto& device : devices_.list) {
    if (!cpu_only_ || device == devices_.list.back()) {
      usable.push_back(device.get());
    }
  }
  return usable;
}

void EngineDevices::FallBackToCpu(const std::string& reason) {
  cpu_only_ = true;
  std::string names;
  for (size_t i = 0; i + 1 < devices_.list.size(); ++i) {
    names += StrCat(i == 0 ? "" : " or the ", devices_.list[i]->name());
  }
  devices_.note =
      StrCat("the ", names, " failed, the CPU takes over: ", reason);
  LOG(WARNING) << devices_.note;
}

Status EngineDevices::CheckForked() const {
  if (only_cpu() || generation_ == ForkGeneration()) return Status();
  return RuntimeError(
      "this process is a fork of the one that created the engine, and the "
      "driver of the ",
      first().name(),
      " works in that one only: create the engine after the fork, in a process "
      "that was started (`spawn`), or on the CPU");
}

}  // namespace mace
