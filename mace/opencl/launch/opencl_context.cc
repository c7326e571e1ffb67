// Making kernels and constant images.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/launch/opencl_context.h"

#include <utility>

#include "mace/base/fp16.h"
#include "mace/base/large_array.h"

namespace mace::opencl {
namespace {

class GpuKernel final : public LaunchingKernel {
 public:
  GpuKernel(std::vector<std::shared_ptr<Launch>> launches,
            std::vector<bool> image_inputs, GpuKernelFacts facts,
            DataType image_dtype, Queue& queue)
      : launches_(std::move(launches)),
        image_inputs_(std::move(image_inputs)),
        facts_(std::move(facts)),
        image_dtype_(image_dtype),
        queue_(queue) {}

  Layout input_layout(size_t i) const override {
    const bool is_image = facts_.renames_only
                              ? i == 0
                              : i < image_inputs_.size() && image_inputs_[i];
    return is_image ? Layout::kImage : Layout::kRowMajor;
  }
  Layout output_layout() const override { return Layout::kImage; }
  DataType image_dtype() const override { return image_dtype_; }
  std::vector<Extent2D> scratch_images() const override {
    return facts_.scratch_images;
  }
  bool renames_only() const override { return facts_.renames_only; }
  int64_t macs() const override { return facts_.macs; }
  std::string variant() const override { return facts_.variant; }

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
  GpuKernelFacts facts_;
  DataType image_dtype_;
  Queue& queue_;
};

// Bytes of the image: `Pixel` is float or uint16_t (a half).
template <typename Component, typename Convert>
Result<LargeArray<Component>> Arrange(ImageLayout layout, const Extents4& e,
                                      const Extent2D& extent, const float* data,
                                      Convert convert) {
  MACE_ASSIGN_OR_RETURN(LargeArray<Component> image,
                        LargeArray<Component>::Create(
                            SaturatedProduct({extent.width, extent.height, 4}),
                            "a weight's image"));
  Extents4 at;
  for (at[0] = 0; at[0] < e[0]; ++at[0]) {
    for (at[1] = 0; at[1] < e[1]; ++at[1]) {
      for (at[2] = 0; at[2] < e[2]; ++at[2]) {
        for (at[3] = 0; at[3] < e[3]; ++at[3]) {
          const PixelComponent p = PixelOf(layout, e, at);
          image[(p.y * extent.width + p.x) * 4 + p.component] =
              convert(*data++);
        }
      }
    }
  }
  return image;
}

}  // namespace

Result<std::unique_ptr<OpenclContext>> OpenclContext::Create(
    std::shared_ptr<ClRuntime> runtime, bool half, bool checked,
    int max_winograd) {
  std::unique_ptr<OpenclContext> context(new OpenclContext(std::move(runtime)));
  context->fp16_ = half;
  context->max_winograd_ = max_winograd;
  MACE_ASSIGN_OR_RETURN(context->queue_, Queue::Create(context->cl()));
  if (checked) {
    const cl_int zero = 0;
    MACE_ASSIGN_OR_RETURN(ClMem memory,
                          context->cl().CreateBuffer(sizeof(zero), &zero));
    context->violations_ = std::make_shared<const ClMem>(std::move(memory));
  }
  return context;
}

Result<KernelPtr> OpenclContext::MakeKernel(std::vector<Pass> passes,
                                            GpuKernelFacts facts) {
  std::vector<std::shared_ptr<Launch>> launches;
  std::vector<bool> image_inputs;
  std::string names;
  for (Pass& pass : passes) {
    for (const Pass::Arg& arg : pass.args) {
      const auto* input = std::get_if<Pass::Input>(&arg);
      if (input == nullptr) continue;
      if (image_inputs.size() <= input->index) {
        image_inputs.resize(input->index + 1);
      }
      image_inputs[input->index] = true;
    }
    names += (names.empty() ? "" : " + ") + pass.entry;
    if (violations_ != nullptr) pass.Define("MACE_CHECKED");
    MACE_ASSIGN_OR_RETURN(std::shared_ptr<Program> program,
                          runtime_->programs().Get(pass.source, pass.defines));
    launches.push_back(std::make_shared<Launch>(
        std::move(pass), std::move(program), violations_));
    unfinished_.push_back(launches.back());
  }
  if (facts.variant.empty()) facts.variant = names;
  return KernelPtr(
      std::make_unique<GpuKernel>(std::move(launches), std::move(image_inputs),
                                  std::move(facts), image_dtype(), queue_));
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

Result<SharedMem> OpenclContext::ConstantImage(ImageLayout layout,
                                               const Extents4& extents,
                                               const float* data) const {
  const Extent2D extent = ImageExtent(layout, extents);
  MACE_RETURN_IF_ERROR(CheckExtent(extent, "a weight"));
  if (fp16_) {
    MACE_ASSIGN_OR_RETURN(const LargeArray<uint16_t> image,
                          Arrange<uint16_t>(layout, extents, extent, data,
                                            [](float v) { return ToFp16(v); }));
    MACE_ASSIGN_OR_RETURN(
        ClMem memory,
        cl().CreateImage(extent.width, extent.height, true, image.data()));
    return SharedMem(std::make_shared<const ClMem>(std::move(memory)));
  }
  MACE_ASSIGN_OR_RETURN(
      const LargeArray<float> image,
      Arrange<float>(layout, extents, extent, data, [](float v) { return v; }));
  MACE_ASSIGN_OR_RETURN(
      ClMem memory,
      cl().CreateImage(extent.width, extent.height, false, image.data()));
  return SharedMem(std::make_shared<const ClMem>(std::move(memory)));
}

Status OpenclContext::CheckExtent(const Extent2D& extent,
                                  const std::string& what) const {
  const auto width = static_cast<int64_t>(facts().max_image_width);
  const auto height = static_cast<int64_t>(facts().max_image_height);
  if (extent.width <= width && extent.height <= height) return Status();
  return Unsupported(
      what + " needs an image of " + std::to_string(extent.width) + "x" +
      std::to_string(extent.height) + " pixels, those of " + facts().name +
      " have at most " + std::to_string(width) + "x" + std::to_string(height) +
      "; it runs on the CPU, or split the tensor");
}

}  // namespace mace::opencl
