// Pictures to tensors in C.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "mace/capi/status.h"
#include "mace/public/mace_c_image.h"
#include "mace/public/mace_image.h"

struct mace_image {
  mace::MaceImage image;
};

struct mace_image_input {
  mace::MaceImageInput input;
};

struct mace_image_transform {
  mace::MaceImageTransform transform;
};

struct mace_image_converter {
  std::unique_ptr<mace::MaceImageConverter> converter;
};

namespace capi = mace::capi;

extern "C" {

mace_status_t mace_image_create(mace_image_format_t format, int32_t width,
                                int32_t height, mace_image_t** image) {
  MACE_CAPI_NOT_NULL(image);
  *image = new (std::nothrow) mace_image;
  MACE_CAPI_RETURN_IF_ERROR(capi::Made(*image));
  (*image)->image.format = static_cast<mace::MaceImageFormat>(format);
  (*image)->image.width = width;
  (*image)->image.height = height;
  return MACE_SUCCESS;
}

void mace_image_destroy(mace_image_t* image) { delete image; }

mace_status_t mace_image_set_plane(mace_image_t* image, size_t plane,
                                   const void* data, size_t bytes,
                                   int64_t row_stride, int64_t pixel_stride) {
  MACE_CAPI_NOT_NULL(image);
  MACE_CAPI_NOT_NULL(data);
  MACE_CAPI_RETURN_IF_ERROR(capi::CheckIndex(__func__, "plane", plane,
                                             std::size(image->image.planes)));
  mace::MaceImagePlane& set = image->image.planes[plane];
  set.data = data;
  set.bytes = bytes;
  set.row_stride = row_stride;
  set.pixel_stride = pixel_stride;
  return MACE_SUCCESS;
}

mace_status_t mace_image_set_buffer(mace_image_t* image, const void* data,
                                    size_t bytes, int64_t row_stride) {
  MACE_CAPI_NOT_NULL(image);
  MACE_CAPI_NOT_NULL(data);
  const mace::MaceImage in_buffer = mace::MaceImageInBuffer(
      image->image.format, data, bytes, image->image.width, image->image.height,
      row_stride);
  std::copy(std::begin(in_buffer.planes), std::end(in_buffer.planes),
            image->image.planes);
  return MACE_SUCCESS;
}

mace_status_t mace_image_set_color(mace_image_t* image,
                                   mace_image_color_t color) {
  MACE_CAPI_NOT_NULL(image);
  image->image.color = static_cast<mace::MaceImageColor>(color);
  return MACE_SUCCESS;
}

mace_status_t mace_image_set_crop(mace_image_t* image, int32_t x, int32_t y,
                                  int32_t width, int32_t height) {
  MACE_CAPI_NOT_NULL(image);
  image->image.crop.x = x;
  image->image.crop.y = y;
  image->image.crop.width = width;
  image->image.crop.height = height;
  return MACE_SUCCESS;
}

mace_status_t mace_image_set_orientation(mace_image_t* image,
                                         mace_image_orientation_t orientation) {
  MACE_CAPI_NOT_NULL(image);
  image->image.orientation =
      static_cast<mace::MaceImageOrientation>(orientation);
  return MACE_SUCCESS;
}

mace_image_orientation_t mace_image_turned(int32_t degrees, bool mirror) {
  return static_cast<mace_image_orientation_t>(
      mace::MaceImageTurned(degrees, mirror));
}

mace_status_t mace_image_input_create(int32_t width, int32_t height,
                                      mace_image_input_t** input) {
  MACE_CAPI_NOT_NULL(input);
  *input = new (std::nothrow) mace_image_input;
  MACE_CAPI_RETURN_IF_ERROR(capi::Made(*input));
  (*input)->input.width = width;
  (*input)->input.height = height;
  return MACE_SUCCESS;
}

void mace_image_input_destroy(mace_image_input_t* input) { delete input; }

mace_status_t mace_image_input_set_resize(mace_image_input_t* input,
                                          mace_image_fit_t fit,
                                          mace_image_filter_t filter) {
  MACE_CAPI_NOT_NULL(input);
  input->input.fit = static_cast<mace::MaceImageFit>(fit);
  input->input.filter = static_cast<mace::MaceImageFilter>(filter);
  return MACE_SUCCESS;
}

mace_status_t mace_image_input_set_channels(mace_image_input_t* input,
                                            mace_image_channels_t channels,
                                            const double mean[3],
                                            const double scale[3]) {
  MACE_CAPI_NOT_NULL(input);
  MACE_CAPI_NOT_NULL(mean);
  MACE_CAPI_NOT_NULL(scale);
  input->input.channels = static_cast<mace::MaceImageChannels>(channels);
  std::copy_n(mean, 3, input->input.mean);
  std::copy_n(scale, 3, input->input.scale);
  return MACE_SUCCESS;
}

mace_status_t mace_image_input_set_padding(mace_image_input_t* input,
                                           const uint8_t color[3]) {
  MACE_CAPI_NOT_NULL(input);
  MACE_CAPI_NOT_NULL(color);
  std::copy_n(color, 3, input->input.padding);
  return MACE_SUCCESS;
}

mace_status_t mace_image_input_set_data_type(mace_image_input_t* input,
                                             mace_data_type_t data_type,
                                             double quantization_scale,
                                             int32_t zero_point) {
  MACE_CAPI_NOT_NULL(input);
  MACE_CAPI_RETURN_IF_ERROR(
      capi::CheckRange(__func__, "data_type", data_type, MACE_INT64));
  input->input.data_type = static_cast<mace::IDataType>(data_type);
  input->input.quantization_scale = quantization_scale;
  input->input.zero_point = zero_point;
  return MACE_SUCCESS;
}

mace_status_t mace_image_input_set_data_format(mace_image_input_t* input,
                                               mace_data_format_t data_format) {
  MACE_CAPI_NOT_NULL(input);
  input->input.data_format = static_cast<mace::DataFormat>(data_format);
  return MACE_SUCCESS;
}

mace_status_t mace_image_input_set_num_threads(mace_image_input_t* input,
                                               int32_t num_threads) {
  MACE_CAPI_NOT_NULL(input);
  input->input.num_threads = num_threads;
  return MACE_SUCCESS;
}

mace_status_t mace_image_transform_create(mace_image_transform_t** transform) {
  MACE_CAPI_NOT_NULL(transform);
  *transform = new (std::nothrow) mace_image_transform;
  return capi::Made(*transform);
}

void mace_image_transform_destroy(mace_image_transform_t* transform) {
  delete transform;
}

mace_status_t mace_image_transform_to_picture(
    const mace_image_transform_t* transform, double x, double y,
    double* picture_x, double* picture_y) {
  MACE_CAPI_NOT_NULL(transform);
  MACE_CAPI_NOT_NULL(picture_x);
  MACE_CAPI_NOT_NULL(picture_y);
  mace::MaceImageMapPoint(transform->transform.to_picture, x, y, picture_x,
                          picture_y);
  return MACE_SUCCESS;
}

mace_status_t mace_image_transform_to_tensor(
    const mace_image_transform_t* transform, double x, double y,
    double* tensor_x, double* tensor_y) {
  MACE_CAPI_NOT_NULL(transform);
  MACE_CAPI_NOT_NULL(tensor_x);
  MACE_CAPI_NOT_NULL(tensor_y);
  mace::MaceImageMapPoint(transform->transform.to_tensor, x, y, tensor_x,
                          tensor_y);
  return MACE_SUCCESS;
}

mace_status_t mace_image_transform_matrices(
    const mace_image_transform_t* transform, double to_picture[6],
    double to_tensor[6]) {
  MACE_CAPI_NOT_NULL(transform);
  const mace::MaceImageTransform& t = transform->transform;
  if (to_picture != nullptr) std::copy_n(t.to_picture, 6, to_picture);
  if (to_tensor != nullptr) std::copy_n(t.to_tensor, 6, to_tensor);
  return MACE_SUCCESS;
}

mace_status_t mace_image_transform_content(
    const mace_image_transform_t* transform, int32_t* x, int32_t* y,
    int32_t* width, int32_t* height) {
  MACE_CAPI_NOT_NULL(transform);
  MACE_CAPI_NOT_NULL(x);
  MACE_CAPI_NOT_NULL(y);
  MACE_CAPI_NOT_NULL(width);
  MACE_CAPI_NOT_NULL(height);
  const mace::MaceImageRect& content = transform->transform.content;
  *x = content.x;
  *y = content.y;
  *width = content.width;
  *height = content.height;
  return MACE_SUCCESS;
}

mace_status_t mace_image_converter_create(const mace_image_input_t* input,
                                          mace_image_converter_t** converter) {
  MACE_CAPI_NOT_NULL(converter);
  *converter = nullptr;
  MACE_CAPI_NOT_NULL(input);
  std::unique_ptr<mace::MaceImageConverter> created;
  MACE_CAPI_RETURN_IF_ERROR(
      capi::Report(mace::MaceImageConverter::Create(input->input, &created)));
  *converter = new (std::nothrow) mace_image_converter{std::move(created)};
  return capi::Made(*converter);
}

void mace_image_converter_destroy(mace_image_converter_t* converter) {
  delete converter;
}

size_t mace_image_converter_tensor_bytes(
    const mace_image_converter_t* converter) {
  MACE_CAPI_GETS(converter, 0);
  return converter->converter->tensor_bytes();
}

mace_status_t mace_image_convert(mace_image_converter_t* converter,
                                 const mace_image_t* image, void* tensor,
                                 size_t bytes,
                                 mace_image_transform_t* transform) {
  MACE_CAPI_NOT_NULL(converter);
  MACE_CAPI_NOT_NULL(image);
  MACE_CAPI_NOT_NULL(tensor);
  return capi::Report(converter->converter->Convert(
      image->image, tensor, bytes,
      transform == nullptr ? nullptr : &transform->transform));
}

}  // extern "C"
