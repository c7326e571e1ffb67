// DeviceActivity: the part of a device that counts, and measures, what it does.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_DEVICE_ACTIVITY_H_
#define MACE_DEVICE_DEVICE_ACTIVITY_H_

#include <cstdint>

#include "mace/base/status.h"
#include "mace/base/thread_pool.h"

namespace mace {

// What a device did so far.
struct DeviceCounts {
  int64_t compiled_programs = 0;  // from source, for all engines together
  int64_t loaded_programs = 0;    // from binaries, likewise
  int64_t kernels = 0;            // passes asked for; on a DSP, nodes run
  int64_t enqueues = 0;           // commands sent for them
  int64_t measurements = 0;       // passes run to measure them
  int64_t bytes_from_host = 0;    // copied
  int64_t bytes_to_host = 0;
};

class DeviceActivity {
 public:
  virtual ~DeviceActivity() = default;

  virtual DeviceCounts counts() const = 0;

  // The two calls below are for a device that works in the background.

  // Sets whether kernels measure their own time (Kernel::device_us).
  virtual void SetProfiling(bool /*on*/) {}

  // Waits until everything that kernels have started is done.
  virtual Status Finish() { return Status(); }

  // Once `cancellation` is cancelled, the results of kernels are not needed any
  // more: they may leave out work and return MACE_CANCELLED. Null: they are
  // needed. REQUIRES: no thread is in Kernel::Run.
  virtual void SetCancellation(const Cancellation* /*cancellation*/) {}

  // Called before and after the kernels of a run. `times` belongs to the plan,
  // and outlives the run. EndRun is left out if the run fails.
  virtual void BeginRun(WakeTimes* /*times*/) {}
  virtual void EndRun() {}

  // A run begins soon. Any thread may call it.
  virtual void ExpectRun() {}
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_ACTIVITY_H_
