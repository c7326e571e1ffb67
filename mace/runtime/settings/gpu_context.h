// The contents of a GPUContext.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTINGS_GPU_CONTEXT_H_
#define MACE_RUNTIME_SETTINGS_GPU_CONTEXT_H_

#include <functional>
#include <string>
#include <vector>

#include "mace/public/mace_gpu.h"

namespace mace {

class GPUContext {
 public:
  std::string storage_path;  // empty: none
  std::vector<std::string> binary_paths;
  std::string parameter_path;  // empty: none
  std::function<void(int, int)> progress;
  MaceGPUHandles handles;  // null: none
};

}  // namespace mace

#endif  // MACE_RUNTIME_SETTINGS_GPU_CONTEXT_H_
