// The conversion step by step, each on the whole image.
// SPDX-License-Identifier: Apache-2.0
//
// Written for clarity, with 64-bit sums, and shares only the checks, the
// geometry and the taps with the product.
#ifndef MACE_IMAGE_TESTING_REFERENCE_H_
#define MACE_IMAGE_TESTING_REFERENCE_H_

#include <cstdint>
#include <vector>

#include "mace/public/mace_image.h"

namespace mace::image {

// Pixels as whole numbers from 0 to 255: [height][width][channels].
struct Pixels {
  int width = 0, height = 0, channels = 0;
  std::vector<int> values;

  Pixels(int w, int h, int c)
      : width(w),
        height(h),
        channels(c),
        values(static_cast<size_t>(w) * static_cast<size_t>(h) *
               static_cast<size_t>(c)) {}
  int& at(int x, int y, int c) {
    return values[static_cast<size_t>((y * width + x) * channels + c)];
  }
  int at(int x, int y, int c) const {
    return const_cast<Pixels*>(this)->at(x, y, c);
  }
};

// The image as RGB or, if `gray`, as grey, before it is cropped or turned.
Pixels ReferencePixels(const MaceImage& image, bool gray);

// Returns the tensor's bytes, which a Converter must reproduce exactly.
// REQUIRES: `image` and `input` are valid.
std::vector<uint8_t> ReferenceTensor(const MaceImage& image,
                                     const MaceImageInput& input);

}  // namespace mace::image

#endif  // MACE_IMAGE_TESTING_REFERENCE_H_
