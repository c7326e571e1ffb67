// The speed that plans assume for a Hexagon DSP, with MACE's or the vendor's
// executor.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_COMMON_DSP_SPEED_H_
#define MACE_HEXAGON_COMMON_DSP_SPEED_H_

#include "mace/device/device.h"

namespace mace::hexagon {

// An estimate for SM8150's DSP (v66) at 1.5 GHz with four threads: about a
// third of its peak, and what a call through FastRPC costs (transfer_us). It
// was not measured on a phone. `takes_all`: makes the planner prefer the DSP
// for whatever it can run, with work that is nearly free and no fixed costs.
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
