// MaceImageConverter: from a picture of a camera or a file to a model's input.
// SPDX-License-Identifier: Apache-2.0
//
//   MaceImage           A picture in the caller's memory: its format, planes
//                       and strides, which part is meant, which way is up.
//   MaceImageInput      What the model takes: size, channels, mean and scale.
//   MaceImageConverter  Converts one picture after the other, without a copy
//                       of the whole picture in between.
//   MaceImageTransform  Where a point of the tensor lies in the picture.
//
// The numbers are those of `preprocess` in a deployment file, to the last bit:
// value = (pixel - mean) * scale with pixels from 0 to 255. They do not depend
// on the CPU or on the number of threads. docs/pictures.md has an example and
// defines each step.
#ifndef MACE_PUBLIC_MACE_IMAGE_H_
#define MACE_PUBLIC_MACE_IMAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "mace/public/mace_api.h"
#include "mace/public/mace_tensor.h"
#include "mace/public/status.h"

namespace mace {

// The layout of pixels in memory, with 8 bits for each channel. The last three
// are YUV 4:2:0: two by two pixels share a U and a V. Where a width or height
// is odd, the last column or row has a U and a V of its own.
enum class MaceImageFormat {
  RGBA = 0,
  BGRA = 1,
  RGB = 2,
  BGR = 3,
  GRAY = 4,
  NV12 = 5,    // planes: Y; pairs of U and V
  NV21 = 6,    // planes: Y; pairs of V and U
  YUV420 = 7,  // planes: Y; U; V: I420, and Android's YUV_420_888
};

// What the Y, U and V of a picture mean. Limited range has Y from 16 to 235.
enum class MaceImageColor {
  BT601_FULL = 0,  // JPEG, and the cameras of Android
  BT601_LIMITED = 1,
  BT709_FULL = 2,
  BT709_LIMITED = 3,  // most video
};

// What makes the stored picture upright, by its number in EXIF. Rotations are
// clockwise.
enum class MaceImageOrientation {
  UPRIGHT = 1,
  MIRROR = 2,  // left and right exchanged
  ROTATE_180 = 3,
  FLIP = 4,       // top and bottom exchanged
  TRANSPOSE = 5,  // rows become columns
  ROTATE_90 = 6,
  TRANSVERSE = 7,  // TRANSPOSE, then ROTATE_180
  ROTATE_270 = 8,
};

struct MaceImagePlane {
  const void* data = nullptr;
  size_t bytes = 0;  // how many bytes may be read from `data` on
  // Bytes from the beginning of a row to that of the next; 0: no gap. At least
  // those of a row: not negative.
  int64_t row_stride = 0;
  // Bytes from a pixel to the next, or from a U to the next; 0: no gap.
  int64_t pixel_stride = 0;
};

// In pixels of the stored picture. Four zeros mean all of it; otherwise the
// width and height are at least 1.
struct MaceImageRect {
  int x = 0, y = 0, width = 0, height = 0;
};

struct MaceImage {
  MaceImageFormat format = MaceImageFormat::RGBA;
  MaceImageColor color = MaceImageColor::BT601_FULL;  // of YUV formats
  int width = 0, height = 0;  // as stored; from 1 to 65536
  MaceImagePlane planes[3];
  MaceImageRect crop;  // applied before the picture is turned
  MaceImageOrientation orientation = MaceImageOrientation::UPRIGHT;
};

// Describes a picture whose planes lie one after the other in one buffer, as
// those of an NV21 preview do. `row_stride` is that of the first plane and of
// pairs of U and V; a plane of U or of V alone has half of it, rounded up.
// Checks nothing: Convert reports what is wrong.
MACE_API MaceImage MaceImageInBuffer(MaceImageFormat format, const void* data,
                                     size_t bytes, int width, int height,
                                     int64_t row_stride = 0);

// `degrees` clockwise, a multiple of 90 as cameras report it, then `mirror`ed
// as the preview of a front camera is. Other degrees give a value that Convert
// refuses.
MACE_API MaceImageOrientation MaceImageTurned(int degrees, bool mirror);

// How a pixel of the tensor follows from those of the picture. The centre of
// pixel i is at i + 0.5 throughout.
enum class MaceImageFilter {
  NEAREST = 0,   // `interpolation: nearest`
  BILINEAR = 1,  // `interpolation: bilinear`: averages where a picture shrinks
  BICUBIC = 2,   // `interpolation: bicubic`: the same
  // The four neighbours, also where a picture shrinks: fast, with aliasing.
  // This is what most training pipelines on video call bilinear.
  BILINEAR_2X2 = 3,
  AREA = 4,  // the mean of the area that a pixel of the tensor covers
};

// What happens where picture and tensor have different aspect ratios.
enum class MaceImageFit {
  STRETCH = 0,    // the picture is distorted
  LETTERBOX = 1,  // all of it is in the middle, the padding colour around it
  CROP = 2,       // its middle fills the tensor, the rest is cut off
};

enum class MaceImageChannels { RGB = 0, BGR = 1, GRAY = 2 };

struct MaceImageInput {
  int width = 0, height = 0;  // from 1 to 65536
  MaceImageFit fit = MaceImageFit::STRETCH;
  MaceImageFilter filter = MaceImageFilter::BILINEAR;
  // GRAY of a YUV picture is its Y, stretched to 0 to 255 if its range is
  // limited; of others 0.299 R + 0.587 G + 0.114 B.
  MaceImageChannels channels = MaceImageChannels::RGB;
  // By channel, in the order of `channels`; GRAY uses the first.
  double mean[3] = {0, 0, 0};
  double scale[3] = {1, 1, 1};     // not 0; 1 / std where a model states a std
  uint8_t padding[3] = {0, 0, 0};  // a colour, from 0 to 255 as pixels are
  // IDT_FLOAT, for which the next two must be 1 and 0; or IDT_UINT8 or
  // IDT_INT8, which hold the nearest integer to value / quantization_scale,
  // ties to even, plus zero_point, clamped to the type's range.
  IDataType data_type = IDT_FLOAT;
  double quantization_scale = 1;
  int zero_point = 0;
  DataFormat data_format = DataFormat::NHWC;  // or NCHW
  int num_threads = 1;                        // from 1 to 1024
};

// Maps between the tensor and the picture by two matrices m: (x, y) becomes x'
// = m[0] x + m[1] y + m[2], y' = m[3] x + m[4] y + m[5]. Coordinates are
// continuous, in pixels: the pixel at (0, 0) reaches from 0 to 1 both ways.
struct MaceImageTransform {
  double to_picture[6] = {1, 0, 0, 0, 1, 0};  // the stored picture, uncropped
  double to_tensor[6] = {1, 0, 0, 0, 1, 0};
  // The part of the tensor that shows the picture; the rest is padding.
  MaceImageRect content;
};

// Maps a point by one of the transform's matrices.
inline void MaceImageMapPoint(const double (&m)[6], double x, double y,
                              double* mapped_x, double* mapped_y) {
  *mapped_x = m[0] * x + m[1] * y + m[2];
  *mapped_y = m[3] * x + m[4] * y + m[5];
}

// May be used from any thread; concurrent calls run one after the other.
class MACE_API MaceImageConverter {
 public:
  ~MaceImageConverter();
  MaceImageConverter(const MaceImageConverter&) = delete;
  MaceImageConverter& operator=(const MaceImageConverter&) = delete;

  // Stores a converter in `*converter`. Errors: MACE_INVALID_ARGS for a null
  // and for a field of `input` out of range, with the value found;
  // MACE_OUT_OF_RESOURCES; MACE_RUNTIME_ERROR if no micro-kernel computes
  // rightly on this CPU.
  static MaceStatus Create(const MaceImageInput& input,
                           std::unique_ptr<MaceImageConverter>* converter);

  // The bytes of the tensor that Convert writes.
  size_t tensor_bytes() const;

  // Writes the tensor, of shape [1, height, width, channels] or, in NCHW,
  // [1, channels, height, width], and nothing behind its tensor_bytes().
  // `transform` may be null. Tables that depend on the format, color, size,
  // crop, orientation and pixel strides of the picture are kept for the next
  // picture; while those stay the same nothing is allocated. On an error
  // nothing is written.
  // Errors: MACE_INVALID_ARGS for a field or plane of `image` out of range (the
  // message names it, what was found and what would be right), if `tensor` is
  // null or, for float32, not at a multiple of 4 bytes, or if `bytes` is less
  // than tensor_bytes(); MACE_OUT_OF_RESOURCES.
  MaceStatus Convert(const MaceImage& image, void* tensor, size_t bytes,
                     MaceImageTransform* transform = nullptr);

  class Impl;

 private:
  explicit MaceImageConverter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace mace

#endif  // MACE_PUBLIC_MACE_IMAGE_H_
