// What a picture and an input must be, and the messages where they are not.
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "mace/base/str_cat.h"
#include "mace/base/thread_pool.h"
#include "mace/image/geometry.h"

namespace mace {
namespace image {
namespace {

using std::to_string;

std::string Size(int64_t width, int64_t height) {
  return StrCat(width, "x", height);
}

std::string Number(double x) { return StrCat(x); }

// A plane of a format: what it holds, its extents and the bytes of a pixel.
struct PlaneLayout {
  const char* holds;
  int width, height;
  int pixel_bytes;
};

struct FormatLayout {
  const char* name;
  int num_planes;
  const char* holds[3];
  int pixel_bytes[3];
};

constexpr FormatLayout kFormats[] = {
    {"RGBA", 1, {"RGBA"}, {4}},       {"BGRA", 1, {"BGRA"}, {4}},
    {"RGB", 1, {"RGB"}, {3}},         {"BGR", 1, {"BGR"}, {3}},
    {"GRAY", 1, {"gray"}, {1}},       {"NV12", 2, {"Y", "UV"}, {1, 2}},
    {"NV21", 2, {"Y", "VU"}, {1, 2}}, {"YUV420", 3, {"Y", "U", "V"}, {1, 1, 1}},
};
constexpr int kNumFormats = sizeof(kFormats) / sizeof(kFormats[0]);

// REQUIRES: the format and the size are valid.
PlaneLayout LayoutOf(const MaceImage& image, int plane) {
  const FormatLayout& f = kFormats[static_cast<int>(image.format)];
  const bool half = plane > 0;  // 4:2:0; the last of an odd size counts
  return {f.holds[plane], half ? (image.width + 1) / 2 : image.width,
          half ? (image.height + 1) / 2 : image.height, f.pixel_bytes[plane]};
}

// How messages about a plane begin. Made where something is wrong only.
std::string Where(const MaceImage& image, int plane) {
  const PlaneLayout layout = LayoutOf(image, plane);
  return StrCat(kFormats[static_cast<int>(image.format)].name, " picture of ",
                Size(image.width, image.height), ", plane ", plane, " (",
                layout.holds, ", ", Size(layout.width, layout.height), ")");
}

// Bytes from the first to the last of n things, `stride` apart and `size` big;
// -1 if that is beyond 2^62.
int64_t Span(int64_t n, int64_t stride, int64_t size) {
  constexpr int64_t kMax = int64_t{1} << 62;
  int64_t span;
  if (__builtin_mul_overflow(n - 1, stride, &span) ||
      __builtin_add_overflow(span, size, &span) || span > kMax) {
    return -1;
  }
  return span;
}

Status FillStrides(MaceImage* image, int i) {
  const PlaneLayout layout = LayoutOf(*image, i);
  MaceImagePlane* const plane = &image->planes[i];
  const auto wrong = [&](const std::string& what) {
    return InvalidArgument(Where(*image, i), ": ", what);
  };
  if (plane->pixel_stride == 0) plane->pixel_stride = layout.pixel_bytes;
  if (plane->pixel_stride < layout.pixel_bytes) {
    return wrong(StrCat(
        "the pixel stride ", plane->pixel_stride, " is less than the ",
        layout.pixel_bytes,
        " byte(s) of a pixel; give 0 if pixels follow each other directly"));
  }
  const int64_t row =
      Span(layout.width, plane->pixel_stride, layout.pixel_bytes);
  if (row < 0) {
    return wrong(StrCat("the pixel stride ", plane->pixel_stride,
                        " is beyond any memory; give it in bytes"));
  }
  if (plane->row_stride == 0) {
    plane->row_stride = Span(layout.width + 1, plane->pixel_stride, 0);
    if (plane->row_stride < 0) plane->row_stride = row;
  }
  if (plane->row_stride < 0) {
    return wrong(StrCat(
        "the row stride ", plane->row_stride,
        " is negative; for a picture stored from the bottom up give the row "
        "that comes first in memory, and the orientation FLIP"));
  }
  if (plane->row_stride < row) {
    return wrong(StrCat(
        "the row stride ", plane->row_stride, " is less than the ", row,
        " bytes of a row (", layout.width, " pixels, ", plane->pixel_stride,
        " byte(s) apart); give it in bytes, or 0 if rows follow each other "
        "directly"));
  }
  return Status();
}

Status CheckPlane(MaceImage* image, int i) {
  const MaceImagePlane& plane = image->planes[i];
  if (plane.data == nullptr) {
    return InvalidArgument(Where(*image, i), ": the data is null");
  }
  MACE_RETURN_IF_ERROR(FillStrides(image, i));
  const PlaneLayout layout = LayoutOf(*image, i);
  const int64_t row =
      Span(layout.width, plane.pixel_stride, layout.pixel_bytes);
  const int64_t needed = Span(layout.height, plane.row_stride, row);
  if (needed >= 0 && static_cast<uint64_t>(needed) <= plane.bytes) {
    return Status();
  }
  return InvalidArgument(
      Where(*image, i), ": ", layout.height, " rows, ", plane.row_stride,
      " bytes apart, need ",
      needed < 0 ? "more bytes than there can be" : StrCat(needed, " bytes"),
      "; there are ", plane.bytes, ": check the size, the stride and `bytes`");
}

Status CheckCrop(MaceImage* image) {
  MaceImageRect& c = image->crop;
  if (c.x == 0 && c.y == 0 && c.width == 0 && c.height == 0) {
    c.width = image->width;
    c.height = image->height;
  }
  if (c.x < 0 || c.y < 0 || c.width < 1 || c.height < 1 ||
      int64_t{c.x} + c.width > image->width ||
      int64_t{c.y} + c.height > image->height) {
    return InvalidArgument(
        "the crop, ", Size(c.width, c.height), " pixels from (", c.x, ", ", c.y,
        "), does not lie in the picture of ", Size(image->width, image->height),
        "; give a part of the stored picture, before it is turned, or zeros "
        "for all of it");
  }
  return Status();
}

bool IsSide(int64_t x) { return x >= 1 && x <= kMaxSide; }

std::string Sides() { return StrCat("1 to ", kMaxSide); }

Status CheckChannel(const MaceImageInput& in, int i) {
  std::string at = "[";  // GCC 12 warns of overlaps in the sum of all three
  at += StrCat(i, "] is ");
  if (!std::isfinite(in.mean[i])) {
    return InvalidArgument("mean", at, Number(in.mean[i]),
                           "; give a number, 0 for none");
  }
  if (!std::isfinite(in.scale[i]) || in.scale[i] == 0) {
    return InvalidArgument("scale", at, Number(in.scale[i]),
                           ", which makes all pixels alike; give 1 for none");
  }
  constexpr double kMax = std::numeric_limits<float>::max();
  for (const double pixel : {0.0, 255.0}) {
    const double value = (pixel - in.mean[i]) * in.scale[i];
    if (!(std::fabs(value / in.quantization_scale) <= kMax)) {
      return InvalidArgument("channel ", i, ": the mean ", Number(in.mean[i]),
                             " and the scale ", Number(in.scale[i]), " make ",
                             Number(value),
                             " of a pixel, which float32 does not hold");
    }
  }
  return Status();
}

Status CheckTypes(const MaceImageInput& in) {
  if (in.data_format != DataFormat::NHWC &&
      in.data_format != DataFormat::NCHW) {
    return InvalidArgument("data_format is ", static_cast<int>(in.data_format),
                           "; give NHWC or NCHW");
  }
  if (in.data_type != IDT_FLOAT && in.data_type != IDT_UINT8 &&
      in.data_type != IDT_INT8) {
    return InvalidArgument("data_type is ", to_string(in.data_type),
                           "; give IDT_FLOAT, IDT_UINT8 or IDT_INT8");
  }
  if (!std::isfinite(in.quantization_scale) || in.quantization_scale <= 0) {
    return InvalidArgument("quantization_scale is ",
                           Number(in.quantization_scale),
                           "; give a positive number, 1 for none");
  }
  if (in.data_type == IDT_FLOAT) {
    if (in.quantization_scale == 1 && in.zero_point == 0) return Status();
    return InvalidArgument(
        "quantization_scale ", Number(in.quantization_scale),
        " and zero_point ", in.zero_point,
        " are those of IDT_UINT8 and IDT_INT8; data_type is IDT_FLOAT");
  }
  const int low = in.data_type == IDT_INT8 ? -128 : 0;
  if (in.zero_point < low || in.zero_point > low + 255) {
    return InvalidArgument("zero_point is ", in.zero_point,
                           "; the data type holds ", low, " to ", low + 255);
  }
  return Status();
}

template <typename E>
Status CheckEnum(const char* what, E value, int first, int last) {
  const int v = static_cast<int>(value);
  if (v >= first && v <= last) return Status();
  return InvalidArgument(what, " is ", v, "; the values go from ", first,
                         " to ", last);
}

}  // namespace

Status CheckInput(const MaceImageInput& in) {
  if (!IsSide(in.width) || !IsSide(in.height)) {
    return InvalidArgument("the tensor is to have ", Size(in.width, in.height),
                           " pixels; each side can be ", Sides());
  }
  MACE_RETURN_IF_ERROR(CheckEnum("fit", in.fit, 0, 2));
  MACE_RETURN_IF_ERROR(CheckEnum("filter", in.filter, 0, 4));
  MACE_RETURN_IF_ERROR(CheckEnum("channels", in.channels, 0, 2));
  MACE_RETURN_IF_ERROR(CheckTypes(in));
  for (int i = 0; i < NumChannels(in.channels); ++i) {
    MACE_RETURN_IF_ERROR(CheckChannel(in, i));
  }
  if (in.num_threads < 1 || in.num_threads > ThreadPool::kMaxThreads) {
    return InvalidArgument("num_threads is ", in.num_threads, "; give 1 to ",
                           ThreadPool::kMaxThreads);
  }
  const uint64_t bytes = uint64_t{4} * 3 * static_cast<uint64_t>(in.width) *
                         static_cast<uint64_t>(in.height);
  if (bytes > std::numeric_limits<ptrdiff_t>::max()) {
    return InvalidArgument("the tensor is to have ", Size(in.width, in.height),
                           " pixels, more than this machine can address");
  }
  return Status();
}

Result<MaceImage> CheckedImage(const MaceImage& given) {
  MaceImage image = given;
  MACE_RETURN_IF_ERROR(
      CheckEnum("the picture's format", image.format, 0, kNumFormats - 1));
  MACE_RETURN_IF_ERROR(CheckEnum("the picture's color", image.color, 0, 3));
  MACE_RETURN_IF_ERROR(
      CheckEnum("the picture's orientation", image.orientation, 1, 8));
  const FormatLayout& format = kFormats[static_cast<int>(image.format)];
  if (!IsSide(image.width) || !IsSide(image.height)) {
    return InvalidArgument("the picture has ", Size(image.width, image.height),
                           " pixels; each side can be ", Sides());
  }
  for (int i = 0; i < format.num_planes; ++i) {
    MACE_RETURN_IF_ERROR(CheckPlane(&image, i));
  }
  MACE_RETURN_IF_ERROR(CheckCrop(&image));
  return image;
}

}  // namespace image

MaceImage MaceImageInBuffer(MaceImageFormat format, const void* data,
                            size_t bytes, int width, int height,
                            int64_t row_stride) {
  MaceImage image;
  image.format = format;
  image.width = width;
  image.height = height;
  const int f = static_cast<int>(format);
  if (f < 0 || f >= image::kNumFormats || !image::IsSide(width) ||
      !image::IsSide(height)) {
    return image;
  }
  size_t at = 0;
  for (int i = 0; i < image::kFormats[f].num_planes; ++i) {
    MaceImagePlane& plane = image.planes[i];
    // Where there is no memory for a plane, it gets the end of the buffer and
    // no bytes, which Convert reports.
    plane.data =
        data == nullptr ? nullptr : static_cast<const char*>(data) + at;
    plane.bytes = bytes - at;
    const image::PlaneLayout layout = image::LayoutOf(image, i);
    const bool alone = i > 0 && layout.pixel_bytes == 1;
    plane.row_stride = alone ? row_stride / 2 + row_stride % 2 : row_stride;
    const int64_t row = plane.row_stride == 0
                            ? int64_t{layout.width} * layout.pixel_bytes
                            : plane.row_stride;
    const int64_t size = row < 0 ? -1 : image::Span(layout.height + 1, row, 0);
    at += size < 0 || static_cast<uint64_t>(size) > bytes - at
              ? bytes - at
              : static_cast<size_t>(size);
  }
  return image;
}

}  // namespace mace
