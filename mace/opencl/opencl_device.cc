// Finding and making the GPU kernel of a node.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/opencl_device.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "mace/base/logging.h"
#include "mace/base/make_shared.h"
#include "mace/base/sort.h"
#include "mace/opencl/driver/caller_memory.h"
#include "mace/opencl/driver/cl_api.h"
#include "mace/opencl/driver/import_memory.h"
#include "mace/opencl/kernels/convert.h"
#include "mace/opencl/kernels/kernel_table.h"
#include "mace/opencl/launch/speed.h"

namespace mace {
namespace {

const std::map<std::string, GpuKernelDef>& Table() {
  static const auto* table = [] {
    auto* t = new std::map<std::string, GpuKernelDef>;
    for (int i = 0; i < kNumGpuKernels; ++i) {
      t->emplace(kGpuKernels[i].op, kGpuKernels[i].def());
    }
    return t;
  }();
  return *table;
}

class Images final : public DeviceImages {
 public:
  explicit Images(std::vector<opencl::ClMem> images)
      : images_(std::move(images)) {}
  Buffer at(size_t i) const override { return {images_[i].get()}; }

 private:
  std::vector<opencl::ClMem> images_;
};

}  // namespace

std::vector<std::string> OpenclDevice::DriverLibraries() {
  return opencl::LibraryPaths();
}

Result<std::unique_ptr<OpenclDevice>> OpenclDevice::Create(
    OpenclOptions options, const opencl::ContextOptions& context_options) {
  MACE_ASSIGN_OR_RETURN(auto runtime,
                        opencl::ClRuntime::Shared(context_options));
  return Create(std::move(options), std::move(runtime));
}

Result<std::unique_ptr<OpenclDevice>> OpenclDevice::Create(
    OpenclOptions options, std::shared_ptr<opencl::ClRuntime> runtime) {
  std::unique_ptr<OpenclDevice> device(new OpenclDevice);
  if (options.weights == nullptr) {
    options.weights = std::make_shared<DeviceWeights>();
  }
  MACE_ASSIGN_OR_RETURN(
      device->context_,
      opencl::OpenclContext::Create(
          std::move(runtime), std::move(options.weights), options.checked));
  device->fp16_ = options.fp16;
  device->max_winograd_ = options.max_winograd;
  device->wanted_items_ = options.wanted_items;
  device->float32_nodes_ = std::move(options.float32_nodes);
  device->context_->queue().SetWindow(options.queue_window);
  device->build_ = std::move(options.build);
  device->OpenStores(options);
  return device;
}

void OpenclDevice::OpenStores(OpenclOptions& options) {
  auto& stores = options.precompiled;
  for (const auto& list : {stores, {options.storage, options.tuning_storage}}) {
    for (const auto& store : list) {
      if (store == nullptr || store->Load() == 0) continue;
      LOG(INFO) << "a store of GPU programs or tuning results cannot be read; "
                   "it is ignored";
    }
  }
  const opencl::DeviceInfo& info = context_->info();
  if (!stores.empty() || options.storage != nullptr) {
    cache_ =
        std::make_unique<opencl::BinaryCache>(info, stores, options.storage);
    build_.store = cache_.get();
  }
  std::shared_ptr<KVStorage> kept = options.storage;
  if (options.tuning_storage != nullptr) {
    if (kept != nullptr) stores.push_back(std::move(kept));
    kept = std::move(options.tuning_storage);
  }
  may_tune_ = !stores.empty() || kept != nullptr ||
              options.tuner.budget_micros > 0 || options.tuner.limit_micros > 0;
  results_ = std::make_unique<TuningResults>(info.identity(), std::move(stores),
                                             std::move(kept));
  tuner_ = std::make_unique<opencl::Tuner>(std::move(options.tuner), fp16_,
                                           info, *results_);
}

bool OpenclDevice::HasKernel(const std::string& op) {
  return Table().count(op) > 0;
}

bool OpenclDevice::TakesFp16(const Node& node, size_t i) const {
  const auto entry = Table().find(node.op);
  // What no kernel reads may be stored in any way.
  return entry == Table().end() ||
         entry->second.stored_input == static_cast<int>(i);
}

opencl::Target OpenclDevice::TargetOf(const Node& node) const {
  return opencl::Target(context_->info(),
                        fp16_ && float32_nodes_.count(node.name) == 0,
                        max_winograd_, wanted_items_, *known_weights_);
}

Result<opencl::KernelSpec> OpenclDevice::Describe(const Node& node) const {
  const auto entry = Table().find(node.op);
  if (entry == Table().end()) {
    return Unsupported(Label(node), ": the GPU of this build has no kernel");
  }
  const auto check = [&](const TensorType& type) {
    const auto extent = ImageExtentOf(type);
    return extent.ok()
               ? Status()
               : Unsupported(Label(node), ": ", extent.status().information());
  };
  for (const Operand& operand : node.inputs) {
    if (!operand.present()) continue;
    if (operand.data == nullptr) {
      MACE_RETURN_IF_ERROR(check(operand.type));
    } else if (operand.type.dtype == DataType::kF32 &&
               NumElements(operand.type.shape) == 0) {
      return Unsupported(Label(node), ": ", ToString(operand.type),
                         " is empty, and images are not");
    }
  }
  for (const TensorType& type : node.outputs) {
    MACE_RETURN_IF_ERROR(check(type));
  }
  MACE_ASSIGN_OR_RETURN(opencl::KernelSpec spec,
                        entry->second.describe(node, TargetOf(node)));
  // The constants that the kernel reads as it reads other inputs.
  for (const opencl::Pass& pass : spec.passes) {
    for (const opencl::Pass::Arg& arg : pass.args) {
      const auto* input = std::get_if<opencl::Pass::Input>(&arg);
      if (input == nullptr) continue;
      MACE_RETURN_IF_ERROR(check(node.inputs[input->index].type));
    }
  }
  return spec;
}

Result<NodeWork> OpenclDevice::Supports(const Node& node) {
  MACE_ASSIGN_OR_RETURN(const opencl::KernelSpec spec, Describe(node));
  return NodeWork{spec.info.macs, spec.info.renames_only,
                  spec.info.constant_bytes};
}

Result<KernelPtr> OpenclDevice::Prepare(const Node& node) {
  MACE_ASSIGN_OR_RETURN(opencl::KernelSpec spec, Describe(node));
  MACE_ASSIGN_OR_RETURN(
      auto kernel,
      context_->MakeKernel(std::move(spec), TargetOf(node).image_dtype()));
  return KernelPtr(std::move(kernel));
}

Result<KernelPtr> OpenclDevice::PrepareFused(
    const std::vector<FusedNode>& nodes) {
  const Node& first = *nodes[0].node;
  const auto entry = Table().find(first.op);
  const opencl::Target target = TargetOf(first);
  const bool same_images =
      std::all_of(nodes.begin(), nodes.end(), [&](const FusedNode& fused) {
        return TargetOf(*fused.node).fp16() == target.fp16();
      });
  if (entry == Table().end() || entry->second.describe_fused == nullptr ||
      !same_images) {
    return Unsupported(Label(first), ": not fused");
  }
  MACE_ASSIGN_OR_RETURN(opencl::KernelSpec spec,
                        entry->second.describe_fused(nodes, target));
  MACE_ASSIGN_OR_RETURN(
      auto kernel, context_->MakeKernel(std::move(spec), target.image_dtype()));
  return KernelPtr(std::move(kernel));
}

DeviceSpeed OpenclDevice::speed() const { return opencl::GpuSpeed(); }

Result<KernelPtr> OpenclDevice::PrepareConvert(const Node& node) {
  return opencl::MakeConvert(node, *context_);
}

Result<Extent2D> OpenclDevice::ImageExtentOf(const TensorType& type) const {
  const std::string what = ToString(type);
  const bool is_fp16_image =
      type.layout == Layout::kImage && type.dtype == DataType::kF16;
  if (type.dtype != DataType::kF32 && !is_fp16_image) {
    return Unsupported(what, ": the GPU computes with floats only");
  }
  if (NumElements(type.shape) == 0) {
    return Unsupported(what, " is empty, and images are not");
  }
  // Kernels index elements with int.
  if (NumElements(type.shape) > INT32_MAX / 4) {
    return Unsupported(what, " has too many elements for the GPU");
  }
  const Extent2D extent = ImageExtent(opencl::ImageLayout::kChannelMajor,
                                      opencl::AsNhwc(type.shape));
  const opencl::Target target(context_->info(), fp16_, max_winograd_,
                              wanted_items_, *known_weights_);
  MACE_RETURN_IF_ERROR(target.CheckExtent(extent, what));
  return extent;
}

Extent2D OpenclDevice::max_image_extent() const {
  return {static_cast<int64_t>(context_->info().max_image_width),
          static_cast<int64_t>(context_->info().max_image_height)};
}

Status OpenclDevice::CheckMemory(const DeviceMemory& memory,
                                 const TensorType& type) const {
  MACE_ASSIGN_OR_RETURN(const Extent2D extent, ImageExtentOf(type));
  return opencl::CheckCallerMemory(context_->cl(), memory,
                                   static_cast<size_t>(Bytes(type)), extent);
}

NativeHandles OpenclDevice::native_handles() const {
  return {context_->cl().get(), context_->cl().device()};
}

Result<std::shared_ptr<void>> OpenclDevice::ImportMemory(
    const ExternalMemory& memory) {
  MACE_ASSIGN_OR_RETURN(opencl::ClMem made,
                        opencl::ImportMemory(context_->cl(), memory));
  const auto owner = MakeShared<opencl::ClMem>(std::move(made));
  return std::shared_ptr<void>(owner, owner->get());
}

void OpenclDevice::UseBuffer(Kernel& convert, void* buffer) {
  opencl::LaunchingKernel* const own = context_->Find(convert);
  if (own != nullptr) own->UseBuffer(buffer);
}

// Tunes the kernels with most work first, in case the time budget ends.
Status OpenclDevice::Tune(const std::vector<BoundKernel>& kernels) {
  if (!may_tune_) return Status();
  std::vector<BoundKernel> sorted = kernels;
  StableSort(&sorted, [](const BoundKernel& a, const BoundKernel& b) {
    return a.kernel->macs() > b.kernel->macs();
  });
  tuner_->StartPlan();
  Status status;
  for (const BoundKernel& bound : sorted) {
    opencl::LaunchingKernel* const own = context_->Find(*bound.kernel);
    if (own != nullptr) status = own->Tune(*tuner_, *bound.args);
    if (!status.ok()) break;
  }
  context_->queue().SetProfiling(false);
  results_->Flush();
  if (status != Status::MACE_UNSUPPORTED) return status;
  LOG(INFO) << "GPU kernels are neither tuned nor split: "
            << status.information();
  return Status();
}

DeviceCounts OpenclDevice::counts() const {
  DeviceCounts counts;
  const opencl::ProgramPool& programs = context_->runtime().programs();
  counts.compiled_programs = programs.num_compiled();
  counts.loaded_programs = programs.num_loaded();
  const opencl::QueueCounts& queue = context_->queue().counts();
  counts.kernels = queue.kernels;
  counts.enqueues = queue.enqueues;
  counts.measurements = tuner_->num_measured();
  counts.bytes_from_host = queue.bytes_from_host;
  counts.bytes_to_host = queue.bytes_to_host;
  return counts;
}

Status OpenclDevice::FinishPrepare() { return context_->FinishKernels(build_); }

Result<std::unique_ptr<DeviceImages>> OpenclDevice::CreateImages(
    const std::vector<ImageType>& types) {
  std::vector<opencl::ClMem> images;
  for (const ImageType& type : types) {
    MACE_ASSIGN_OR_RETURN(
        opencl::ClMem image,
        context_->cl().CreateImage(type.extent.width, type.extent.height,
                                   type.dtype == DataType::kF16
                                       ? opencl::PixelType::kHalf
                                       : opencl::PixelType::kFloat,
                                   nullptr));
    images.push_back(std::move(image));
  }
  return std::unique_ptr<DeviceImages>(new Images(std::move(images)));
}

}  // namespace mace
