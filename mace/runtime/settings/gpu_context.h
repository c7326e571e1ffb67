// The contents of a GPUContext.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_SETTINGS_GPU_CONTEXT_H_
#define MACE_RUNTIME_SETTINGS_GPU_CONTEXT_H_

#include <functional>
#include <string>
#include <vector>

#include "mace/public/mace_gpu.h"

namespace mace {

// What GPUContextBuilder was given, with the meaning that mace_gpu.h describes.
// Immutable once built: engines share it.
class GPUContext {
 public:
  // A folder or a file, where compiled programs are cached, and, in files of
  // their own, tuning results of the CPU and tests of drivers and
  // micro-kernels. `binary_paths` are files of programs that were compiled
  // ahead; `parameter_path` is a file of tuning results.
  std::string storage_path;  // empty: none
  std::vector<std::string> binary_paths;
  std::string parameter_path;  // empty: none
  // Called with (programs that are ready, programs in all) by one thread at a
  // time; may be null.
  std::function<void(int, int)> progress;
  MaceGPUHandles handles;  // null: none
};

}  // namespace mace

#endif  // MACE_RUNTIME_SETTINGS_GPU_CONTEXT_H_
