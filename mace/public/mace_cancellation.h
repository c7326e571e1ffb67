// MaceCancellation: ends runs from another thread.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_CANCELLATION_H_
#define MACE_PUBLIC_MACE_CANCELLATION_H_

#include <atomic>

namespace mace {

// Given to MaceEngine::Run, which then returns MACE_CANCELLED soon after Cancel
// is called. One object may be given to any number of runs, of any engines, in
// turn or at once: Cancel ends all of them. It cannot be undone; make a new
// object for the next run. A run with another object, or without one, is not
// touched. So it does not matter when Cancel is called:
//
//   before the run begins, or while it waits for another run to end
//             it returns MACE_CANCELLED when its turn comes, having computed
//             nothing
//   while it computes
//             it returns MACE_CANCELLED; the outputs hold no result
//   when it has computed the last op
//             it returns what it would have returned
//
// A cancelled run ends between two ops. In a convolution or another long op of
// the CPU it ends earlier, between two parts of the op. On the GPU no further
// kernels are sent to the driver, and those sent before are waited for: at most
// 16 in such a run, or as many as MaceEngineConfig::SetGPULimits says. Making a
// plan, as Run does for inputs of a new shape, is not interrupted. The engine
// stays usable, and what it computes next is right.
//
// Thread-safe. Must outlive the runs that it is given to. Cancel takes no lock
// and allocates nothing, so that it may also be called by a signal handler.
class MaceCancellation {
 public:
  MaceCancellation() : cancelled_(false) {}
  MaceCancellation(const MaceCancellation&) = delete;
  MaceCancellation& operator=(const MaceCancellation&) = delete;

  void Cancel() { cancelled_.store(true, std::memory_order_release); }
  bool is_cancelled() const {
    return cancelled_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<bool> cancelled_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_CANCELLATION_H_
