// Values and places of a tensor's pixels.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/output.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mace/image/geometry.h"

namespace mace::image {
namespace {

template <typename T>
struct Line {
  T* to;
  size_t pixel_step, channel_step;  // in elements
};

template <typename T>
void Write(const uint8_t* pixels, const Output::Order& order, size_t n,
           size_t channels, const T (*table)[256], const Line<T>& line) {
  const size_t step = order.step;
  if (channels == 3 && line.channel_step == 1) {
    const uint8_t *p0 = pixels + order.byte[0], *p1 = pixels + order.byte[1],
                  *p2 = pixels + order.byte[2];
    T* to = line.to;
    for (size_t i = 0; i < n; ++i, to += line.pixel_step) {
      const size_t at = i * step;
      to[0] = table[0][p0[at]];
      to[1] = table[1][p1[at]];
      to[2] = table[2][p2[at]];
    }
    return;
  }
  for (size_t c = 0; c < channels; ++c) {
    const uint8_t* p = pixels + order.byte[c];
    T* to = line.to + c * line.channel_step;
    for (size_t i = 0; i < n; ++i, to += line.pixel_step) {
      *to = table[c][p[i * step]];
    }
  }
}

double Value(const MaceImageInput& in, size_t channel, int pixel) {
  return (pixel - in.mean[channel]) * in.scale[channel];
}

uint8_t Quantized(const MaceImageInput& in, size_t channel, int pixel) {
  const double low = in.data_type == IDT_INT8 ? -128 : 0;
  const double x =
      std::nearbyint(Value(in, channel, pixel) / in.quantization_scale) +
      in.zero_point;
  return static_cast<uint8_t>(static_cast<int>(std::clamp(x, low, low + 255)));
}

}  // namespace

Output::Output(const MaceImageInput& input)
    : input_(input),
      channels_(static_cast<size_t>(NumChannels(input.channels))) {
  const bool is_float = input.data_type == IDT_FLOAT;
  bytes_ = static_cast<size_t>(input.width) *
           static_cast<size_t>(input.height) * channels_ *
           (is_float ? sizeof(float) : 1);
  for (size_t c = 0; c < channels_; ++c) {
    for (int p = 0; p < 256; ++p) {
      if (is_float) {
        table_.f32[c][p] = static_cast<float>(Value(input, c, p));
      } else {
        table_.u8[c][p] = Quantized(input, c, p);
      }
    }
  }
}

Output::Order Output::OrderOf(MaceImageFormat format, bool gray) const {
  Order order;
  if (gray) {
    order = {1, {0, 0, 0}};
  } else if ((input_.channels == MaceImageChannels::BGR) !=
             (format == MaceImageFormat::BGR ||
              format == MaceImageFormat::BGRA)) {
    std::swap(order.byte[0], order.byte[2]);
  }
  return order;
}

void Output::WriteLine(const uint8_t* pixels, const Order& order, size_t n,
                       int x, int y, bool down, void* tensor) const {
  const bool nhwc = input_.data_format == DataFormat::NHWC;
  const auto width = static_cast<size_t>(input_.width);
  const size_t pixel = nhwc ? channels_ : 1;
  const size_t step = pixel * (down ? width : 1);
  const size_t plane = nhwc ? 1 : width * static_cast<size_t>(input_.height);
  const size_t begin =
      (static_cast<size_t>(y) * width + static_cast<size_t>(x)) * pixel;
  if (input_.data_type == IDT_FLOAT) {
    Write<float>(pixels, order, n, channels_, table_.f32,
                 {static_cast<float*>(tensor) + begin, step, plane});
  } else {
    Write<uint8_t>(pixels, order, n, channels_, table_.u8,
                   {static_cast<uint8_t*>(tensor) + begin, step, plane});
  }
}

void Output::Pad(int x, int y, int n, void* tensor) const {
  const Order order = {0, {0, 1, 2}};  // the same pixel again and again
  WriteLine(input_.padding, order, static_cast<size_t>(n), x, y, false, tensor);
}

void Output::WritePadding(const MaceImageRect& content, void* tensor) const {
  const int right = content.x + content.width;
  for (int y = 0; y < input_.height; ++y) {
    if (y < content.y || y >= content.y + content.height) {
      Pad(0, y, input_.width, tensor);
    } else if (content.width < input_.width) {
      Pad(0, y, content.x, tensor);
      Pad(right, y, input_.width - right, tensor);
    }
  }
}

}  // namespace mace::image
