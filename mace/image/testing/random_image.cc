// Random pictures and inputs.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/testing/random_image.h"

#include <algorithm>
#include <sstream>

#include "mace/image/geometry.h"

namespace mace::image {
namespace {

int PixelBytes(MaceImageFormat format, int plane) {
  switch (format) {
    case MaceImageFormat::RGBA:
    case MaceImageFormat::BGRA:
      return 4;
    case MaceImageFormat::RGB:
    case MaceImageFormat::BGR:
      return 3;
    case MaceImageFormat::NV12:
    case MaceImageFormat::NV21:
      return plane + 1;
    default:
      return 1;
  }
}

std::unique_ptr<uint8_t[]> Bytes(size_t n, Random* random) {
  std::unique_ptr<uint8_t[]> memory(new uint8_t[n]);
  // Extremes are frequent, as only they are clipped.
  for (size_t i = 0; i < n; ++i) {
    const uint64_t word = random->word();
    memory[i] = static_cast<uint8_t>(word % 5 == 0 ? 255 * (word >> 40 & 1)
                                                   : word >> 32);
  }
  return memory;
}

void Fill(int plane, bool spread, RandomImage* r, Random* random) {
  MaceImage& image = r->image;
  MaceImagePlane& p = image.planes[plane];
  const int width = plane > 0 ? (image.width + 1) / 2 : image.width;
  const int height = plane > 0 ? (image.height + 1) / 2 : image.height;
  const int64_t pixel = PixelBytes(image.format, plane);
  const int64_t step = pixel + (spread ? (*random)(0, 2) : 0);
  const int64_t row = (width - 1) * step + pixel;
  const bool loose = (*random)(0, 1) == 1;
  const int64_t stride = loose ? row + (*random)(0, 40) : width * step;
  p.pixel_stride = step == pixel && loose ? 0 : step;
  p.row_stride = loose ? stride : 0;
  p.bytes = static_cast<size_t>((height - 1) * stride + row);
  r->memory[plane] = Bytes(p.bytes, random);
  p.data = r->memory[plane].get();
}

// Android's usual YUV_420_888: U and V are every other byte of one array.
void Alternate(RandomImage* r, Random* random) {
  MaceImage& image = r->image;
  const int64_t width = (image.width + 1) / 2, height = (image.height + 1) / 2;
  const int64_t stride = 2 * width + (*random)(0, 20);
  const auto bytes = static_cast<size_t>((height - 1) * stride + 2 * width);
  r->memory[1] = Bytes(bytes, random);
  const int first = static_cast<int>((*random)(1, 2));
  for (int plane = 1; plane < 3; ++plane) {
    MaceImagePlane& p = image.planes[plane];
    const size_t begin = plane == first ? 0 : 1;
    p.data = r->memory[1].get() + begin;
    p.bytes = bytes - 1;
    p.pixel_stride = 2;
    p.row_stride = stride;
  }
}

int Side(int side, Random* random) {
  return static_cast<int>((*random)(1, (*random)(1, side)));
}

}  // namespace

RandomImage MakeRandomImage(int side, Random* random) {
  RandomImage r;
  MaceImage& image = r.image;
  image.format = static_cast<MaceImageFormat>((*random)(0, 7));
  image.color = static_cast<MaceImageColor>((*random)(0, 3));
  image.orientation = static_cast<MaceImageOrientation>((*random)(1, 8));
  image.width = Side(side, random);
  image.height = Side(side, random);
  const bool spread = (*random)(0, 3) == 0;
  const int planes = image.format == MaceImageFormat::YUV420 ? 3
                     : IsYuv(image.format)                   ? 2
                                                             : 1;
  const bool alternate = planes == 3 && (*random)(0, 1) == 0;
  for (int i = 0; i < (alternate ? 1 : planes); ++i) {
    Fill(i, spread, &r, random);
  }
  if (alternate) Alternate(&r, random);
  if ((*random)(0, 1) == 0) {
    MaceImageRect& c = image.crop;
    c.width = static_cast<int>((*random)(1, image.width));
    c.height = static_cast<int>((*random)(1, image.height));
    c.x = static_cast<int>((*random)(0, image.width - c.width));
    c.y = static_cast<int>((*random)(0, image.height - c.height));
  }
  return r;
}

MaceImageInput MakeRandomInput(int side, Random* random) {
  MaceImageInput in;
  in.width = Side(side, random);
  in.height = Side(side, random);
  in.fit = static_cast<MaceImageFit>((*random)(0, 2));
  in.filter = static_cast<MaceImageFilter>((*random)(0, 4));
  in.channels = static_cast<MaceImageChannels>((*random)(0, 2));
  in.data_format = (*random)(0, 1) == 0 ? DataFormat::NHWC : DataFormat::NCHW;
  constexpr IDataType kTypes[] = {IDT_FLOAT, IDT_FLOAT, IDT_UINT8, IDT_INT8};
  in.data_type = kTypes[(*random)(0, 3)];
  // Starting a thread takes longer than all else here.
  in.num_threads = (*random)(0, 9) == 0 ? static_cast<int>((*random)(2, 3)) : 1;
  for (int c = 0; c < 3; ++c) {
    in.mean[c] = static_cast<double>((*random)(-1000, 3000)) / 10;
    in.scale[c] = static_cast<double>((*random)(1, 999)) / 500;
    in.padding[c] = static_cast<uint8_t>((*random)(0, 255));
  }
  if (in.data_type != IDT_FLOAT) {
    in.quantization_scale = static_cast<double>((*random)(1, 300)) / 100;
    const int low = in.data_type == IDT_INT8 ? -128 : 0;
    in.zero_point = static_cast<int>((*random)(low, low + 255));
  }
  return in;
}

std::string Describe(const MaceImage& image, const MaceImageInput& input) {
  std::ostringstream s;
  s << "format " << static_cast<int>(image.format) << " color "
    << static_cast<int>(image.color) << " " << image.width << "x"
    << image.height << " crop " << image.crop.x << "," << image.crop.y << " "
    << image.crop.width << "x" << image.crop.height << " orientation "
    << static_cast<int>(image.orientation) << " strides "
    << image.planes[0].row_stride << "/" << image.planes[0].pixel_stride
    << "; to " << input.width << "x" << input.height << " fit "
    << static_cast<int>(input.fit) << " filter "
    << static_cast<int>(input.filter) << " channels "
    << static_cast<int>(input.channels) << " type " << input.data_type
    << " layout " << static_cast<int>(input.data_format) << " threads "
    << input.num_threads;
  return s.str();
}

}  // namespace mace::image
