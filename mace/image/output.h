// Output: pixels of 8 bits to the values of a tensor, and where they go.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_OUTPUT_H_
#define MACE_IMAGE_OUTPUT_H_

#include <cstddef>
#include <cstdint>

#include "mace/public/mace_image.h"

namespace mace::image {

// A channel of a pixel has 256 values, so each is computed once, in float64.
struct OutputTable {
  union {
    float f32[3][256];
    uint8_t u8[3][256];  // the bytes of int8 too
  };
};

class Output {
 public:
  // `input` was checked.
  explicit Output(const MaceImageInput& input);

  size_t bytes() const { return bytes_; }

  // Which byte of a pixel is the first, second and third channel.
  struct Order {
    size_t step = 4;  // bytes of a pixel
    size_t byte[3] = {0, 1, 2};
  };
  Order OrderOf(MaceImageFormat format, bool gray) const;

  // Writes n pixels from (x, y) of the tensor on, to the right or downwards.
  void WriteLine(const uint8_t* pixels, const Order& order, size_t n, int x,
                 int y, bool down, void* tensor) const;

  // Writes the padding colour around `content`.
  void WritePadding(const MaceImageRect& content, void* tensor) const;

 private:
  void Pad(int x, int y, int n, void* tensor) const;

  MaceImageInput input_;
  size_t channels_, bytes_;
  OutputTable table_;
};

}  // namespace mace::image

#endif  // MACE_IMAGE_OUTPUT_H_
