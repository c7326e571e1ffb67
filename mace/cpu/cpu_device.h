// CpuDevice: runs nodes on the CPU, with its own pool of threads.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_CPU_DEVICE_H_
#define MACE_CPU_CPU_DEVICE_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mace/base/cpu_topology.h"
#include "mace/cpu/common/cpu_context.h"
#include "mace/cpu/tuning/tuner.h"
#include "mace/device/device.h"

namespace mace {

struct CpuOptions {
  int num_threads = 1;
  CpuFeatures features = DetectCpuFeatures();
  bool reference = false;  // see CpuContext
  // The largest output tile of Winograd convolutions: 2, 4 or 6; 1: none; 0:
  // none, and no Strassen's method either. Larger tiles are faster and less
  // exact; see winograd_f32_points.h.
  int max_winograd = 4;
  bool fc_rounds_once = false;  // see CpuContext
  cpu::TunerOptions tuner = {};
  cpu::CacheSizes caches = cpu::DetectCacheSizes();
  // Names of nodes that compute in f32 where others would compute in f16.
  std::set<std::string> float32_nodes = {};
  WorkerCores cores = {};
};

// Prepares nodes by the kernels of common/kernel_table.h, fused/chain_table.h
// and custom_kernel.h; the tuner, if there is one, measures which plan is best.
// Not thread-safe: each engine has its own.
class CpuDevice final : public Device,
                        public NodeKernels,
                        public DeviceTuning,
                        public DeviceActivity {
 public:
  // Starts the pool of threads. `packed` may be shared with other devices, also
  // of other engines. Kernels must not outlive the device. REQUIRES: `packed`
  // is not null; the number of threads is one that ThreadPool::Create takes.
  // Errors: MACE_OUT_OF_RESOURCES.
  static Result<std::unique_ptr<CpuDevice>> Create(
      const CpuOptions& options, std::shared_ptr<PackedWeights> packed);

  // Names the processor and its instruction sets.
  static std::string Identity();
  // Returns the largest max_winograd that has an effect; 1 if this library has
  // no Winograd kernels.
  static int LargestWinograd();

  const char* name() const override { return "CPU"; }
  DeviceSpeed speed() const override;
  NodeKernels* kernels() override { return this; }
  DeviceTuning* tuning() override { return this; }
  DeviceActivity* activity() override { return this; }

  Result<NodeWork> Supports(const Node& node) override;
  Result<KernelPtr> Prepare(const Node& node) override;
  bool TakesFp16(const Node& node, size_t i) const override;
  bool ComputesFp16(const Node& node) const override;
  Result<KernelPtr> PrepareFused(const std::vector<FusedNode>& nodes) override;
  using DeviceTuning::DryRun;
  Status TunePlan(const DryRun& dry_run) override;
  std::string DumpTuning() const override;
  DeviceCounts counts() const override;
  void SetCancellation(const Cancellation* cancellation) override {
    threads_->SetCancellation(cancellation);
  }
  void BeginRun(WakeTimes* times) override { threads_->BeginRun(times); }
  void EndRun() override { threads_->EndRun(); }
  void ExpectRun() override { threads_->Wake(); }

 private:
  CpuDevice() = default;

  bool tunes() const { return tuner_ != nullptr; }

  std::unique_ptr<ThreadPool> threads_;
  std::shared_ptr<PackedWeights> packed_;
  CpuContext context_;
  PackedWeights unread_;               // for Supports: packs nothing
  std::unique_ptr<cpu::Tuner> tuner_;  // null: the cost model chooses
  std::set<std::string> float32_nodes_;
};

}  // namespace mace

#endif  // MACE_CPU_CPU_DEVICE_H_
