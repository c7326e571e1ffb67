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
// dimension, and the grid is rounded up to multiples of `local`; kernels leave
// out positions beyond it.
//
//   grid 10 x 5, local 4 x 2: rounded up to 12 x 6; piece 8 x 4:
//
//     +---------+----+
//     |  8 x 4  | 4  |    four commands, of 2 x 2, 1 x 2, 2 x 1 and 1 x 1
//     |         |x 4 |    groups
//     +---------+----+
//     |  8 x 2  |4x2 |
//     +---------+----+
//
// Pieces let a screen that the same GPU draws get its turn between two
// commands.
struct LaunchShape {
  Grid local = {1, 1, 1};
  Grid piece = {1, 1, 1};

  // All positions in one command.
  static LaunchShape Whole(const Grid& grid, const Grid& local) {
    return {local, RoundUp(grid, local)};
  }
};

// Made by OpenclContext::MakeKernel. Not thread-safe: arguments are part of the
// kernel object, so an engine's queue is its only user. Keeps the program, its
// constants and the counter alive.
class Launch {
 public:
  // `program` is the program of the pass. `violations`, or null, is the buffer
  // in which the kernels of a checked build count accesses outside of their
  // images.
  Launch(Pass pass, std::shared_ptr<Program> program, SharedMem violations)
      : pass_(std::move(pass)),
        program_(std::move(program)),
        violations_(std::move(violations)) {}

  // Creates the kernel, chooses a group size for its grid and binds the
  // arguments that are the same in every run. Does nothing if there is a
  // kernel. REQUIRES: the program is built. Errors: those of the driver;
  // MACE_RUNTIME_ERROR if a group cannot hold a team.
  Status Finish(const ClContext& context);

  // Starts the pass without waiting for it; a checked build waits. `args` has a
  // handle for each Input, Output and Scratch of the pass, a cl_mem, which must
  // live until the queue has finished. REQUIRES: Finish succeeded. Errors:
  // those of the driver; MACE_CANCELLED; MACE_INTERNAL_ERROR in a checked build
  // if the kernel accessed anything outside of its images.
  Status Run(Queue& queue, const RunArgs& args);

  // Microseconds that the device took for the latest Run, which had profiling
  // on and has finished; negative if there are no times.
  double MeasuredMicros(const ClApi& api) const;
  // The same for each command of that Run; empty if there are no times.
  std::vector<double> PieceMicros(const ClApi& api) const;

  const Pass& pass() const { return pass_; }
  const Program& program() const { return *program_; }
  size_t max_items() const { return max_items_; }  // in a group
  const LaunchShape& shape() const { return shape_; }
  // REQUIRES: the group has at most max_items items, which are its positions
  // (shape.local) times pass().team.
  void SetShape(const LaunchShape& shape) { shape_ = shape; }

 private:
  Status SetArg(const ClApi& api, cl_uint index, size_t size,
                const void* value) const;
  // Arguments of a kernel: the counter of violations in a checked build, three
  // extents of the grid, then pass_.args. BindConstants sets those that stay,
  // BindImages those of a run.
  Status BindConstants(const ClApi& api);
  Status BindImages(const ClApi& api, const RunArgs& args) const;
  Status EnqueuePieces(Queue& queue);
  // Waits, reads the counter and sets it back to 0.
  Status CountViolations(Queue& queue) const;
  // Adds the names of the kernel and its file.
  Status Failed(const Status& status) const;

  Pass pass_;
  std::shared_ptr<Program> program_;
  SharedMem violations_;
  ClKernelHandle kernel_;
  size_t max_items_ = 1;
  LaunchShape shape_;
  cl_uint first_arg_ = 0;  // index of the first one that the pass describes
  // Of the commands of the latest Run; empty without profiling.
  std::vector<ClEvent> events_;
};

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_LAUNCH_H_
