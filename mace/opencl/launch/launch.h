// Launch: a compiled pass with its arguments and its work-group size.
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

// How a pass is started: in work groups of `local` positions, and in commands
// of at most `piece` positions. `piece` is a multiple of `local` in each
// dimension.
struct LaunchShape {
  Grid local = {1, 1, 1};
  Grid piece = {1, 1, 1};

  // All positions in one command.
  static LaunchShape Whole(const Grid& grid, const Grid& local) {
    return {local, RoundUp(grid, local)};
  }
};

class Launch {
 public:
  // `program` is the program of the pass. `violations`, or null, is the buffer
  // in which the kernels of a checked build count accesses outside of their
  // images.
  Launch(Pass pass, std::shared_ptr<Program> program, SharedMem violations)
      : pass_(std::move(pass)),
        program_(std::move(program)),
        violations_(std::move(violations)) {}

  // Creates the kernel and chooses a group size for its grid. REQUIRES: the
  // program is built. Errors: those of the driver.
  Status Finish(const ClContext& context);

  // Starts the pass without waiting for it. REQUIRES: Finish succeeded. Errors:
  // those of the driver; MACE_INTERNAL_ERROR in a checked build if the kernel
  // accessed anything outside of its images.
  Status Run(Queue& queue, const RunArgs& args);

  // Microseconds of the latest Run with profiling; negative if there was none.
  double MeasuredMicros(const ClApi& api) const;
  // The same for each command of that Run; empty if there was none.
  std::vector<double> PieceMicros(const ClApi& api) const;

  const Pass& pass() const { return pass_; }
  const Program& program() const { return *program_; }
  size_t max_items() const { return max_items_; }  // in a group
  const LaunchShape& shape() const { return shape_; }
  // REQUIRES: the group has at most max_items, counting each of its teams.
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
  cl_uint first_arg_ = 0;  // index of the first one that the pass describes
  std::vector<ClEvent> events_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_LAUNCH_H_
