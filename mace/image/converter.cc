// From a picture to a tensor.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/converter.h"

#include <string>
#include <utility>

#include "mace/base/denormals.h"
#include "mace/image/geometry.h"
#include "mace/image/reader.h"
#include "mace/image/strip.h"

namespace mace {
namespace image {

Result<std::unique_ptr<Converter>> Converter::Create(
    const MaceImageInput& input, const RowKernels& kernels) {
  const RoundToNearest rounding;
  MACE_RETURN_IF_ERROR(CheckInput(input));
  std::unique_ptr<Converter> converter(new Converter(input, kernels));
  MACE_ASSIGN_OR_RETURN(converter->threads_,
                        ThreadPool::Create(input.num_threads));
  return converter;
}

Status Converter::CheckTensor(const void* tensor, size_t bytes) const {
  if (tensor == nullptr) return InvalidArgument("the tensor is null");
  if (bytes < output_.bytes()) {
    return InvalidArgument("the tensor has ", bytes, " bytes; ", input_.width,
                           "x", input_.height, " pixels with ",
                           NumChannels(input_.channels), " channel(s) need ",
                           output_.bytes());
  }
  if (input_.data_type == IDT_FLOAT &&
      reinterpret_cast<uintptr_t>(tensor) % alignof(float) != 0) {
    return InvalidArgument(
        "the tensor does not begin at a multiple of 4 bytes, as float32 "
        "elements do");
  }
  return Status();
}

Status Converter::Prepare(const MaceImage& image, bool gray, bool direct) {
  const Geometry geometry = GeometryOf(image, input_);
  if (plan_ && plan_->geometry == geometry && plan_->gray == gray &&
      plan_->direct == direct) {
    return Status();
  }
  plan_.reset();
  scratch_ = LargeArray<uint8_t>();  // the new one may take its place
  MACE_ASSIGN_OR_RETURN(Plan plan,
                        MakePlan(input_.filter, geometry, gray, direct));
  MACE_ASSIGN_OR_RETURN(scratch_, LargeArray<uint8_t>::Create(
                                      static_cast<int64_t>(plan.scratch.size) *
                                          input_.num_threads,
                                      "rows of a picture"));
  plan_ = std::move(plan);
  return Status();
}

Status Converter::Convert(const MaceImage& given, void* tensor, size_t bytes,
                          MaceImageTransform* transform) {
  const RoundToNearest rounding;
  MACE_ASSIGN_OR_RETURN(const MaceImage image, CheckedImage(given));
  MACE_RETURN_IF_ERROR(CheckTensor(tensor, bytes));
  const bool gray = image.format == MaceImageFormat::GRAY ||
                    input_.channels == MaceImageChannels::GRAY;
  const PixelReader reader(image, gray, kernels_);
  const std::lock_guard<Mutex> lock(mutex_);
  MACE_RETURN_IF_ERROR(Prepare(image, gray, reader.direct()));
  if (transform != nullptr) *transform = TransformOf(plan_->geometry);
  output_.WritePadding(plan_->geometry.content, tensor);
  const Conversion conversion = {
      *plan_, kernels_, reader, output_, output_.OrderOf(image.format, gray),
      tensor};
  const auto lines = static_cast<size_t>(plan_->down.taps.out);
  const auto threads = static_cast<size_t>(input_.num_threads);
  const size_t tile = (lines + threads - 1) / threads;
  const AllowFork allow_fork;
  threads_->ParallelFor(lines, tile, [&](size_t begin, size_t end) {
    ConvertLines(conversion, static_cast<int>(begin), static_cast<int>(end),
                 scratch_.data() + begin / tile * plan_->scratch.size);
  });
  return Status();
}

}  // namespace image

class MaceImageConverter::Impl {
 public:
  std::unique_ptr<image::Converter> converter;
};

MaceImageConverter::MaceImageConverter(std::unique_ptr<Impl> impl)
    : impl_(std::move(impl)) {}
MaceImageConverter::~MaceImageConverter() = default;

MaceStatus MaceImageConverter::Create(
    const MaceImageInput& input,
    std::unique_ptr<MaceImageConverter>* converter) {
  if (converter == nullptr) return InvalidArgument("`converter` is null");
  auto impl = std::make_unique<Impl>();
  MACE_ASSIGN_OR_RETURN(const image::RowKernels* rows, image::BestRowKernels());
  MACE_ASSIGN_OR_RETURN(impl->converter,
                        image::Converter::Create(input, *rows));
  converter->reset(new MaceImageConverter(std::move(impl)));
  return MaceStatus();
}

size_t MaceImageConverter::tensor_bytes() const {
  return impl_->converter->tensor_bytes();
}

MaceStatus MaceImageConverter::Convert(const MaceImage& image, void* tensor,
                                       size_t bytes,
                                       MaceImageTransform* transform) {
  return impl_->converter->Convert(image, tensor, bytes, transform);
}

}  // namespace mace
