// Places tensors in a few 2-D images: sizes and lifetimes in, images out.
// SPDX-License-Identifier: Apache-2.0
//
//   std::vector<ImageRecord> records = {{.width = 56, .height = 112, ...}};
//   PlanImages(records, {{8}, {16}}, {max_width, max_height})
//
// Tensors of one image never live at the same step. An image is as wide as its
// widest tensor and as high as its highest, so a tensor may leave a margin of
// its image unused:
//
//   steps 0..1        2..4               the image that serves both
//   +-------+     +-----------+          +-------+---+
//   |       |     |           |          |       :   |
//   |       |     +-----------+          |.......:...|
//   +-------+                            +-------+---+
#ifndef MACE_MEMORY_IMAGES_H_
#define MACE_MEMORY_IMAGES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/memory/problem/problem.h"

namespace mace::memory {

// A tensor as an image.
struct ImageRecord {
  int64_t width = 0;  // pixels
  int64_t height = 0;
  int32_t format = 0;  // index into the formats; formats never share an image
  int64_t first = 0;   // the first and the last step that use it, inclusive
  int64_t last = 0;
  std::string name;  // for messages; may be empty
};

struct ImageFormat {
  int64_t pixel_bytes = 16;  // 16: four floats, 8: four fp16
  // A row takes a multiple of that many pixels of memory
  // (CL_DEVICE_IMAGE_PITCH_ALIGNMENT, if the device tells).
  int64_t pitch_pixels = 1;
};

// CL_DEVICE_IMAGE2D_MAX_WIDTH and _HEIGHT: no image grows beyond them.
struct ImageLimits {
  int64_t max_width = 16384;
  int64_t max_height = 16384;
};

struct Image {
  int64_t width = 0;
  int64_t height = 0;
  int32_t format = 0;
};

struct ImagePlan {
  // Of each record an index into images; kNone for a record without pixels.
  std::vector<int32_t> image_of;
  std::vector<Image> images;
  Certificate certificate;  // total: bytes of all images, pitch included
};

// `strategy` is an "objects/" name of planners.h. AUTO takes the best of them
// all (never more than GREEDY_IN_ORDER, GROW_IN_ORDER or EQUALITY) and then
// searches within the budget of `options`, by default for some milliseconds.
// `options.capacity` counts for each format on its own.
// Errors: MACE_INVALID_ARGS, naming the record: an image beyond the limits, a
// format that is not there, a reversed interval, sizes that overflow.
// MACE_UNSUPPORTED for a strategy that takes no images.
Result<ImagePlan> PlanImages(const std::vector<ImageRecord>& records,
                             const std::vector<ImageFormat>& formats,
                             const ImageLimits& limits,
                             const std::string& strategy = "objects/AUTO",
                             const Options& options = {});

}  // namespace mace::memory

#endif  // MACE_MEMORY_IMAGES_H_
