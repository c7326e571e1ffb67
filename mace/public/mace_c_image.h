// From a picture of a camera or a file to a model's input.
// SPDX-License-Identifier: Apache-2.0
//
//   mace_image_t            A picture in the caller's memory: its format,
//                           planes and strides, which part is meant, which way
//                           is up.
//   mace_image_input_t      What the model takes: size, channels, mean, scale.
//   mace_image_converter_t  Converts one picture after the other, without a
//                           copy of the whole picture in between.
//   mace_image_transform_t  Where a point of the tensor lies in the picture.
//
// The numbers are those of `preprocess` in a deployment file, to the last bit:
// value = (pixel - mean) * scale with pixels from 0 to 255. docs/pictures.md
// defines each step.
//
// Setters only fail for a null, an index or a data type out of range:
// mace_image_convert and mace_image_converter_create check the other values,
// and their message names the one that is wrong.
#ifndef MACE_PUBLIC_MACE_C_IMAGE_H_
#define MACE_PUBLIC_MACE_C_IMAGE_H_

#include "mace/public/mace_c_status.h"
#include "mace/public/mace_c_tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

// The layout of pixels in memory, with 8 bits for each channel. The last three
// are YUV 4:2:0: two by two pixels share a U and a V.
typedef int32_t mace_image_format_t;
enum {
  MACE_IMAGE_RGBA = 0,
  MACE_IMAGE_BGRA = 1,
  MACE_IMAGE_RGB = 2,
  MACE_IMAGE_BGR = 3,
  MACE_IMAGE_GRAY = 4,
  MACE_IMAGE_NV12 = 5,   // planes: Y; pairs of U and V
  MACE_IMAGE_NV21 = 6,   // planes: Y; pairs of V and U
  MACE_IMAGE_YUV420 = 7  // planes: Y; U; V: I420, and Android's YUV_420_888
};

// What the Y, U and V of a picture mean. Limited range has Y from 16 to 235.
typedef int32_t mace_image_color_t;
enum {
  MACE_BT601_FULL = 0,  // JPEG, and the cameras of Android; the default
  MACE_BT601_LIMITED = 1,
  MACE_BT709_FULL = 2,
  MACE_BT709_LIMITED = 3  // most video
};

// What makes the stored picture upright, by its number in EXIF. Rotations are
// clockwise.
typedef int32_t mace_image_orientation_t;
enum {
  MACE_UPRIGHT = 1,  // the default
  MACE_MIRROR = 2,   // left and right exchanged
  MACE_ROTATE_180 = 3,
  MACE_FLIP = 4,       // top and bottom exchanged
  MACE_TRANSPOSE = 5,  // rows become columns
  MACE_ROTATE_90 = 6,
  MACE_TRANSVERSE = 7,  // MACE_TRANSPOSE, then MACE_ROTATE_180
  MACE_ROTATE_270 = 8
};

typedef struct mace_image mace_image_t;

// Stores a picture of this format without pixels in `*image`. Its width and
// height are as stored, from 1 to 65536. An app keeps the object for all frames
// of a camera, and sets the memory of each frame. Threads: any.
MACE_API mace_status_t mace_image_create(mace_image_format_t format,
                                         int32_t width, int32_t height,
                                         mace_image_t** image);

// The pixels stay the caller's. Null does nothing. Threads: any, once no other
// call uses `image`.
MACE_API void mace_image_destroy(mace_image_t* image);

// Sets the memory of plane number `plane` (0 to 2). `bytes` is how many bytes
// may be read from `data` on; the memory stays the caller's, and is only read
// while a picture is converted. `row_stride` is the bytes from a row to the
// next, `pixel_stride` those from a pixel, or a U, to the next; 0: without a
// gap. Threads: one at a time for `image`.
MACE_API mace_status_t mace_image_set_plane(mace_image_t* image, size_t plane,
                                            const void* data, size_t bytes,
                                            int64_t row_stride,
                                            int64_t pixel_stride);

// The same for all planes, which lie one after the other in one buffer, as
// those of an NV21 preview do. `row_stride` is that of the first plane and of
// pairs of U and V; a plane of U or of V alone has half of it, rounded up.
// Threads: one at a time for `image`.
MACE_API mace_status_t mace_image_set_buffer(mace_image_t* image,
                                             const void* data, size_t bytes,
                                             int64_t row_stride);

// What the colours of a YUV picture mean. Threads: one at a time for `image`.
MACE_API mace_status_t mace_image_set_color(mace_image_t* image,
                                            mace_image_color_t color);

// Sets the part of the stored picture that is meant, in pixels, before the
// picture is turned. Four zeros mean all of it, the default. Threads: one at a
// time for `image`.
MACE_API mace_status_t mace_image_set_crop(mace_image_t* image, int32_t x,
                                           int32_t y, int32_t width,
                                           int32_t height);

// Which way is up. Threads: one at a time for `image`.
MACE_API mace_status_t mace_image_set_orientation(
    mace_image_t* image, mace_image_orientation_t orientation);

// Returns the orientation for `degrees` clockwise, a multiple of 90 as cameras
// report it, then `mirror`ed as the preview of a front camera is. Other degrees
// give a value that mace_image_convert refuses. Threads: any.
MACE_API mace_image_orientation_t mace_image_turned(int32_t degrees,
                                                    bool mirror);

// How a pixel of the tensor follows from those of the picture.
typedef int32_t mace_image_filter_t;
enum {
  MACE_NEAREST = 0,
  MACE_BILINEAR = 1,  // the default: averages where a picture shrinks
  MACE_BICUBIC = 2,   // the same
  // The four neighbours, also where a picture shrinks: fast, with aliasing.
  // This is what most training pipelines on video call bilinear.
  MACE_BILINEAR_2X2 = 3,
  MACE_AREA = 4  // the mean of the area that a pixel of the tensor covers
};

// What happens where picture and tensor have different aspect ratios.
typedef int32_t mace_image_fit_t;
enum {
  MACE_STRETCH = 0,    // the picture is distorted; the default
  MACE_LETTERBOX = 1,  // all in the middle, the padding colour around it
  MACE_CROP = 2        // its middle fills the tensor, the rest is cut off
};

// GRAY of a YUV picture is its Y, stretched to 0 to 255 if its range is
// limited; of others 0.299 R + 0.587 G + 0.114 B.
typedef int32_t mace_image_channels_t;
enum { MACE_CHANNELS_RGB = 0, MACE_CHANNELS_BGR = 1, MACE_CHANNELS_GRAY = 2 };

typedef struct mace_image_input mace_image_input_t;

// Stores an input of this size in `*input`, from 1 to 65536 each way: float32,
// NHWC, RGB, mean 0, scale 1, one thread. Threads: any.
MACE_API mace_status_t mace_image_input_create(int32_t width, int32_t height,
                                               mace_image_input_t** input);

// Converters do not need it any more. Null does nothing. Threads: any, once no
// other call uses `input`.
MACE_API void mace_image_input_destroy(mace_image_input_t* input);

// How the picture becomes one of the tensor's size. Threads: one at a time for
// `input`.
MACE_API mace_status_t mace_image_input_set_resize(mace_image_input_t* input,
                                                   mace_image_fit_t fit,
                                                   mace_image_filter_t filter);

// Sets the channels, and the mean and scale of each (1 / std where a model
// states a std; not 0), in the order of the channels; GRAY uses the first.
// Threads: one at a time for `input`.
MACE_API mace_status_t mace_image_input_set_channels(
    mace_image_input_t* input, mace_image_channels_t channels,
    const double mean[3], const double scale[3]);

// The colour beside a letterboxed picture, in the order of the channels; black
// unless set. Threads: one at a time for `input`.
MACE_API mace_status_t mace_image_input_set_padding(mace_image_input_t* input,
                                                    const uint8_t color[3]);

// MACE_FLOAT32, for which the others must be 1 and 0; or MACE_UINT8 or
// MACE_INT8, which hold the nearest integer to value / quantization_scale, ties
// to even, plus zero_point, clamped to the type's range. Threads: one at a time
// for `input`.
MACE_API mace_status_t mace_image_input_set_data_type(
    mace_image_input_t* input, mace_data_type_t data_type,
    double quantization_scale, int32_t zero_point);

// MACE_NHWC or MACE_NCHW. Threads: one at a time for `input`.
MACE_API mace_status_t mace_image_input_set_data_format(
    mace_image_input_t* input, mace_data_format_t data_format);

// From 1 to 1024. Threads: one at a time for `input`.
MACE_API mace_status_t mace_image_input_set_num_threads(
    mace_image_input_t* input, int32_t num_threads);

typedef struct mace_image_transform mace_image_transform_t;

// Stores a transform in `*transform`: the identity, with an empty content,
// until mace_image_convert sets it. One object may be used for any number of
// pictures in turn. Threads: any.
MACE_API mace_status_t
mace_image_transform_create(mace_image_transform_t** transform);

// Null does nothing. Threads: any, once no other call uses `transform`.
MACE_API void mace_image_transform_destroy(mace_image_transform_t* transform);

// Maps a point of the tensor to the stored picture, uncropped, or back.
// Coordinates are continuous: the pixel at (0, 0) reaches from 0 to 1 both
// ways. Threads: any, while no picture is converted with `transform`.
MACE_API mace_status_t mace_image_transform_to_picture(
    const mace_image_transform_t* transform, double x, double y,
    double* picture_x, double* picture_y);
MACE_API mace_status_t mace_image_transform_to_tensor(
    const mace_image_transform_t* transform, double x, double y,
    double* tensor_x, double* tensor_y);

// The six numbers of each map: x' = m[0] x + m[1] y + m[2], y' = m[3] x +
// m[4] y + m[5]. Either may be null. Threads: any, while no picture is
// converted with `transform`.
MACE_API mace_status_t
mace_image_transform_matrices(const mace_image_transform_t* transform,
                              double to_picture[6], double to_tensor[6]);

// The part of the tensor that shows the picture, in pixels; the rest is
// padding. Threads: any, while no picture is converted with `transform`.
MACE_API mace_status_t mace_image_transform_content(
    const mace_image_transform_t* transform, int32_t* x, int32_t* y,
    int32_t* width, int32_t* height);

// Concurrent calls for one converter run one after the other.
typedef struct mace_image_converter mace_image_converter_t;

// Stores a converter in `*converter`. Errors: MACE_INVALID_ARGS for a value of
// `input` out of range, with the value found; MACE_OUT_OF_RESOURCES;
// MACE_RUNTIME_ERROR if no micro-kernel computes rightly on this CPU. Threads:
// any, while no call changes `input`.
MACE_API mace_status_t mace_image_converter_create(
    const mace_image_input_t* input, mace_image_converter_t** converter);

// Null does nothing. Threads: any, once no other call uses `converter`.
MACE_API void mace_image_converter_destroy(mace_image_converter_t* converter);

// Returns the bytes of the tensor that mace_image_convert writes. Threads: any.
MACE_API size_t
mace_image_converter_tensor_bytes(const mace_image_converter_t* converter);

// Writes the tensor, of shape [1, height, width, channels] or, in NCHW,
// [1, channels, height, width]. `transform` may be null. While the format,
// color, size, crop, orientation and pixel strides of the picture stay the same
// nothing is allocated. On an error nothing is written. Errors:
// MACE_INVALID_ARGS for a value or a plane of `image` out of range (the message
// names it, what was found and what would be right), if `bytes` is too small
// or, for float32, `tensor` is not at a multiple of 4 bytes;
// MACE_OUT_OF_RESOURCES. Threads: any, while no call changes `image`; no other
// call may use `transform` meanwhile.
MACE_API mace_status_t mace_image_convert(mace_image_converter_t* converter,
                                          const mace_image_t* image,
                                          void* tensor, size_t bytes,
                                          mace_image_transform_t* transform);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // MACE_PUBLIC_MACE_C_IMAGE_H_
