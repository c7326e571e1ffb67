// Cancellation: what ends a run, wherever its thread is.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_CANCELLATION_H_
#define MACE_BASE_CANCELLATION_H_

#include "mace/base/fork.h"
#include "mace/base/status.h"
#include "mace/public/mace_cancellation.h"

namespace mace {

// Refers to a MaceCancellation or a MaceDeadline of the app. Thread-safe.
// Interrupts nothing: long computations ask is_cancelled() now and then and end
// early; outputs then hold no result.
class Cancellation {
 public:
  // `app` must outlive this object.
  explicit Cancellation(const MaceCancellation& app) : app_(&app) {}
  explicit Cancellation(const MaceDeadline& app) : deadline_(&app) {}

  // Once true, stays true.
  bool is_cancelled() const {
    return app_ != nullptr ? app_->is_cancelled() : deadline_->is_cancelled();
  }

  // Returns MACE_CANCELLED, with what ended the run, if is_cancelled(); else
  // success.
  Status Check() const;

  // Returns the Cancellation of this thread's run (ScopedCancellation); null if
  // the run cannot be cancelled.
  static const Cancellation* Current();
  // is_cancelled() and Check() of Current(); false and success if it is null.
  static bool CurrentIsCancelled() {
    const Cancellation* const current = Current();
    return current != nullptr && current->is_cancelled();
  }
  static Status CheckCurrent() {
    const Cancellation* const current = Current();
    return current == nullptr ? Status() : current->Check();
  }
  // Fills the memory reserve, then as CheckCurrent. To be called between the
  // stages of a plan. Errors: MACE_CANCELLED; MACE_OUT_OF_RESOURCES.
  static Status CheckPlan();

 private:
  const MaceCancellation* app_ = nullptr;
  const MaceDeadline* deadline_ = nullptr;
};

// Makes `cancellation`, which may be null, the current one of this thread until
// this object is destroyed. REQUIRES: it is destroyed on the same thread.
class ScopedCancellation {
 public:
  explicit ScopedCancellation(const Cancellation* cancellation);
  ~ScopedCancellation();
  ScopedCancellation(const ScopedCancellation&) = delete;
  ScopedCancellation& operator=(const ScopedCancellation&) = delete;

 private:
  const Cancellation* const outer_;
};

// Locks `mutex`, unless the run of this thread is cancelled while the mutex is
// taken. A run that can be cancelled tries again every 200 us, so that it may
// wait longer than others. Errors: MACE_CANCELLED; `mutex` is then not locked.
Status LockUnlessCancelled(Mutex* mutex);

}  // namespace mace

#endif  // MACE_BASE_CANCELLATION_H_
