// PixelReader: pixels of an image in any format, as rows of one kind.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_READER_H_
#define MACE_IMAGE_READER_H_

#include <cstddef>
#include <cstdint>

#include "mace/image/row_kernels.h"
#include "mace/public/mace_image.h"

namespace mace::image {

// Columns of the stored image, in the order in which they are wanted.
struct Columns {
  const int32_t* at = nullptr;  // [n]; null: from `begin` on, ascending
  int32_t begin = 0;
  size_t n = 0;
};

// Rows come as pixels of 4 bytes, with the channels in the image's order (YUV
// as R, G, B; the fourth byte may be anything), or as gray pixels of 1 byte:
// luma, stretched to the full range, for YUV.
// Immutable; threads may read at once. The image's memory is not owned, and
// nothing beyond the last byte of a pixel that is asked for is read, since an
// app's buffer may end there.
class PixelReader {
 public:
  // Bytes of scratch memory for each pixel.
  static constexpr size_t kScratch = 4;

  // Gray images need `gray`. `kernels` must outlive the object. REQUIRES:
  // `image` is what CheckedImage returned.
  PixelReader(const MaceImage& image, bool gray, const RowKernels& kernels);

  // Whether the image's own rows are such rows: 4 or 1 bytes apart, with
  // nothing to convert.
  bool direct() const { return direct_; }
  // Returns pixel 0 of row y in the image. REQUIRES: direct().
  const uint8_t* Row(int y) const { return At(0, 0, y); }

  // Writes columns.n pixels of row y, in the order of `columns`, to `out`,
  // which has 4 bytes for each, or 1 if gray. `scratch` has kScratch bytes for
  // each: the gathered Y, U and V, or the colours that become gray.
  void Read(int y, const Columns& columns, uint8_t* out,
            uint8_t* scratch) const;

 private:
  // The first byte of pixel (x, y) of a plane, which counts in its own pixels.
  const uint8_t* At(int plane, int x, int y) const;
  void ReadColours(int y, const Columns& columns, uint8_t* out) const;
  void ReadYuv(int y, const Columns& columns, uint8_t* out,
               uint8_t* scratch) const;
  void ReadLuma(int y, const Columns& columns, uint8_t* out) const;
  // The U and V of the pixels from (x, y) on; the result's y is not set.
  YuvRow ChromaFrom(int x, int y) const;

  MaceImage image_;
  const RowKernels& kernels_;
  bool gray_, direct_, stretch_luma_ = false;
  YuvWeights yuv_ = {};
  uint8_t luma_[256];  // of limited range to full range
};

}  // namespace mace::image

#endif  // MACE_IMAGE_READER_H_
