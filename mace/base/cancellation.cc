// What ends a run, and waiting for locks until it does.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/cancellation.h"

#include <chrono>
#include <thread>

#include "mace/base/memory_reserve.h"
#include "mace/base/str_cat.h"

namespace mace {
namespace {

thread_local const Cancellation* current_cancellation = nullptr;

// How often a run that waits for another one looks at its cancellation.
constexpr auto kLockPause = std::chrono::microseconds(200);

}  // namespace

Status Cancellation::Check() const {
  if (!is_cancelled()) return Status();
  if (deadline_ == nullptr || !deadline_->has_passed()) {
    return Cancelled(
        "the run was cancelled by its MaceCancellation; the outputs hold no "
        "result");
  }
  return Cancelled("the run did not end before its deadline, which was ",
                   deadline_->micros(),
                   " us after it was set; the outputs hold no result");
}

Status Cancellation::CheckPlan() {
  MACE_RETURN_IF_ERROR(FillMemoryReserve());
  return CheckCurrent();
}

const Cancellation* Cancellation::Current() { return current_cancellation; }

ScopedCancellation::ScopedCancellation(const Cancellation* cancellation)
    : outer_(current_cancellation) {
  current_cancellation = cancellation;
}

ScopedCancellation::~ScopedCancellation() { current_cancellation = outer_; }

Status LockUnlessCancelled(Mutex* mutex) {
  if (Cancellation::Current() == nullptr) {
    mutex->lock();
    return Status();
  }
  while (!mutex->try_lock()) {
    MACE_RETURN_IF_ERROR(Cancellation::CheckCurrent());
    const AllowFork waiting;
    std::this_thread::sleep_for(kLockPause);
  }
  return Status();
}

}  // namespace mace
