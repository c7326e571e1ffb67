// Whether the driver of a device may be used: tried in a process of its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_RUNTIME_DEVICES_DRIVER_PROBE_H_
#define MACE_RUNTIME_DEVICES_DRIVER_PROBE_H_

#include <memory>
#include <string>
#include <vector>

#include "mace/base/status.h"
#include "mace/public/mace_runtime.h"

namespace mace {

struct DriverProbe {
  std::string program;  // the helper; empty: drivers are not probed
  int timeout_ms = 0;
  const char* device = "";             // "gpu" or "dsp"
  std::vector<std::string> libraries;  // in which the driver is looked up
};

// Runs the helper program, which uses the device and compares its numbers with
// the CPU's, once for each driver: drivers are told apart by their identity
// (the files of `libraries` and of OpenCL's installable drivers, and the
// versions of the system and of MACE). The result is remembered in this process
// and in `storage` (null: only in this process). OK: the driver may be used,
// also without a test if the helper cannot run here (logged, and remembered
// only in this process), or `probe` names none. Errors: MACE_RUNTIME_ERROR,
// with the driver and what it did: it must not be used.
Status CheckDriver(const DriverProbe& probe,
                   std::shared_ptr<KVStorage> storage);

// Returns the identity of a driver. For tests.
std::string DriverIdentity(const DriverProbe& probe);

}  // namespace mace

#endif  // MACE_RUNTIME_DEVICES_DRIVER_PROBE_H_
