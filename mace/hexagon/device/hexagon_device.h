// HexagonDevice: runs regions of 8-bit graphs on a DSP.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DEVICE_HEXAGON_DEVICE_H_
#define MACE_HEXAGON_DEVICE_HEXAGON_DEVICE_H_

#include <memory>

#include "mace/device/device.h"
#include "mace/hexagon/session/session.h"

namespace mace {

// Each region becomes a graph in the DSP, to which its constants are handed
// over once. Kernels share the session, and may outlive the device.
class HexagonDevice final : public Device, public RegionKernels {
 public:
  explicit HexagonDevice(std::shared_ptr<hexagon::Session> session)
      : session_(std::move(session)) {}

  const char* name() const override { return "DSP"; }
  DeviceSpeed speed() const override;
  RegionKernels* regions() override { return this; }

  Result<NodeWork> Supports(const Node& node) override;
  Result<KernelPtr> PrepareRegion(const Region& region) override;

 private:
  std::shared_ptr<hexagon::Session> session_;
};

}  // namespace mace

#endif  // MACE_HEXAGON_DEVICE_HEXAGON_DEVICE_H_
