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

  // Measures before the plan is made that will run. `dry_run` makes another
  // one, through Prepare and PrepareFused; what its nodes point to lives as
  // long as its result. Errors: MACE_OUT_OF_RESOURCES, those of `dry_run`.
  using DryRun = std::function<Result<std::shared_ptr<const void>>()>;
  virtual Status TunePlan(const DryRun& /*dry_run*/) { return Status(); }

  // Lets kernels of this device choose among their variants, by what was
  // measured before or, within its budget, by measuring now.
  virtual Status Tune(const std::vector<BoundKernel>& /*kernels*/) {
    return Status();
  }

  // What was found, a line for each kernel; for people.
  virtual std::string DumpTuning() const = 0;
};

}  // namespace mace

#endif  // MACE_DEVICE_DEVICE_TUNING_H_
