// The conversion step by step.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/testing/reference.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mace/image/geometry.h"
#include "mace/image/taps.h"

namespace mace::image {
namespace {

int Byte(const MaceImage& image, int plane, int x, int y, int channel) {
  const MaceImagePlane& p = image.planes[plane];
  return static_cast<const uint8_t*>(
      p.data)[y * p.row_stride + x * p.pixel_stride + channel];
}

int Clamp(int64_t x) {
  return static_cast<int>(std::clamp<int64_t>(x, 0, 255));
}

struct Yuv {
  int y, u, v;
};

Yuv YuvAt(const MaceImage& image, int x, int y) {
  const int luma = Byte(image, 0, x, y, 0);
  switch (image.format) {
    case MaceImageFormat::NV12:
      return {luma, Byte(image, 1, x / 2, y / 2, 0),
              Byte(image, 1, x / 2, y / 2, 1)};
    case MaceImageFormat::NV21:
      return {luma, Byte(image, 1, x / 2, y / 2, 1),
              Byte(image, 1, x / 2, y / 2, 0)};
    default:
      return {luma, Byte(image, 1, x / 2, y / 2, 0),
              Byte(image, 2, x / 2, y / 2, 0)};
  }
}

// In units of 2^-13, each rounded: offset, y, rv, gu, gv, bu.
struct Matrix {
  int offset, y, rv, gu, gv, bu;
};

Matrix MatrixOf(MaceImageColor color) {
  switch (color) {
    case MaceImageColor::BT601_FULL:
      return {0, 8192, 11485, -2819, -5850, 14516};
    case MaceImageColor::BT601_LIMITED:
      return {16, 9539, 13075, -3209, -6660, 16525};
    case MaceImageColor::BT709_FULL:
      return {0, 8192, 12901, -1535, -3835, 15201};
    default:
      return {16, 9539, 14686, -1747, -4366, 17305};
  }
}

int Luma(const Matrix& m, int y) {
  return Clamp((int64_t{y - m.offset} * m.y + 4096) >> 13);
}

// R, G and B of a picture that is not YUV.
void Colours(const MaceImage& image, int x, int y, int* rgb) {
  const bool bgr = image.format == MaceImageFormat::BGR ||
                   image.format == MaceImageFormat::BGRA;
  for (int c = 0; c < 3; ++c) rgb[c] = Byte(image, 0, x, y, bgr ? 2 - c : c);
}

void YuvColours(const MaceImage& image, const Matrix& m, int x, int y,
                int* rgb) {
  const Yuv p = YuvAt(image, x, y);
  const int64_t l = int64_t{p.y - m.offset} * m.y + 4096;
  const int64_t u = p.u - 128, v = p.v - 128;
  rgb[0] = Clamp((l + m.rv * v) >> 13);
  rgb[1] = Clamp((l + m.gu * u + m.gv * v) >> 13);
  rgb[2] = Clamp((l + m.bu * u) >> 13);
}

Pixels Upright(const Pixels& stored, const Geometry& g) {
  Pixels out(g.width, g.height, stored.channels);
  for (int y = 0; y < g.height; ++y) {
    for (int x = 0; x < g.width; ++x) {
      int sx = g.swap ? y : x, sy = g.swap ? x : y;
      if (g.flip_x) sx = g.crop.width - 1 - sx;
      if (g.flip_y) sy = g.crop.height - 1 - sy;
      for (int c = 0; c < stored.channels; ++c) {
        out.at(x, y, c) = stored.at(g.crop.x + sx, g.crop.y + sy, c);
      }
    }
  }
  return out;
}

int64_t Sum(const Taps& taps, int i, const Pixels& in, int x, int y, int c,
            bool across) {
  int64_t sum = int64_t{1} << (kWeightBits - 1);
  const auto at = static_cast<size_t>(i);
  for (int k = 0; k < taps.count[at]; ++k) {
    const int from = taps.first[at] + k;
    sum += int64_t{taps.weights_of(i)[k]} *
           (across ? in.at(from, y, c) : in.at(x, from, c));
  }
  return sum >> kWeightBits;
}

Pixels Resized(const Pixels& in, int width, int height,
               MaceImageFilter filter) {
  const auto across = MakeTaps(filter, in.width, width);
  const auto down = MakeTaps(filter, in.height, height);
  Pixels wide(width, in.height, in.channels), out(width, height, in.channels);
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < in.channels; ++c) {
        wide.at(x, y, c) = Clamp(Sum(*across, x, in, x, y, c, true));
      }
    }
  }
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < in.channels; ++c) {
        out.at(x, y, c) = Clamp(Sum(*down, y, wide, x, y, c, false));
      }
    }
  }
  return out;
}

void Put(const MaceImageInput& in, size_t channel, int pixel, size_t element,
         std::vector<uint8_t>* tensor) {
  const double value = (pixel - in.mean[channel]) * in.scale[channel];
  if (in.data_type == IDT_FLOAT) {
    const auto f = static_cast<float>(value);
    std::memcpy(tensor->data() + element * 4, &f, 4);
    return;
  }
  const double low = in.data_type == IDT_INT8 ? -128 : 0;
  const double q = std::rint(value / in.quantization_scale) + in.zero_point;
  (*tensor)[element] = static_cast<uint8_t>(
      static_cast<int>(std::min(std::max(q, low), low + 255)));
}

}  // namespace

Pixels ReferencePixels(const MaceImage& image, bool gray) {
  const Matrix matrix = MatrixOf(image.color);
  Pixels out(image.width, image.height, gray ? 1 : 3);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      int rgb[3];
      if (image.format == MaceImageFormat::GRAY) {
        rgb[0] = rgb[1] = rgb[2] = Byte(image, 0, x, y, 0);
      } else if (IsYuv(image.format)) {
        YuvColours(image, matrix, x, y, rgb);
        if (gray) rgb[0] = Luma(matrix, Byte(image, 0, x, y, 0));
      } else {
        Colours(image, x, y, rgb);
        if (gray) {
          rgb[0] =
              (rgb[0] * 19595 + rgb[1] * 38470 + rgb[2] * 7471 + 0x8000) >> 16;
        }
      }
      for (int c = 0; c < out.channels; ++c) out.at(x, y, c) = rgb[c];
    }
  }
  return out;
}

std::vector<uint8_t> ReferenceTensor(const MaceImage& given,
                                     const MaceImageInput& in) {
  const MaceImage image = *CheckedImage(given);
  const bool gray = in.channels == MaceImageChannels::GRAY;
  const Geometry g = GeometryOf(image, in);
  const Pixels small = Resized(Upright(ReferencePixels(image, gray), g),
                               g.content.width, g.content.height, in.filter);
  const int channels = NumChannels(in.channels);
  const auto size = static_cast<size_t>(in.width * in.height * channels);
  std::vector<uint8_t> tensor(size * (in.data_type == IDT_FLOAT ? 4 : 1));
  for (int y = 0; y < in.height; ++y) {
    for (int x = 0; x < in.width; ++x) {
      const int px = x - g.content.x, py = y - g.content.y;
      const bool inside =
          px >= 0 && py >= 0 && px < small.width && py < small.height;
      for (int c = 0; c < channels; ++c) {
        const int from = in.channels == MaceImageChannels::BGR ? 2 - c : c;
        const int pixel = inside ? small.at(px, py, from) : in.padding[c];
        const int element = in.data_format == DataFormat::NHWC
                                ? (y * in.width + x) * channels + c
                                : (c * in.height + y) * in.width + x;
        Put(in, static_cast<size_t>(c), pixel, static_cast<size_t>(element),
            &tensor);
      }
    }
  }
  return tensor;
}

}  // namespace mace::image
