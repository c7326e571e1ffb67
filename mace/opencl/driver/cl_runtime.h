// ClRuntime: the parts of the GPU that all engines of a process share.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_DRIVER_CL_RUNTIME_H_
#define MACE_OPENCL_DRIVER_CL_RUNTIME_H_

#include <memory>

#include "mace/opencl/driver/cl_context.h"
#include "mace/opencl/driver/program_pool.h"

namespace mace::opencl {

// Thread-safe. Freed with its last user; programs go before the context.
class ClRuntime {
 public:
  // Creates a runtime that is not shared. `api` must outlive it. Errors: as
  // ClContext::Create.
  static Result<std::shared_ptr<ClRuntime>> Create(
      const ClApi& api, const ContextOptions& options);

  // Returns the runtime that engines share: the first caller creates it, and it
  // is destroyed with its last user. If it exists, only the context of
  // `options` is looked at, and the log tells if its hints were others. Errors:
  // as SystemClApi and Create; MACE_INVALID_ARGS if `options` has a context
  // which is not that of the existing runtime; MACE_UNSUPPORTED in a fork of a
  // process that called it, as drivers do not work in both.
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
