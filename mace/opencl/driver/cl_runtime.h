// ClRuntime: what all engines of a process share of the GPU.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_CL_RUNTIME_H_
#define MACE_OPENCL_DRIVER_CL_RUNTIME_H_

#include <memory>

#include "mace/opencl/driver/cl_context.h"
#include "mace/opencl/driver/program_pool.h"

namespace mace::opencl {

// Thread-safe.
class ClRuntime {
 public:
  // One of its own, over the functions of `api`, which must outlive it.
  // Errors: as ClContext::Create.
  static Result<std::shared_ptr<ClRuntime>> Create(
      const ClApi& api, const ContextOptions& options);

  // The one that engines share: made by the first that asks, gone with the
  // last. Other hints than those it was made with are ignored, and the log
  // says so. Errors: as SystemClApi and Create.
  static Result<std::shared_ptr<ClRuntime>> Shared(
      const ContextOptions& options);

  const ClContext& context() const { return *context_; }
  ProgramPool& programs() { return *programs_; }

 private:
  ClRuntime() = default;

  std::unique_ptr<ClContext> context_;
  std::unique_ptr<ProgramPool> programs_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_DRIVER_CL_RUNTIME_H_
