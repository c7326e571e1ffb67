// What is checked of images and inputs, and which pixels meet which.
// SPDX-License-Identifier: Apache-2.0
//
// stored image          upright image         tensor
// +------------+
// |  +-----+   |  turn   +----+   resize   +--------+ padding
// |  |crop |   |  --->   |    |   ----->   +--------+
// |  +-----+   |  swap,  |    |            |content |
// +------------+  flip   +----+            +--------+
//                                          +--------+ padding
#ifndef MACE_IMAGE_GEOMETRY_H_
#define MACE_IMAGE_GEOMETRY_H_

#include "mace/base/status.h"
#include "mace/public/mace_image.h"

namespace mace::image {

// The maximum number of pixels of a side of an image or a tensor.
constexpr int kMaxSide = 65536;

// The image that the tensor shows: a part of the stored one, turned.
struct Geometry {
  MaceImageRect crop;  // of the stored image
  // The upright image's pixel (x, y) is the crop's (x, y), after x and y are
  // exchanged if `swap`, then x counted from the right if `flip_x` and y from
  // the bottom if `flip_y`.
  bool swap = false, flip_x = false, flip_y = false;
  int width = 0, height = 0;  // of the upright image
  MaceImageRect content;      // where it lies in the tensor
};

bool operator==(const Geometry& a, const Geometry& b);

int NumChannels(MaceImageChannels channels);
// Whether the format is NV12, NV21 or YUV420.
bool IsYuv(MaceImageFormat format);

// Errors: MACE_INVALID_ARGS naming the field.
Status CheckInput(const MaceImageInput& input);

// Returns the image with its strides and its crop filled in. Every pixel of
// it then lies within the bytes of its planes.
// Errors: MACE_INVALID_ARGS naming the field or the plane.
Result<MaceImage> CheckedImage(const MaceImage& image);

// Returns the geometry: the crop, reduced to the tensor's aspect ratio if
// `input` crops to fit, and the content, which is the whole tensor unless it is
// letterboxed. REQUIRES: `image` is from CheckedImage, and CheckInput(input) is
// OK.
Geometry GeometryOf(const MaceImage& image, const MaceImageInput& input);
// Returns the affine maps of points between the stored image and the tensor,
// both ways; the centre of pixel i is at i + 0.5.
MaceImageTransform TransformOf(const Geometry& geometry);

}  // namespace mace::image

#endif  // MACE_IMAGE_GEOMETRY_H_
