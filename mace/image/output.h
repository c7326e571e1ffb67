// Output: pixels of 8 bits to the values of a tensor, and where they go.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_OUTPUT_H_
#define MACE_IMAGE_OUTPUT_H_

#include <cstddef>
#include <cstdint>

#include "mace/public/mace_image.h"

namespace mace::image {

// The value in the tensor of each value p of a channel c: `f32` is (p -
// mean[c]) * scale[c], `u8` is that over quantization_scale, rounded to the
// nearest integer, ties to even, plus zero_point, and saturated. A channel of a
// pixel has 256 values, so each is computed once, in float64. Index c counts in
// the tensor's order of channels.
struct OutputTable {
  union {
    float f32[3][256];
    uint8_t u8[3][256];  // the bytes of int8 too
  };
};

// Immutable. Threads may write different lines of a tensor at once.
class Output {
 public:
  // Fills the table in the caller's rounding mode. REQUIRES: CheckInput(input)
  // is OK.
  explicit Output(const MaceImageInput& input);

  // Of the whole tensor.
  size_t bytes() const { return bytes_; }

  // How a line's pixels lie: `step` bytes apart, with the tensor's channel c at
  // byte[c]. The line has the channels of the image, so that BGR is but another
  // order. A step of 0 repeats one pixel.
  struct Order {
    size_t step = 4;  // bytes of a pixel
    size_t byte[3] = {0, 1, 2};
  };
  // `gray`: the line has 1 byte for each pixel, which all channels read.
  Order OrderOf(MaceImageFormat format, bool gray) const;

  // Writes n pixels from (x, y) of the tensor on, to the right or, if `down`,
  // downwards. NHWC elements are `channels` apart, those of NCHW lie in one
  // plane for each channel. REQUIRES: the line lies in the tensor; `tensor` is
  // aligned to 4 bytes if its elements are float32.
  void WriteLine(const uint8_t* pixels, const Order& order, size_t n, int x,
                 int y, bool down, void* tensor) const;

  // Writes MaceImageInput::padding, as values of the tensor, to all pixels
  // outside of `content`; those inside are not touched.
  void WritePadding(const MaceImageRect& content, void* tensor) const;

 private:
  // Writes n pixels of padding to the right of (x, y).
  void Pad(int x, int y, int n, void* tensor) const;

  MaceImageInput input_;
  size_t channels_, bytes_;
  OutputTable table_;
};

}  // namespace mace::image

#endif  // MACE_IMAGE_OUTPUT_H_
