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

// What the devices of an engine did since it was created. The work of one Run
// is the difference between the counts after and before it. Programs are shared
// by the engines of a process, so that the counts of programs are those of the
// whole process.
struct MaceDeviceCounts {
  int64_t compiled_programs = 0;  // from source
  int64_t loaded_programs = 0;    // from a cache or a precompiled file
  int64_t measurements = 0;       // kernels that were run for tuning
  int64_t kernels = 0;            // kernels that were run, for tuning included
  int64_t enqueues = 0;           // exceeds `kernels` where a kernel is split
  int64_t bytes_from_host = 0;    // copied to the device
  int64_t bytes_to_host = 0;      // copied from the device
};

// The handles with which an app allocates tensors in GPU memory: a cl_context
// and its cl_device_id. Those of an engine are valid while it lives.
struct MaceGPUHandles {
  void* context = nullptr;
  void* device = nullptr;
};

// The GPU settings that engines share. Immutable and thread-safe.
class GPUContext;
using OpenclContext = GPUContext;

class MACE_API GPUContextBuilder {
 public:
  GPUContextBuilder();
  ~GPUContextBuilder();
  GPUContextBuilder(const GPUContextBuilder&) = delete;
  GPUContextBuilder& operator=(const GPUContextBuilder&) = delete;

  // Caches compiled programs in this folder, which must exist, or this file, so
  // that an engine compiles nothing when the app starts for the second time.
  // Without a path, the store of SetKVStorageFactory is used if there is one.
  GPUContextBuilder& SetStoragePath(const std::string& path);
  GPUContextBuilder& SetStoragePath(const char* path) {
    return SetStoragePath(StringOrEmpty(path));
  }

  // Files of precompiled programs, which are searched in this order and before
  // the cache; they override those of SetOpenCLBinaryPaths of mace_runtime.h.
  // Programs of another driver or another version of the library are ignored.
  GPUContextBuilder& SetOpenCLBinaryPaths(
      const std::vector<std::string>& paths);

  // The file of tuning results for engines of this context whose
  // MaceEngineConfig::SetTuning names no file.
  GPUContextBuilder& SetOpenCLParameterPath(const std::string& path);
  GPUContextBuilder& SetOpenCLParameterPath(const char* path) {
    return SetOpenCLParameterPath(StringOrEmpty(path));
  }

  // `callback` is called while a plan is made, as an engine is created or runs
  // with new shapes, after each program, with the number of programs that are
  // done and the number that are loaded or compiled for this plan. It may be
  // called from any thread, but never by two threads at once, and must not call
  // functions of MACE.
  GPUContextBuilder& SetProgressCallback(
      std::function<void(int done, int total)> callback);

  // The app's own OpenCL context and its device, such as a context that shares
  // textures with OpenGL. All engines of the process that use the GPU share one
  // context: creating an engine fails with MACE_INVALID_ARGS while others use
  // another one, and for a context that is not one of the device. The context
  // is retained while engines use it.
  GPUContextBuilder& SetOpenCLContext(const MaceGPUHandles& handles);

  // Returns a context with the settings so far; never null. The builder may go
  // on.
  std::shared_ptr<GPUContext> Finalize();

 private:
  std::shared_ptr<GPUContext> context_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_GPU_H_
