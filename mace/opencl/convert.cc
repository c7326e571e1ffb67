// Uploads and downloads, through a buffer of the device.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/convert.h"

#include <utility>

namespace mace::opencl {
namespace {

class ConvertKernel final : public LaunchingKernel {
 public:
  ConvertKernel(bool upload, KernelPtr rearrange, SharedMem buffer,
                size_t bytes, Queue& queue)
      : upload_(upload),
        rearrange_(std::move(rearrange)),
        buffer_(std::move(buffer)),
        bytes_(bytes),
        queue_(queue) {}

  Layout input_layout(size_t /*i*/) const override {
    return upload_ ? Layout::kRowMajor : Layout::kImage;
  }
  Layout output_layout() const override {
    return upload_ ? Layout::kImage : Layout::kRowMajor;
  }
  std::string variant() const override { return rearrange_->variant(); }
  double device_us() const override { return rearrange_->device_us(); }

  Status Tune(Tuner& tuner, const RunArgs& args) override {
    return static_cast<LaunchingKernel&>(*rearrange_).Tune(tuner, args);
  }

  Status Run(const RunArgs& args) override {
    if (upload_) {
      MACE_RETURN_IF_ERROR(
          queue_.Write(args.inputs[0].handle, bytes_, buffer_->get()));
      return rearrange_->Run(args);
    }
    MACE_RETURN_IF_ERROR(rearrange_->Run(args));
    return queue_.Read(buffer_->get(), bytes_, args.outputs[0].handle);
  }

 private:
  bool upload_;
  KernelPtr rearrange_;
  SharedMem buffer_;  // the tensor, densely stored
  size_t bytes_;
  Queue& queue_;
};

}  // namespace

Result<KernelPtr> MakeConvert(const Node& node, OpenclContext& context) {
  const TensorType& type = node.outputs[0];
  const bool upload = type.layout == Layout::kImage;
  const TensorType& dense = upload ? node.inputs[0].type : type;
  const auto bytes = static_cast<size_t>(Bytes(dense));
  MACE_ASSIGN_OR_RETURN(ClMem memory,
                        context.cl().CreateBuffer(bytes, nullptr));
  auto buffer = std::make_shared<const ClMem>(std::move(memory));
  const Extents4 e = AsNhwc(type.shape);
  Pass pass("convert", upload ? "buffer_to_image" : "image_to_buffer",
            BlockGrid(e));
  if (upload) {
    pass.Constant(buffer).Out();
  } else {
    pass.In(0).Constant(buffer);
  }
  pass.Int(e[3]);
  MACE_ASSIGN_OR_RETURN(KernelPtr rearrange, context.MakeKernel({pass}));
  return KernelPtr(std::make_unique<ConvertKernel>(
      upload, std::move(rearrange), std::move(buffer), bytes, context.queue()));
}

}  // namespace mace::opencl
