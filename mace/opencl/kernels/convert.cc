// Uploads and downloads, by way of a buffer on the device.
// SPDX-License-Identifier: Apache-2.0

#include "mace/opencl/kernels/convert.h"

#include <utility>

namespace mace::opencl {
namespace {

class ConvertKernel final : public LaunchingKernel, public ImageKernel {
 public:
  ConvertKernel(bool upload, std::unique_ptr<LaunchingKernel> rearrange,
                ClMem buffer, size_t bytes, OpenclContext& context)
      : LaunchingKernel(context.kernels()),
        upload_(upload),
        rearrange_(std::move(rearrange)),
        buffer_(std::move(buffer)),
        bytes_(bytes),
        context_(context.cl()),
        queue_(context.queue()) {}

  const ImageKernel* on_images() const override { return this; }
  Layout input_layout(size_t /*i*/) const override {
    return upload_ ? Layout::kRowMajor : Layout::kImage;
  }
  Layout output_layout() const override {
    return upload_ ? Layout::kImage : Layout::kRowMajor;
  }
  std::string variant() const override { return rearrange_->variant(); }
  double device_us() const override { return rearrange_->device_us(); }
  void UseBuffer(void* buffer) override { callers_ = buffer; }

  Status Tune(Tuner& tuner, const RunArgs& args) override {
    return rearrange_->Tune(tuner, WithBuffer(args, buffer_.get()));
  }

  Status Run(const RunArgs& args) override {
    if (callers_ != nullptr) {
      return rearrange_->Run(WithBuffer(args, callers_));
    }
    void* const host = (upload_ ? args.inputs : args.outputs)[0].handle;
    const ClMem wrapped = context_.WrapHost(host, bytes_);
    const cl_mem buffer = wrapped ? wrapped.get() : buffer_.get();
    if (upload_ && !wrapped) {
      MACE_RETURN_IF_ERROR(queue_.Write(host, bytes_, buffer));
    }
    MACE_RETURN_IF_ERROR(rearrange_->Run(WithBuffer(args, buffer)));
    // After an upload the plan may reuse the bytes of the host's tensor.
    if (upload_) return wrapped ? queue_.Finish() : Status();
    return wrapped ? queue_.ShowToHost(buffer, bytes_)
                   : queue_.Read(buffer, bytes_, host);
  }

 private:
  // Returns the arguments of the pass: the image of the node, and the buffer as
  // scratch image 0.
  const RunArgs& WithBuffer(const RunArgs& args, void* buffer) {
    args_.inputs = args.inputs;
    args_.outputs = args.outputs;
    args_.images.assign(1, {buffer});
    return args_;
  }

  bool upload_;
  std::unique_ptr<LaunchingKernel> rearrange_;
  ClMem buffer_;  // the dense tensor
  size_t bytes_;
  const ClContext& context_;
  Queue& queue_;
  void* callers_ = nullptr;  // the caller's buffer, or null
  RunArgs args_;
};

}  // namespace

Result<KernelPtr> MakeConvert(const Node& node, OpenclContext& context) {
  const TensorType& type = node.outputs[0];
  const bool upload = type.layout == Layout::kImage;
  const TensorType& dense = upload ? node.inputs[0].type : type;
  const auto bytes = static_cast<size_t>(Bytes(dense));
  MACE_ASSIGN_OR_RETURN(ClMem buffer,
                        context.cl().CreateBuffer(bytes, nullptr));
  const Extents4 e = AsNhwc(type.shape);
  Pass pass("convert", upload ? "buffer_to_image" : "image_to_buffer",
            BlockGrid(e));
  if (upload) {
    pass.Image(0).Out();
  } else {
    pass.In(0).Image(0);
  }
  pass.Int(e[3]);
  MACE_ASSIGN_OR_RETURN(auto rearrange,
                        context.MakeKernel({{pass}}, DataType::kF32));
  return KernelPtr(std::make_unique<ConvertKernel>(
      upload, std::move(rearrange), std::move(buffer), bytes, context));
}

}  // namespace mace::opencl
