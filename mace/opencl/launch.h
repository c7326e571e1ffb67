// Launch: a pass compiled, with its arguments bound and its groups chosen.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_H_
#define MACE_OPENCL_LAUNCH_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/device/kernel.h"
#include "mace/opencl/pass.h"
#include "mace/opencl/queue.h"

namespace mace::opencl {

class Launch {
 public:
  // `program` is that of the pass. `violations`: the buffer in which kernels of
  // a checked build count accesses outside of their images, or null.
  Launch(Pass pass, std::shared_ptr<Program> program, SharedMem violations)
      : pass_(std::move(pass)),
        program_(std::move(program)),
        violations_(std::move(violations)) {}

  // Makes the kernel. REQUIRES: the program is built.
  Status Finish(const ClContext& context);

  // Starts the pass without waiting. REQUIRES: Finish. Errors: of the driver;
  // MACE_INTERNAL_ERROR in a checked build for a kernel that left its images.
  Status Run(Queue& queue, const RunArgs& args);

  // Time of the latest Run with profiling, below 0 if there was none.
  double MeasuredMicros(const ClApi& api) const;

 private:
  Status SetArg(const ClApi& api, cl_uint index, size_t size,
                const void* value) const;
  Status BindConstants(const ClApi& api);
  Status BindImages(const ClApi& api, const RunArgs& args) const;
  Status CountViolations(Queue& queue) const;
  Status Failed(const Status& status) const;

  Pass pass_;
  std::shared_ptr<Program> program_;
  SharedMem violations_;
  ClKernelHandle kernel_;
  Grid local_ = {1, 1, 1};
  cl_uint first_arg_ = 0;  // of those that the pass describes
  ClEvent event_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_H_
