// NnlibDevice: runs regions of 8-bit graphs with the vendor's hexagon_nn.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_HEXAGON_NNLIB_NNLIB_DEVICE_H_
#define MACE_HEXAGON_NNLIB_NNLIB_DEVICE_H_

#include <atomic>
#include <memory>
#include <vector>

#include "mace/device/device.h"
#include "mace/hexagon/common/dsp_speed.h"
#include "mace/hexagon/nnlib/library.h"

namespace mace {

// Has the interfaces of HexagonDevice, with the vendor's executor instead of
// MACE's: each region becomes a graph of hexagon_nn. A run copies inputs and
// outputs, and moves int8 to uint8 and back. Results are those of hexagon_nn's
// arithmetic, which may differ from the CPU's by 1 or 2 LSB in each node
// (docs/dsp.md). Kernels share the library, and may outlive the device. A run
// cannot be cancelled. Not thread-safe.
//
//   node --Translate--> GraphBuilder --Graph::Create--> kernel
class NnlibDevice final : public Device,
                          public RegionKernels,
                          public DeviceActivity {
 public:
  // `takes_all`: every node that the device supports costs less on it than
  // elsewhere. `graph_mode`: of hexagon_nn_set_graph_mode; 0: the library's.
  NnlibDevice(std::shared_ptr<hexagon::nnlib::Library> library, bool takes_all,
              int graph_mode)
      : library_(std::move(library)),
        takes_all_(takes_all),
        graph_mode_(graph_mode),
        activity_(std::make_shared<Activity>()) {}

  const char* name() const override { return "DSP"; }
  DeviceSpeed speed() const override { return hexagon::DspSpeed(takes_all_); }
  RegionKernels* regions() override { return this; }
  DeviceActivity* activity() override { return this; }

  // Translates without a graph. Errors: as nnlib::Translate.
  Result<NodeWork> Supports(const Node& node) override;
  // Errors: as nnlib::Translate and nnlib::Graph::Create. If a graph cannot be
  // prepared, the process can use the library no more: kernels that exist fail,
  // too.
  Result<KernelPtr> PrepareRegion(const Region& region) override;
  // Counts are averages over all runs, in microseconds; none before the first
  // run or if the library cannot measure. A fused operation counts with the
  // node of its last one.
  std::vector<RegionPart> PartsOf(Kernel& kernel) override;
  const char* count_unit() const override { return "us"; }
  DeviceCounts counts() const override;

  // What kernels add up while they run; shared, as they may outlive the device.
  struct Activity {
    std::atomic<int64_t> nodes{0}, runs{0}, bytes_in{0}, bytes_out{0};
  };

 private:
  std::shared_ptr<hexagon::nnlib::Library> library_;
  bool takes_all_;
  int graph_mode_;
  std::shared_ptr<Activity> activity_;
};

}  // namespace mace

#endif  // MACE_HEXAGON_NNLIB_NNLIB_DEVICE_H_
