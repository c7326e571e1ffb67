// Trial: the kernel of one candidate. Trials take turns to find the fastest.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_TRIAL_H_
#define MACE_CPU_TUNING_TRIAL_H_

#include <memory>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Memory that is read in order to evict everything else from the caches.
class ColdCaches {
 public:
  // Makes memory for evicting the second-level cache of each thread. If the
  // last-level cache cannot hold the weights of the network, `weight_bytes`,
  // the memory is as large as they are (up to a limit), because an engine reads
  // all weights before it returns to the same one. Errors:
  // MACE_OUT_OF_RESOURCES.
  static Result<ColdCaches> Create(int64_t weight_bytes,
                                   const CpuContext& context);

  size_t share_bytes() const { return share_bytes_; }  // of a thread
  // The memory that thread `i` reads.
  const char* share(size_t i) const {
    return static_cast<const char*>(buffer_.data()) + i * share_bytes_;
  }

 private:
  AlignedBuffer buffer_;
  size_t share_bytes_ = 0;
};

// The tensors of a node or of fused nodes: activations in memory of their own,
// f32 inputs filled with numbers and all others with zeros, and the constants
// of the nodes.
class TrialTensors {
 public:
  // `cold`, `threads` and the constants of `links` must outlive it. Errors:
  // MACE_OUT_OF_RESOURCES.
  static Result<TrialTensors> Create(const std::vector<FusedNode>& links,
                                     const ColdCaches& cold,
                                     ThreadPool* threads);

  // Returns the arguments of Run without scratch.
  const RunArgs& args() const { return args_; }

  // Puts the caches into the state in which an engine leaves them: the
  // activations have just been written, each thread's share by that thread, and
  // the weights are where ColdCaches leaves them.
  void Refresh();

 private:
  TrialTensors() = default;
  Result<Buffer> Add(const TensorType& type);

  ThreadPool* threads_ = nullptr;
  RunArgs args_;
  std::vector<AlignedBuffer> buffers_;
  std::vector<size_t> inputs_;  // indices of buffers
  AlignedBuffer numbers_;       // copied to the inputs
  const ColdCaches* cold_ = nullptr;
};

// A kernel that owns its memory and packed weights.
class Trial {
 public:
  // Prepares the kernel that the plan asks for. If the plan says never to fuse
  // several nodes, prepares a kernel that runs the first node alone and then
  // the others, fused where the cost model would. `tensors` must outlive the
  // trial. Errors: as PrepareLinks, and MACE_OUT_OF_RESOURCES.
  static Result<Trial> Create(const std::vector<FusedNode>& links,
                              const StepPlan& plan, const CpuContext& context,
                              const TrialTensors& tensors);

  const StepPlan& plan() const { return plan_; }
  const Kernel& kernel() const { return *kernel_; }

  // Forgets the times measured so far.
  void Restart() { nanos_.clear(); }
  // Runs the kernel once with cold caches, and records the time.
  Status RunOnce(TrialTensors& tensors);
  bool has_run() const { return !nanos_.empty(); }
  double least() const;  // nanoseconds; REQUIRES: has_run()
  double median() const;
  // Returns whether both the least and the median time are lower than those of
  // `other` by a margin that exceeds noise. REQUIRES: both have run.
  bool Beats(const Trial& other) const;

 private:
  Trial() = default;

  StepPlan plan_;
  std::unique_ptr<PackedWeights> packed_;
  KernelPtr kernel_;
  AlignedBuffer scratch_;
  RunArgs args_;
  std::vector<double> nanos_;
};

}  // namespace mace::cpu

#endif  // MACE_CPU_TUNING_TRIAL_H_
