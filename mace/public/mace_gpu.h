// GPUContext: how engines use the GPU.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_GPU_H_
#define MACE_PUBLIC_MACE_GPU_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mace/public/mace_api.h"

namespace mace {

// What the devices of an engine did since it was created; what a Run did is the
// difference of two. Programs are those of the whole process.
struct MaceDeviceCounts {
  int64_t compiled_programs = 0;  // from source
  int64_t loaded_programs = 0;    // kept or compiled ahead
  int64_t measurements = 0;       // kernels run for tuning
  int64_t kernels = 0;            // those included
  int64_t enqueues = 0;           // more than kernels where those are split
  int64_t bytes_from_host = 0;    // copied
  int64_t bytes_to_host = 0;
};

// What memory for tensors on the GPU is made with: a cl_context and its
// cl_device_id. They live as long as the engine that gave them.
struct MaceGPUHandles {
  void* context = nullptr;
  void* device = nullptr;
};

// Shared by any number of engines; immutable.
class GPUContext;
using OpenclContext = GPUContext;

class MACE_API GPUContextBuilder {
 public:
  GPUContextBuilder();
  ~GPUContextBuilder();
  GPUContextBuilder(const GPUContextBuilder&) = delete;
  GPUContextBuilder& operator=(const GPUContextBuilder&) = delete;

  // Compiled programs are kept in this folder, which must be there, between
  // processes: an engine's second start compiles nothing. Without it the store
  // of SetKVStorageFactory is used, if any.
  GPUContextBuilder& SetStoragePath(const std::string& folder);
  GPUContextBuilder& SetStoragePath(const char* folder) {
    return SetStoragePath(StringOrEmpty(folder));
  }

  // Files of programs compiled ahead, asked before the kept ones. What another
  // driver or engine made is not found in them.
  GPUContextBuilder& SetOpenCLBinaryPaths(
      const std::vector<std::string>& paths);

  // The file of tuning results (MaceEngineConfig::SetTuning) of engines with
  // this context that name none themselves.
  GPUContextBuilder& SetOpenCLParameterPath(const std::string& path);
  GPUContextBuilder& SetOpenCLParameterPath(const char* path) {
    return SetOpenCLParameterPath(StringOrEmpty(path));
  }

  // Called while an engine is created, after each program: how many of how many
  // are ready. From any thread, one call at a time.
  GPUContextBuilder& SetProgressCallback(
      std::function<void(int done, int total)> callback);

  std::shared_ptr<GPUContext> Finalize();

 private:
  std::shared_ptr<GPUContext> context_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_GPU_H_
