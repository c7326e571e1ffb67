// HexagonDevice: runs regions of 8-bit graphs on a DSP.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_DEVICE_HEXAGON_DEVICE_H_
#define MACE_HEXAGON_DEVICE_HEXAGON_DEVICE_H_

#include <atomic>
#include <memory>
#include <vector>

#include "mace/base/cancellation.h"
#include "mace/device/device.h"
#include "mace/hexagon/common/dsp_speed.h"
#include "mace/hexagon/session/session.h"

namespace mace {

// Each region becomes a graph in the DSP, to which its constants are handed
// over once; a run copies the inputs there and the outputs back. Results are
// those of TFLite's integer arithmetic, except that a FullyConnected that
// rounds once may rarely differ by 1 LSB. Kernels share the session, and may
// outlive the device. Development only: apps get NnlibDevice.
//
//   node --Translate--> GraphWriter --Plan--> DspGraph::Create --> kernel
//   (device/translate.h)  (packing/)           (session/)
//
// Not thread-safe, except that several devices may share a session.
class HexagonDevice final : public Device,
                            public RegionKernels,
                            public DeviceActivity {
 public:
  // `host` computes tables of functions of one quantized value (Activation,
  // Unary, ...), so that they are the same bits as on the host; null: the
  // device does not support these ops. `takes_all`: every node that the device
  // supports costs less on it than elsewhere. `fc_rounds_once`: see CpuContext.
  explicit HexagonDevice(std::shared_ptr<hexagon::Session> session,
                         std::unique_ptr<Device> host = nullptr,
                         bool takes_all = false, bool fc_rounds_once = false)
      : session_(std::move(session)),
        host_(std::move(host)),
        takes_all_(takes_all),
        fc_rounds_once_(fc_rounds_once),
        activity_(std::make_shared<Activity>()) {}

  const char* name() const override { return "DSP"; }
  DeviceSpeed speed() const override { return hexagon::DspSpeed(takes_all_); }
  RegionKernels* regions() override { return this; }
  DeviceActivity* activity() override { return this; }

  // Translates without a writer: nothing is packed or sent. Errors: as
  // Translate.
  Result<NodeWork> Supports(const Node& node) override;
  // Errors: as Translate; MACE_OUT_OF_RESOURCES if the region is too large for
  // the DSP; of Session::Call. The kernel keeps copies of all constants.
  Result<KernelPtr> PrepareRegion(const Region& region) override;
  // Counts are packets of the latest run, for which this asks the DSP. There
  // are none before the first run, or if the DSP does not answer. Nodes that
  // are views have 0.
  std::vector<RegionPart> PartsOf(Kernel& kernel) override;
  const char* count_unit() const override { return "packets"; }
  DeviceCounts counts() const override;
  void SetCancellation(const Cancellation* cancellation) override {
    activity_->cancellation = cancellation;
  }

  // What kernels update while they run and the device reads; shared, as they
  // may outlive it. `cancellation` is not owned.
  struct Activity {
    std::atomic<const Cancellation*> cancellation{nullptr};
    std::atomic<int64_t> nodes{0}, runs{0}, bytes_in{0}, bytes_out{0};
  };

 private:
  NodeKernels* host() const {
    return host_ == nullptr ? nullptr : host_->kernels();
  }

  std::shared_ptr<hexagon::Session> session_;
  std::unique_ptr<Device> host_;
  bool takes_all_, fc_rounds_once_;
  std::shared_ptr<Activity> activity_;
};

}  // namespace mace

#endif  // MACE_HEXAGON_DEVICE_HEXAGON_DEVICE_H_
