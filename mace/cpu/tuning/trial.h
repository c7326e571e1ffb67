// Trial: the kernel of one candidate; they run in turns to find the fastest.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_TUNING_TRIAL_H_
#define MACE_CPU_TUNING_TRIAL_H_

#include <memory>
#include <vector>

#include "mace/base/aligned_buffer.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/device/device.h"

namespace mace::cpu {

// Memory that is read to put everything else out of the caches.
class ColdCaches {
 public:
  // For each thread its second-level cache. As much as the weights of a network
  // if the last level does not hold them: an engine reads all of them before it
  // comes back to one.
  // Errors: MACE_OUT_OF_RESOURCES.
  static Result<ColdCaches> Create(int64_t weight_bytes,
                                   const CpuContext& context);

  size_t share_bytes() const { return share_bytes_; }  // of a thread
  const char* share(size_t i) const {
    return static_cast<const char*>(buffer_.data()) + i * share_bytes_;
  }

 private:
  AlignedBuffer buffer_;
  size_t share_bytes_ = 0;
};

// The tensors of a node or chain: activations of memory of their own with
// numbers in it, constants as the nodes have them.
class TrialTensors {
 public:
  // `links` and `cold` must outlive it. Errors: MACE_OUT_OF_RESOURCES.
  static Result<TrialTensors> Create(const std::vector<FusedNode>& links,
                                     const ColdCaches& cold,
                                     ThreadPool* threads);

  // As a plan would bind them, but for scratch.
  const RunArgs& args() const { return args_; }

  // Leaves the caches as an engine does: the activations just written, each
  // thread its share, the weights where ColdCaches leaves them.
  void Refresh();

 private:
  TrialTensors() = default;
  Result<Buffer> Add(const TensorType& type);

  ThreadPool* threads_ = nullptr;
  RunArgs args_;
  std::vector<AlignedBuffer> buffers_;
  std::vector<size_t> inputs_;  // of the buffers
  AlignedBuffer numbers_;       // what the inputs hold
  const ColdCaches* cold_ = nullptr;
};

// A kernel with memory and packed weights of its own, which go with it.
class Trial {
 public:
  // Prepares the kernel that the plan asks for, of the nodes one by one, as the
  // cost model has them, where they are never to be fused.
  // Errors: as PrepareLinks, MACE_OUT_OF_RESOURCES.
  static Result<Trial> Create(const std::vector<FusedNode>& links,
                              const StepPlan& plan, const CpuContext& context,
                              const TrialTensors& tensors);

  const StepPlan& plan() const { return plan_; }
  const Kernel& kernel() const { return *kernel_; }

  // Forgets the times measured so far.
  void Restart() { nanos_.clear(); }
  Status RunOnce(TrialTensors& tensors);
  bool has_run() const { return !nanos_.empty(); }
  double least() const;  // nanoseconds, of at least one run
  double median() const;
  // Faster than `other` by a margin, at its best and as a rule.
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
