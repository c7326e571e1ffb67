// Making kernels from their descriptions.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/opencl_context.h"

#include <string>
#include <utility>

#include "mace/base/str_cat.h"

namespace mace::opencl {
namespace {

class GpuKernel final : public LaunchingKernel, public ImageKernel {
 public:
  GpuKernel(std::vector<std::shared_ptr<Launch>> launches,
            std::vector<bool> image_inputs, KernelSpec::Info info,
            DataType image_dtype, OpenclContext& context)
      : LaunchingKernel(context.kernels()),
        launches_(std::move(launches)),
        image_inputs_(std::move(image_inputs)),
        info_(std::move(info)),
        image_dtype_(image_dtype),
        queue_(context.queue()) {}

  const ImageKernel* on_images() const override { return this; }
  Layout input_layout(size_t i) const override {
    const bool is_image = info_.renames_only
                              ? i == 0
                              : i < image_inputs_.size() && image_inputs_[i];
    return is_image ? Layout::kImage : Layout::kRowMajor;
  }
  Layout output_layout() const override { return Layout::kImage; }
  DataType image_dtype() const override { return image_dtype_; }
  std::vector<Extent2D> scratch_images() const override {
    return info_.scratch_images;
  }
  bool renames_only() const override { return info_.renames_only; }
  int64_t macs() const override { return info_.macs; }
  std::string variant() const override { return info_.variant; }

  double device_us() const override {
    double sum = 0;
    for (const auto& launch : launches_) {
      const double us = launch->MeasuredMicros(queue_.api());
      if (us < 0) return -1;
      sum += us;
    }
    return sum;
  }

  Status Tune(Tuner& tuner, const RunArgs& args) override {
    for (const auto& launch : launches_) {
      MACE_RETURN_IF_ERROR(tuner.Tune(*launch, queue_, args));
    }
    return Status();
  }

  Status Run(const RunArgs& args) override {
    for (const auto& launch : launches_) {
      MACE_RETURN_IF_ERROR(launch->Run(queue_, args));
    }
    return Status();
  }

 private:
  std::vector<std::shared_ptr<Launch>> launches_;
  std::vector<bool> image_inputs_;
  KernelSpec::Info info_;
  DataType image_dtype_;
  Queue& queue_;
};

}  // namespace

Result<std::unique_ptr<OpenclContext>> OpenclContext::Create(
    std::shared_ptr<ClRuntime> runtime, std::shared_ptr<DeviceWeights> weights,
    bool checked) {
  std::unique_ptr<OpenclContext> context(
      new OpenclContext(std::move(runtime), std::move(weights)));
  MACE_ASSIGN_OR_RETURN(context->queue_, Queue::Create(context->cl()));
  if (checked) {
    const cl_int zero = 0;
    MACE_ASSIGN_OR_RETURN(ClMem memory,
                          context->cl().CreateBuffer(sizeof(zero), &zero));
    context->violations_ = std::make_shared<const ClMem>(std::move(memory));
  }
  return context;
}

Status OpenclContext::UploadConstants(Pass& pass) {
  for (Pass::Arg& arg : pass.args) {
    const auto* constant = std::get_if<ConstantPtr>(&arg);
    if (constant == nullptr) continue;
    MACE_ASSIGN_OR_RETURN(SharedMem memory,
                          GetOrUpload(**constant, cl(), *weights_));
    arg = std::move(memory);
  }
  return Status();
}

Result<std::unique_ptr<LaunchingKernel>> OpenclContext::MakeKernel(
    KernelSpec spec, DataType image_dtype) {
  std::vector<std::shared_ptr<Launch>> launches;
  std::vector<bool> image_inputs;
  std::string names;
  for (Pass& pass : spec.passes) {
    for (const Pass::Arg& arg : pass.args) {
      const auto* input = std::get_if<Pass::Input>(&arg);
      if (input == nullptr) continue;
      if (image_inputs.size() <= input->index) {
        image_inputs.resize(input->index + 1);
      }
      image_inputs[input->index] = true;
    }
    names += StrCat(names.empty() ? "" : " + ", NameOf(pass));
    if (violations_ != nullptr) pass.Define("MACE_CHECKED");
    MACE_RETURN_IF_ERROR(UploadConstants(pass));
    MACE_ASSIGN_OR_RETURN(std::shared_ptr<Program> program,
                          runtime_->programs().Get(pass.source, pass.defines));
    launches.push_back(std::make_shared<Launch>(
        std::move(pass), std::move(program), violations_));
    unfinished_.push_back(launches.back());
  }
  if (spec.info.variant.empty()) spec.info.variant = names;
  return std::unique_ptr<LaunchingKernel>(
      std::make_unique<GpuKernel>(std::move(launches), std::move(image_inputs),
                                  std::move(spec.info), image_dtype, *this));
}

Status OpenclContext::FinishKernels(const BuildOptions& options) {
  MACE_RETURN_IF_ERROR(runtime_->programs().Build(options));
  for (const auto& weak : unfinished_) {
    const std::shared_ptr<Launch> launch = weak.lock();
    if (launch != nullptr) MACE_RETURN_IF_ERROR(launch->Finish(cl()));
  }
  unfinished_.clear();
  return Status();
}

}  // namespace mace::opencl
