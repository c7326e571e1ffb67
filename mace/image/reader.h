// PixelReader: pixels of a picture in any format, as rows of one kind.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_READER_H_
#define MACE_IMAGE_READER_H_

#include <cstddef>
#include <cstdint>

#include "mace/image/row_kernels.h"
#include "mace/public/mace_image.h"

namespace mace::image {

// Columns of the stored picture, in the order in which they are wanted.
struct Columns {
  const int32_t* at = nullptr;  // [n]; null: from `begin` on, ascending
  int32_t begin = 0;
  size_t n = 0;
};

// Rows come as pixels of 4 bytes, with the channels in the picture's order (YUV
// as R, G, B), or as grey pixels of 1 byte.
class PixelReader {
 public:
  // Bytes of scratch memory for each pixel.
  static constexpr size_t kScratch = 4;

  // `image` was checked. Grey pictures need `gray`.
  PixelReader(const MaceImage& image, bool gray, const RowKernels& kernels);

  // Whether the picture's own rows are such rows.
  bool direct() const { return direct_; }
  // REQUIRES: direct().
  const uint8_t* Row(int y) const { return At(0, 0, y); }

  // The pixels of row y. `scratch` has kScratch bytes for each.
  void Read(int y, const Columns& columns, uint8_t* out,
            uint8_t* scratch) const;

 private:
  const uint8_t* At(int plane, int x, int y) const;
  void ReadColours(int y, const Columns& columns, uint8_t* out) const;
  void ReadYuv(int y, const Columns& columns, uint8_t* out,
               uint8_t* scratch) const;
  void ReadLuma(int y, const Columns& columns, uint8_t* out) const;
  YuvRow ChromaFrom(int x, int y) const;

  MaceImage image_;
  const RowKernels& kernels_;
  bool gray_, direct_, stretch_luma_ = false;
  YuvWeights yuv_ = {};
  uint8_t luma_[256];  // of limited range to full range
};

}  // namespace mace::image

#endif  // MACE_IMAGE_READER_H_
