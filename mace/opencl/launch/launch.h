// Launch: a pass compiled, with its arguments bound and its groups chosen.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_LAUNCH_LAUNCH_H_
#define MACE_OPENCL_LAUNCH_LAUNCH_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/device/kernel.h"
#include "mace/opencl/launch/pass.h"
#include "mace/opencl/launch/queue.h"

namespace mace::opencl {

// How a pass is started: in groups of `local` items, by commands of at most
// `piece` items, a multiple of `local` along each dimension.
struct LaunchShape {
  Grid local = {1, 1, 1};
  Grid piece = {1, 1, 1};

  // All in one command.
  static LaunchShape Whole(const Grid& grid, const Grid& local) {
    return {local, RoundUp(grid, local)};
  }
};

class Launch {
 public:
  // `program` is that of the pass. `violations`: the buffer in which kernels of
  // a checked build count accesses outside of their images, or null.
  Launch(Pass pass, std::shared_ptr<Program> program, SharedMem violations)
      : pass_(std::move(pass)),
        program_(std::move(program)),
        violations_(std::move(violations)) {}

  // Makes the kernel, in groups of a size that suits its grid. REQUIRES: the
  // program is built.
  Status Finish(const ClContext& context);

  // Starts the pass without waiting. REQUIRES: Finish. Errors: of the driver;
  // MACE_INTERNAL_ERROR in a checked build for a kernel that left its images.
  Status Run(Queue& queue, const RunArgs& args);

  // Time of the latest Run with profiling, below 0 if there was none.
  double MeasuredMicros(const ClApi& api) const;
  // The same for each of its commands; empty if there was none.
  std::vector<double> PieceMicros(const ClApi& api) const;

  const Pass& pass() const { return pass_; }
  const Program& program() const { return *program_; }
  size_t max_items() const { return max_items_; }  // of a group
  const LaunchShape& shape() const { return shape_; }
  // REQUIRES: the group is within max_items.
  void SetShape(const LaunchShape& shape) { shape_ = shape; }

 private:
  Status SetArg(const ClApi& api, cl_uint index, size_t size,
                const void* value) const;
  Status BindConstants(const ClApi& api);
  Status BindImages(const ClApi& api, const RunArgs& args) const;
  Status EnqueuePieces(Queue& queue);
  Status CountViolations(Queue& queue) const;
  Status Failed(const Status& status) const;

  Pass pass_;
  std::shared_ptr<Program> program_;
  SharedMem violations_;
  ClKernelHandle kernel_;
  size_t max_items_ = 1;
  LaunchShape shape_;
  cl_uint first_arg_ = 0;  // of those that the pass describes
  std::vector<ClEvent> events_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_LAUNCH_H_
