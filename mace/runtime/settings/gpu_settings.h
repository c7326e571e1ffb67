// Process-wide settings of where compiled GPU programs are stored.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTINGS_GPU_SETTINGS_H_
#define MACE_RUNTIME_SETTINGS_GPU_SETTINGS_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_runtime.h"

namespace mace {

// The name of the store of compiled programs, with which
// KVStorageFactory::CreateStorage is called. It is part of the public contract.
inline constexpr char kProgramStore[] = "mace_cl_compiled_program.bin";

struct GpuSettings {
  std::shared_ptr<KVStorageFactory> storage_factory;  // null: no cache
  std::vector<std::string> binary_paths;
};

// Returns a copy of the current settings. Thread-safe.
GpuSettings GetGpuSettings();

}  // namespace mace

#endif  // MACE_RUNTIME_SETTINGS_GPU_SETTINGS_H_
