// MaceCancellation and MaceDeadline: end runs from another thread, or in time.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_PUBLIC_MACE_CANCELLATION_H_
#define MACE_PUBLIC_MACE_CANCELLATION_H_

#include <atomic>
#include <chrono>
#include <cstdint>

namespace mace {

// Given to MaceEngine::Run, which then returns MACE_CANCELLED soon after Cancel
// is called. One object may be given to any number of runs, of any engines, in
// turn or at once: Cancel ends all of them. It cannot be undone; make a new
// object for the next run. A run with another object, or without one, is not
// touched. So it does not matter when Cancel is called:
//
//   before the run begins, or while it waits for another run to end
//             it returns MACE_CANCELLED, having computed nothing
//   while it computes
//             it returns MACE_CANCELLED; the outputs hold no result
//   when it has computed the last op
//             it returns what it would have returned
//
// A cancelled run ends between two ops. In a convolution or another long op of
// the CPU it ends earlier, between two parts of the op; a custom op is not
// interrupted. On the GPU no further kernels are sent to the driver, and the
// run waits for those sent before: at most 16 in such a run, or the
// `queue_window` of MaceEngineConfig::SetGPULimits. While Run makes a plan, as
// it does for inputs of a new shape and in control flow, it ends between two
// nodes. The engine stays usable, and what it computes next is right.
//
// Thread-safe. Must outlive the runs that it is given to. Cancel takes no lock
// and allocates nothing, so that a signal handler may also call it.
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

// A MaceCancellation with a deadline: when the time given to Set has passed, it
// ends the runs that it is given to, as Cancel does, and those that begin
// later. Their message names the deadline. A run looks at the time where it
// looks for Cancel, so that it may go on after the deadline for as long as a
// part of an op takes, and on the GPU for as long as the kernels sent before.
//
//   MaceDeadline deadline(20000);  // 20 ms from now on
//   status = engine->Run(inputs, &outputs, deadline);
//   if (status == MaceStatus::MACE_CANCELLED) UseTheFrameBefore();
//
// A deadline that has passed cannot be moved any more; make a new object for
// the next run. Time is that of std::chrono::steady_clock. Thread-safe. Must
// outlive the runs that it is given to.
class MaceDeadline {
 public:
  // There is no deadline until Set is called.
  MaceDeadline() : passed_(false), nanos_(kNone), micros_(0) {}
  explicit MaceDeadline(int64_t micros) : MaceDeadline() { Set(micros); }
  MaceDeadline(const MaceDeadline&) = delete;
  MaceDeadline& operator=(const MaceDeadline&) = delete;

  // Sets the deadline to `micros` microseconds from now; 0 or less: it has
  // passed. A later call replaces the deadline, unless a run or has_passed has
  // seen it pass.
  void Set(int64_t micros) {
    const int64_t now = Now();
    micros_.store(micros, std::memory_order_relaxed);
    nanos_.store(micros >= (kNone - now) / 1000
                     ? kNone
                     : now + (micros < 0 ? 0 : micros) * 1000,
                 std::memory_order_release);
  }
  // Ends the runs now.
  void Cancel() { cancellation_.Cancel(); }

  bool is_cancelled() const {
    return cancellation_.is_cancelled() || has_passed();
  }
  // Whether the deadline has passed. Stays true once it was true.
  bool has_passed() const {
    if (passed_.load(std::memory_order_acquire)) return true;
    const int64_t nanos = nanos_.load(std::memory_order_acquire);
    if (nanos == kNone || Now() < nanos) return false;
    passed_.store(true, std::memory_order_release);
    return true;
  }
  // What Set was given last; 0 if it was not called.
  int64_t micros() const { return micros_.load(std::memory_order_relaxed); }

 private:
  static constexpr int64_t kNone = INT64_MAX;

  static int64_t Now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  MaceCancellation cancellation_;
  mutable std::atomic<bool> passed_;
  std::atomic<int64_t> nanos_;  // of steady_clock; kNone: there is no deadline
  std::atomic<int64_t> micros_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_CANCELLATION_H_
