// What plans assume of a Hexagon DSP, whoever computes on it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_COMMON_DSP_SPEED_H_
#define MACE_HEXAGON_COMMON_DSP_SPEED_H_

#include "mace/device/device.h"

namespace mace::hexagon {

// An estimate for SM8150's DSP (v66) at 1.5 GHz with four threads: about a
// third of its peak, and what a call through FastRPC costs (transfer_us). It
// was not measured on a phone. `takes_all`: the planner shall prefer the DSP
// for whatever it can run, so work is nearly free and the fixed costs are none.
inline DeviceSpeed DspSpeed(bool takes_all) {
  DeviceSpeed speed;
  if (takes_all) {
    speed.macs_per_us = speed.bytes_per_us = 1e12;
    return speed;
  }
  speed.macs_per_us = 250000;
  speed.bytes_per_us = 8000;
  speed.launch_us = 1;
  speed.transfer_us = 60;
  speed.transfer_per_us = 8000;
  return speed;
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_COMMON_DSP_SPEED_H_
