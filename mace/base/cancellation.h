// Cancellation: what ends a run, wherever its thread is.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_BASE_CANCELLATION_H_
#define MACE_BASE_CANCELLATION_H_

#include "mace/base/fork.h"
#include "mace/base/status.h"
#include "mace/public/mace_cancellation.h"

namespace mace {

// One of the app's objects. Thread-safe. Nothing is interrupted: what runs for
// long asks now and then, and ends early; outputs then hold no result.
class Cancellation {
 public:
  // `app` must outlive this object.
  explicit Cancellation(const MaceCancellation& app) : app_(&app) {}
  explicit Cancellation(const MaceDeadline& app) : deadline_(&app) {}

  // Stays true once it is.
  bool is_cancelled() const {
    return app_ != nullptr ? app_->is_cancelled() : deadline_->is_cancelled();
  }

  // MACE_CANCELLED, naming what ended the run, if it is cancelled.
  Status Check() const;

  // That of the run of this thread. Null: it cannot be cancelled.
  static const Cancellation* Current();
  // Whether that is cancelled, and the error.
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

// Makes `cancellation`, which may be null, that of this thread while it lives.
class ScopedCancellation {
 public:
  explicit ScopedCancellation(const Cancellation* cancellation);
  ~ScopedCancellation();
  ScopedCancellation(const ScopedCancellation&) = delete;
  ScopedCancellation& operator=(const ScopedCancellation&) = delete;

 private:
  const Cancellation* const outer_;
};

// Locks `mutex`, unless the run of this thread is cancelled before it is free:
// a run that can be cancelled tries again every 200 us, so that it may wait
// longer than others. Errors: MACE_CANCELLED; then it is not locked.
Status LockUnlessCancelled(Mutex* mutex);

}  // namespace mace

#endif  // MACE_BASE_CANCELLATION_H_
