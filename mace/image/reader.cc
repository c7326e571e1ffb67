// Reading pixels of each format.
// SPDX-License-Identifier: Apache-2.0
//
// Source: Recommendations ITU-R BT.601-7 and BT.709-6, sections 2.5 and 3.

#include "mace/image/reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mace/image/geometry.h"

namespace mace::image {
namespace {

YuvWeights WeightsOf(MaceImageColor color) {
  const bool is_709 = color == MaceImageColor::BT709_FULL ||
                      color == MaceImageColor::BT709_LIMITED;
  const bool limited = color == MaceImageColor::BT601_LIMITED ||
                       color == MaceImageColor::BT709_LIMITED;
  const double red = is_709 ? 0.2126 : 0.299, blue = is_709 ? 0.0722 : 0.114;
  const double green = 1 - red - blue;
  const double luma = limited ? 255.0 / 219 : 1;
  const double chroma = 2 * (limited ? 255.0 / 224 : 1);
  const auto fixed = [](double x) {
    return static_cast<int16_t>(std::lround(x * (1 << kYuvBits)));
  };
  return {static_cast<int16_t>(limited ? 16 : 0),
          fixed(luma),
          fixed(chroma * (1 - red)),
          fixed(-chroma * (1 - blue) * blue / green),
          fixed(-chroma * (1 - red) * red / green),
          fixed(chroma * (1 - blue))};
}

int32_t Column(const Columns& c, size_t i) {
  return c.at != nullptr ? c.at[i] : c.begin + static_cast<int32_t>(i);
}

// kBytes of each pixel, kStep bytes apart in `out`.
template <size_t kBytes, size_t kStep>
void Gather(const uint8_t* row, int64_t stride, const Columns& columns,
            uint8_t* out) {
  for (size_t i = 0; i < columns.n; ++i) {
    std::memcpy(out + i * kStep, row + Column(columns, i) * stride, kBytes);
  }
}

bool OneApart(const uint8_t* a, const uint8_t* b) {
  const auto x = reinterpret_cast<uintptr_t>(a);
  const auto y = reinterpret_cast<uintptr_t>(b);
  return x + 1 == y || y + 1 == x;
}

}  // namespace

PixelReader::PixelReader(const MaceImage& image, bool gray,
                         const RowKernels& kernels)
    : image_(image), kernels_(kernels), gray_(gray) {
  using F = MaceImageFormat;
  const F f = image.format;
  const int64_t stride = image.planes[0].pixel_stride;
  yuv_ = WeightsOf(image.color);
  const bool yuv = IsYuv(f);
  stretch_luma_ = yuv && yuv_.offset != 0;
  for (int y = 0; y < 256; ++y) {
    const int value =
        ((y - yuv_.offset) * yuv_.y + (1 << (kYuvBits - 1))) >> kYuvBits;
    luma_[y] = static_cast<uint8_t>(std::clamp(value, 0, 255));
  }
  direct_ = gray ? (f == F::GRAY || (yuv && !stretch_luma_)) && stride == 1
                 : (f == F::RGBA || f == F::BGRA) && stride == 4;
}

const uint8_t* PixelReader::At(int plane, int x, int y) const {
  const MaceImagePlane& p = image_.planes[plane];
  return static_cast<const uint8_t*>(p.data) + y * p.row_stride +
         x * p.pixel_stride;
}

void PixelReader::Read(int y, const Columns& columns, uint8_t* out,
                       uint8_t* scratch) const {
  const MaceImageFormat f = image_.format;
  if (!gray_) {
    if (IsYuv(f)) {
      ReadYuv(y, columns, out, scratch);
    } else {
      ReadColours(y, columns, out);
    }
  } else if (f >= MaceImageFormat::GRAY) {
    ReadLuma(y, columns, out);
  } else {
    ReadColours(y, columns, scratch);
    const bool red_last =
        f == MaceImageFormat::BGRA || f == MaceImageFormat::BGR;
    kernels_.rgbx_to_gray(scratch, columns.n, red_last ? 2 : 0, out);
  }
}

void PixelReader::ReadColours(int y, const Columns& columns,
                              uint8_t* out) const {
  const int64_t stride = image_.planes[0].pixel_stride;
  const uint8_t* row = At(0, 0, y);
  const bool three = image_.format == MaceImageFormat::RGB ||
                     image_.format == MaceImageFormat::BGR;
  if (columns.at != nullptr || stride != (three ? 3 : 4)) {
    three ? Gather<3, 4>(row, stride, columns, out)
          : Gather<4, 4>(row, stride, columns, out);
  } else if (three) {
    kernels_.rgb_to_rgbx(row + int64_t{columns.begin} * 3, columns.n, out);
  } else {
    std::memcpy(out, row + int64_t{columns.begin} * 4, columns.n * 4);
  }
}

void PixelReader::ReadLuma(int y, const Columns& columns, uint8_t* out) const {
  const int64_t stride = image_.planes[0].pixel_stride;
  const uint8_t* row = At(0, 0, y);
  if (columns.at != nullptr || stride != 1) {
    Gather<1, 1>(row, stride, columns, out);
  } else {
    std::memcpy(out, row + columns.begin, columns.n);
  }
  for (size_t i = 0; stretch_luma_ && i < columns.n; ++i)
    out[i] = luma_[out[i]];
}

// The U and V of the pixels from (x, y) on. `y` of the result is not set.
YuvRow PixelReader::ChromaFrom(int x, int y) const {
  YuvRow row = {};
  row.chroma = Chroma::kPairs;
  if (image_.format == MaceImageFormat::YUV420) {
    row.u = At(1, x / 2, y / 2);
    row.v = At(2, x / 2, y / 2);
    row.chroma = Chroma::kHalf;
  } else {
    const size_t v_first = image_.format == MaceImageFormat::NV21 ? 1 : 0;
    row.u = At(1, x / 2, y / 2) + v_first;
    row.v = At(1, x / 2, y / 2) + 1 - v_first;
  }
  return row;
}

void PixelReader::ReadYuv(int y, const Columns& columns, uint8_t* out,
                          uint8_t* scratch) const {
  const int64_t luma_stride = image_.planes[0].pixel_stride;
  const int64_t stride_u = image_.planes[1].pixel_stride;
  const int64_t stride_v = image_.format == MaceImageFormat::YUV420
                               ? image_.planes[2].pixel_stride
                               : stride_u;
  YuvRow row = ChromaFrom(0, y);
  const bool planes = stride_u == 1 && stride_v == 1;
  const bool pairs = stride_u == 2 && stride_v == 2 && OneApart(row.u, row.v);
  if (columns.at == nullptr && luma_stride == 1 && (planes || pairs)) {
    int32_t begin = columns.begin;
    size_t n = columns.n;
    row.y = At(0, begin, y);
    row.u += begin / 2 * stride_u;
    row.v += begin / 2 * stride_v;
    if (begin % 2 != 0) {  // the second of two pixels with this U and V
      row.chroma = Chroma::kEach;
      kernels_.yuv_to_rgbx(row, yuv_, 1, out);
      row.y += 1;
      row.u += stride_u;
      row.v += stride_v;
      out += 4;
      --n;
    }
    row.chroma = planes ? Chroma::kHalf : Chroma::kPairs;
    kernels_.yuv_to_rgbx(row, yuv_, n, out);
    return;
  }
  uint8_t* const ys = scratch;
  uint8_t* const us = ys + columns.n;
  uint8_t* const vs = us + columns.n;
  const uint8_t* const luma = At(0, 0, y);
  for (size_t i = 0; i < columns.n; ++i) {
    const int32_t x = Column(columns, i);
    ys[i] = luma[x * luma_stride];
    us[i] = row.u[x / 2 * stride_u];
    vs[i] = row.v[x / 2 * stride_v];
  }
  const YuvRow each = {ys, us, vs, Chroma::kEach};
  kernels_.yuv_to_rgbx(each, yuv_, columns.n, out);
}

}  // namespace mace::image
