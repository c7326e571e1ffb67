// DeviceTuning: the part of a device that measures how its kernels run best.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_DEVICE_DEVICE_TUNING_H_
#define MACE_DEVICE_DEVICE_TUNING_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/device/kernel.h"

namespace mace {

// A kernel as it will run: its device's images are bound, and what the caller
// gives at each Run is not.
struct BoundKernel {
  Kernel* kernel = nullptr;
  const RunArgs* args = nullptr;
};

// A device implements the one of the two calls that suits it.
class DeviceTuning {
 public:
  virtual ~DeviceTuning() = default;

  // Measures before the plan is made that will run. Each call of `dry_run`
  // makes a plan that does not run, through Prepare and PrepareFused; its nodes
  // and what they point to live as long as the result of the call. Errors:
  // MACE_OUT_OF_RESOURCES; those of `dry_run` and of kernels.
  using DryRun = std::function<Result<std::shared_ptr<const void>>()>;
  virtual Status TunePlan(const DryRun& /*dry_run*/) { return Status(); }

  // Lets kernels of this device choose among their variants, by what was
  // measured before or, within the device's time budget, by measuring now.
  // Measuring overwrites their outputs. Errors: of a driver; MACE_CANCELLED.
  virtual Status Tune(const std::vector<BoundKernel>& /*kernels*/) {
    return Status();
  }

  // Returns the results as text for people, a line for each kernel with one;
  // empty if there are none.
  virtual std::string DumpTuning() const = 0;
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_TUNING_H_
