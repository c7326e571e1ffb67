// OpenclDevice: runs nodes on a GPU, with activations in 2-D images.
// SPDX-License-Identifier: Apache-2.0
//
// A node becomes passes, a pass a launch:
//
//   Node --describe-> KernelSpec --MakeKernel-> LaunchingKernel --Run-> Queue
//          (ops/)     passes, without a driver  constants uploaded
//                                    FinishPrepare: programs compiled,
//                                                   launches finished
//                                    Tune:          group sizes measured
//
// What engines of a process share: ClRuntime (context, compiled programs) and,
// if they are of one model, DeviceWeights. Each device has its own queue.
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
  bool fp16 = true;  // type of activations and float weights; else float32
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
  // several items compute each. Negative: the estimate of Target::FillsDevice.
  int64_t wanted_items = -1;
  opencl::BuildOptions build;  // REQUIRES: `store` is null
  // Stores in which compiled programs and tuning results are looked for first.
  // They are only read; none of them is null.
  std::vector<std::shared_ptr<KVStorage>> precompiled;
  // Looked in next; programs and tuning results that no store has are written
  // here. May be null.
  std::shared_ptr<KVStorage> storage;
  // Where tuning results are written instead; may be null.
  std::shared_ptr<KVStorage> tuning_storage;
  opencl::TunerOptions tuner;
  int queue_window = 0;  // as Queue::SetWindow
};

// Not thread-safe: each engine has its own. Kernels point into the device,
// which must outlive them.
class OpenclDevice final : public Device,
                           public NodeKernels,
                           public DeviceStorage,
                           public DeviceTuning,
                           public DeviceActivity {
 public:
  // The first uses the GPU that the engines of this process share
  // (ClRuntime::Shared), the second another runtime, as tests do. A store whose
  // Load fails is logged, and used with what it has then. Errors:
  // MACE_UNSUPPORTED if there is no suitable GPU; of ClRuntime::Shared; those
  // of the driver.
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

  // Describes the node and drops the description. Errors: MACE_UNSUPPORTED if
  // there is no kernel for it, a tensor is not float32, is empty or does not
  // fit an image (of constants, only those that the kernel reads as it reads
  // other inputs), a float32 constant is empty, or a weight's image is too
  // large; errors of reading attributes.
  Result<NodeWork> Supports(const Node& node) override;
  Result<KernelPtr> Prepare(const Node& node) override;
  // Errors: also MACE_UNSUPPORTED unless the first node's op describes fused
  // nodes, and all nodes have images of one type.
  Result<KernelPtr> PrepareFused(const std::vector<FusedNode>& nodes) override;
  Result<KernelPtr> PrepareConvert(const Node& node) override;
  // The extent of a channel-major image. Accepts float32, and fp16 if the
  // layout is kImage.
  Result<Extent2D> ImageExtentOf(const TensorType& type) const override;
  // Nodes of float32_nodes have other images: TargetOf.
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
  // Ignores kernels of other devices.
  void UseBuffer(Kernel& convert, void* buffer) override;
  // Tunes the kernels with most work first, in case the time budget ends.
  // Overwrites the images that kernels write. A driver that measures no times
  // is no error: kernels keep their group sizes, and the log tells it. Does
  // nothing if there is neither a budget, nor a limit, nor a store. Errors: as
  // opencl::Tuner::Tune.
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
  // Makes results_, tuner_ and, if there is a store, cache_. Moves from
  // `options`.
  void OpenStores(OpenclOptions& options);
  // What the device offers a node: fp16 if fp16_ is set and it is not one of
  // float32_nodes_.
  opencl::Target TargetOf(const Node& node) const;
  // Errors: as Supports.
  Result<opencl::KernelSpec> Describe(const Node& node) const;

  bool fp16_ = false;
  int max_winograd_ = 0;
  int64_t wanted_items_ = -1;
  std::set<std::string> float32_nodes_;
  opencl::BuildOptions build_;
  std::unique_ptr<opencl::BinaryCache> cache_;
  // results_ and tuner_ refer to what stands before them.
  std::unique_ptr<opencl::OpenclContext> context_;
  const std::unique_ptr<opencl::KnownWeights> known_weights_ =
      std::make_unique<opencl::KnownWeights>();
  std::unique_ptr<TuningResults> results_;
  std::unique_ptr<opencl::Tuner> tuner_;
  bool may_tune_ = false;  // Tune has something to do
};

}  // namespace mace

#endif  // MACE_OPENCL_OPENCL_DEVICE_H_
