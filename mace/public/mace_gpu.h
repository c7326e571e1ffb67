// GPUContext: how engines use the GPU.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_GPU_H_
#define MACE_PUBLIC_MACE_GPU_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mace {

// Shared by any number of engines; immutable.
class GPUContext;
using OpenclContext = GPUContext;

class GPUContextBuilder {
 public:
  GPUContextBuilder();
  ~GPUContextBuilder();
  GPUContextBuilder(const GPUContextBuilder&) = delete;
  GPUContextBuilder& operator=(const GPUContextBuilder&) = delete;

  // Compiled programs are kept in this folder, which must be there, between
  // processes: an engine's second start compiles nothing. Without it the store
  // of SetKVStorageFactory is used, if any.
  GPUContextBuilder& SetStoragePath(const std::string& folder);

  // Files of programs compiled ahead, asked before the kept ones. What another
  // driver or engine made is not found in them.
  GPUContextBuilder& SetOpenCLBinaryPaths(
      const std::vector<std::string>& paths);

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
