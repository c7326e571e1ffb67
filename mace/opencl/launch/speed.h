// How fast GPUs are taken to be when kernels and devices are chosen.
// SPDX-License-Identifier: Apache-2.0
//
// Used where nodes are described, when nothing is compiled yet that could be
// measured. The tuner measures later, and only how a chosen kernel is started.
#ifndef MACE_OPENCL_LAUNCH_SPEED_H_
#define MACE_OPENCL_LAUNCH_SPEED_H_

#include "mace/device/device.h"

namespace mace::opencl {

// Estimates for a mid-range phone: eight times the arithmetic and twice the
// bandwidth of its CPU, and some microseconds for every kernel and every
// transfer.
inline DeviceSpeed GpuSpeed() {
  DeviceSpeed speed;
  speed.macs_per_us = 160000;
  speed.bytes_per_us = 12000;
  speed.launch_us = 10;
  speed.transfer_us = 60;
  speed.transfer_per_us = 4000;
  return speed;
}

// Estimates the microseconds of `launches` kernels that together do `macs`
// multiply-adds and read and write `bytes` bytes. Only comparisons between ways
// to compute one node mean something.
inline double GpuMicros(int launches, double macs, double bytes) {
  const DeviceSpeed speed = GpuSpeed();
  return launches * speed.launch_us + macs / speed.macs_per_us +
         bytes / speed.bytes_per_us;
}

}  // namespace mace::opencl

#endif  // MACE_OPENCL_LAUNCH_SPEED_H_
