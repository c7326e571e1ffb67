// Crop, orientation and fit as whole numbers, and as a transform of points.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/geometry.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mace {
namespace {

bool Same(const MaceImageRect& a, const MaceImageRect& b) {
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

// a * b / c to the nearest whole number, at least 1.
int Scaled(int64_t a, int64_t b, int64_t c) {
  return static_cast<int>(std::max<int64_t>(1, (2 * a * b + c) / (2 * c)));
}

}  // namespace

MaceImageOrientation MaceImageTurned(int degrees, bool mirror) {
  constexpr MaceImageOrientation kTurned[4][2] = {
      {MaceImageOrientation::UPRIGHT, MaceImageOrientation::MIRROR},
      {MaceImageOrientation::ROTATE_90, MaceImageOrientation::TRANSPOSE},
      {MaceImageOrientation::ROTATE_180, MaceImageOrientation::FLIP},
      {MaceImageOrientation::ROTATE_270, MaceImageOrientation::TRANSVERSE}};
  if (degrees % 90 != 0) return static_cast<MaceImageOrientation>(0);
  return kTurned[(degrees / 90 % 4 + 4) % 4][mirror ? 1 : 0];
}

namespace image {
namespace {

// The largest part in the middle of the upright picture with the tensor's
// aspect ratio.
void CropToFit(const MaceImageInput& input, Geometry* g) {
  MaceImageRect keep = {0, 0, g->width, g->height};
  if (int64_t{g->width} * input.height > int64_t{input.width} * g->height) {
    keep.width =
        std::min(g->width, Scaled(g->height, input.width, input.height));
  } else {
    keep.height =
        std::min(g->height, Scaled(g->width, input.height, input.width));
  }
  keep.x = (g->width - keep.width) / 2;
  keep.y = (g->height - keep.height) / 2;
  g->width = keep.width;
  g->height = keep.height;
  if (g->swap) {
    std::swap(keep.x, keep.y);
    std::swap(keep.width, keep.height);
  }
  g->crop.x += g->flip_x ? g->crop.width - keep.x - keep.width : keep.x;
  g->crop.y += g->flip_y ? g->crop.height - keep.y - keep.height : keep.y;
  g->crop.width = keep.width;
  g->crop.height = keep.height;
}

MaceImageRect Letterboxed(const MaceImageInput& input, const Geometry& g) {
  MaceImageRect r = {0, 0, input.width, input.height};
  if (int64_t{g.width} * input.height > int64_t{input.width} * g.height) {
    r.height = std::min(input.height, Scaled(g.height, input.width, g.width));
  } else {
    r.width = std::min(input.width, Scaled(g.width, input.height, g.height));
  }
  r.x = (input.width - r.width) / 2;
  r.y = (input.height - r.height) / 2;
  return r;
}

}  // namespace

bool operator==(const Geometry& a, const Geometry& b) {
  return Same(a.crop, b.crop) && a.swap == b.swap && a.flip_x == b.flip_x &&
         a.flip_y == b.flip_y && a.width == b.width && a.height == b.height &&
         Same(a.content, b.content);
}

int NumChannels(MaceImageChannels channels) {
  return channels == MaceImageChannels::GRAY ? 1 : 3;
}

bool IsYuv(MaceImageFormat format) { return format >= MaceImageFormat::NV12; }

Geometry GeometryOf(const MaceImage& image, const MaceImageInput& input) {
  using O = MaceImageOrientation;
  const O o = image.orientation;
  Geometry g;
  g.crop = image.crop;
  g.swap = o >= O::TRANSPOSE;
  g.flip_x = o == O::MIRROR || o == O::ROTATE_180 || o == O::TRANSVERSE ||
             o == O::ROTATE_270;
  g.flip_y = o == O::ROTATE_180 || o == O::FLIP || o == O::ROTATE_90 ||
             o == O::TRANSVERSE;
  g.width = g.swap ? g.crop.height : g.crop.width;
  g.height = g.swap ? g.crop.width : g.crop.height;
  if (input.fit == MaceImageFit::CROP) CropToFit(input, &g);
  g.content = {0, 0, input.width, input.height};
  if (input.fit == MaceImageFit::LETTERBOX) g.content = Letterboxed(input, g);
  return g;
}

MaceImageTransform TransformOf(const Geometry& g) {
  // Tensor to upright: x * sx + tx, y * sy + ty.
  const double sx = static_cast<double>(g.width) / g.content.width;
  const double sy = static_cast<double>(g.height) / g.content.height;
  const double tx = -g.content.x * sx, ty = -g.content.y * sy;
  // Upright to stored: the rows of the tensor's matrix change places with the
  // axes, and flipped ones count from the other end.
  MaceImageTransform t;
  double x[3] = {g.swap ? 0 : sx, g.swap ? sy : 0, g.swap ? ty : tx};
  double y[3] = {g.swap ? sx : 0, g.swap ? 0 : sy, g.swap ? tx : ty};
  const auto flip = [](double* row, double size) {
    row[0] = -row[0];
    row[1] = -row[1];
    row[2] = size - row[2];
  };
  if (g.flip_x) flip(x, g.crop.width);
  if (g.flip_y) flip(y, g.crop.height);
  x[2] += g.crop.x;
  y[2] += g.crop.y;
  std::copy(x, x + 3, t.to_picture);
  std::copy(y, y + 3, t.to_picture + 3);
  // One factor of each row is 0, so the inverse is exact but for rounding.
  const double(&m)[6] = t.to_picture;
  if (g.swap) {  // x' = b y + c, y' = d x + f
    const double inverse[6] = {0,        1 / m[3], -m[5] / m[3],
                               1 / m[1], 0,        -m[2] / m[1]};
    std::copy(inverse, inverse + 6, t.to_tensor);
  } else {
    const double inverse[6] = {1 / m[0], 0,        -m[2] / m[0],
                               0,        1 / m[4], -m[5] / m[4]};
    std::copy(inverse, inverse + 6, t.to_tensor);
  }
  t.content = g.content;
  return t;
}

}  // namespace image
}  // namespace mace
