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

// Runs the helper program once for a driver, by its identity (the files of
// `libraries` and of OpenCL's installable drivers, and the system's version),
// which uses the device and compares its numbers with the CPU's. What it found
// is remembered in this process and in `storage` (null: only there). OK: the
// driver may be used, be it that the helper cannot be started, which is logged.
// Errors: MACE_RUNTIME_ERROR, with the driver and what it did: it is denied.
Status CheckDriver(const DriverProbe& probe,
                   std::shared_ptr<KVStorage> storage);

// The identity, for tests.
std::string DriverIdentity(const DriverProbe& probe);

}  // namespace mace

#endif  // MACE_RUNTIME_DEVICES_DRIVER_PROBE_H_
