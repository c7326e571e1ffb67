// OpenclDevice: runs nodes on a GPU, with activations in 2-D images.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_OPENCL_DEVICE_H_
#define MACE_OPENCL_OPENCL_DEVICE_H_

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "mace/device/device.h"
#include "mace/opencl/driver/binary_cache.h"
#include "mace/opencl/launch/opencl_context.h"

namespace mace {

struct OpenclOptions {
  bool fp16 = true;  // type of activations and weights; else float
  // Nodes whose outputs, weights and scratch images are float even so.
  std::set<std::string> float32_nodes;
  // Constants on the device that all engines of a model share; null: this
  // engine only.
  std::shared_ptr<DeviceWeights> weights;
#ifdef NDEBUG
  bool checked = false;  // kernels check their accesses to images
#else
  bool checked = true;
#endif
  int max_winograd = 0;  // largest tile of Winograd convolutions: 0, 2, 4
  // How many work items a kernel should have: where a grid has fewer positions,
  // several items compute each. Negative: as many as the device can run at a
  // time.
  int64_t wanted_items = -1;
  opencl::BuildOptions build;  // `store` is ignored
  // Where compiled programs and tuning results are looked for first, and where
  // they are stored; may be empty and null.
  std::vector<std::shared_ptr<KVStorage>> precompiled;
  std::shared_ptr<KVStorage> storage;
  // Where tuning results are stored instead; may be null.
  std::shared_ptr<KVStorage> tuning_storage;
  opencl::TunerOptions tuner;
  int queue_window = 0;  // most kernels in flight; 0: no limit
};

// Not thread-safe: each engine has its own.
class OpenclDevice final : public Device,
                           public NodeKernels,
                           public DeviceStorage,
                           public DeviceTuning,
                           public DeviceActivity {
 public:
  // Uses the GPU that the engines of this process share. Errors:
  // MACE_UNSUPPORTED if there is no suitable one; those of the driver.
  static Result<std::unique_ptr<OpenclDevice>> Create(
      OpenclOptions options, const opencl::ContextOptions& context_options);
  static Result<std::unique_ptr<OpenclDevice>> Create(
      OpenclOptions options, std::shared_ptr<opencl::ClRuntime> runtime);
  // The files in which OpenCL is looked up, in order.
  static std::vector<std::string> DriverLibraries();

  const char* name() const override { return "GPU"; }
  DeviceSpeed speed() const override;
  NodeKernels* kernels() override { return this; }
  DeviceStorage* storage() override { return this; }
  DeviceTuning* tuning() override { return this; }
  DeviceActivity* activity() override { return this; }

  Result<NodeWork> Supports(const Node& node) override;
  Result<KernelPtr> Prepare(const Node& node) override;
  Result<KernelPtr> PrepareFused(const std::vector<FusedNode>& nodes) override;
  Result<KernelPtr> PrepareConvert(const Node& node) override;
  Result<Extent2D> ImageExtentOf(const TensorType& type) const override;
  DataType image_dtype() const override {
    return fp16_ ? DataType::kF16 : DataType::kF32;
  }
  Extent2D max_image_extent() const override;
  Status FinishPrepare() override;
  bool TakesFp16(const Node& node, size_t i) const override;
  Result<std::unique_ptr<DeviceImages>> CreateImages(
      const std::vector<ImageType>& types) override;
  Status CheckMemory(const DeviceMemory& memory,
                     const TensorType& type) const override;
  NativeHandles native_handles() const override;
  Result<std::shared_ptr<void>> ImportMemory(
      const ExternalMemory& memory) override;
  void UseBuffer(Kernel& convert, void* buffer) override;
  Status Tune(const std::vector<BoundKernel>& kernels) override;
  std::string DumpTuning() const override { return tuner_->report(); }
  DeviceCounts counts() const override;
  void SetProfiling(bool on) override { context_->queue().SetProfiling(on); }
  Status Finish() override { return context_->queue().Finish(); }
  void SetCancellation(const Cancellation* cancellation) override {
    context_->queue().SetCancellation(cancellation);
  }

  // Returns whether this build has a kernel for the op.
  static bool HasKernel(const std::string& op);

 private:
  OpenclDevice() = default;
  void OpenStores(OpenclOptions& options);
  opencl::Target TargetOf(const Node& node) const;
  Result<opencl::KernelSpec> Describe(const Node& node) const;

  bool fp16_ = false;
  int max_winograd_ = 0;
  int64_t wanted_items_ = -1;
  std::set<std::string> float32_nodes_;
  opencl::BuildOptions build_;
  std::unique_ptr<opencl::BinaryCache> cache_;
  std::unique_ptr<opencl::OpenclContext> context_;
  const std::unique_ptr<opencl::KnownWeights> known_weights_ =
      std::make_unique<opencl::KnownWeights>();
  std::unique_ptr<TuningResults> results_;
  std::unique_ptr<opencl::Tuner> tuner_;
  bool may_tune_ = false;  // Tune has something to do
};

}  // namespace mace

#endif  // MACE_OPENCL_OPENCL_DEVICE_H_
