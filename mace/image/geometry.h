// What is checked of pictures and inputs, and which pixels meet which.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_GEOMETRY_H_
#define MACE_IMAGE_GEOMETRY_H_

#include "mace/base/status.h"
#include "mace/public/mace_image.h"

namespace mace::image {

constexpr int kMaxSide = 65536;

// The picture that the tensor shows: a part of the stored one, turned.
struct Geometry {
  MaceImageRect crop;  // of the stored picture
  // The upright picture's pixel (x, y) is the crop's (x, y), after x and y are
  // exchanged if `swap`, then x counted from the right if `flip_x` and y from
  // the bottom if `flip_y`.
  bool swap = false, flip_x = false, flip_y = false;
  int width = 0, height = 0;  // of the upright picture
  MaceImageRect content;      // where it lies in the tensor
};

bool operator==(const Geometry& a, const Geometry& b);

int NumChannels(MaceImageChannels channels);
bool IsYuv(MaceImageFormat format);

// Errors: MACE_INVALID_ARGS naming the field.
Status CheckInput(const MaceImageInput& input);

// Returns the picture with its strides and its crop filled in. Every pixel of
// it then lies within the bytes of its planes.
// Errors: MACE_INVALID_ARGS naming the field or the plane.
Result<MaceImage> CheckedImage(const MaceImage& image);

// REQUIRES: both were checked.
Geometry GeometryOf(const MaceImage& image, const MaceImageInput& input);
MaceImageTransform TransformOf(const Geometry& geometry);

}  // namespace mace::image

#endif  // MACE_IMAGE_GEOMETRY_H_
