// Places tensors in a few 2-D images: from sizes and lifetimes to images.
// SPDX-License-Identifier: Apache-2.0
//
//   std::vector<ImageRecord> records = {{.width = 56, .height = 112, ...}};
//   PlanImages(records, {{8}, {16}}, {max_width, max_height})
//
// Two tensors that live at the same step never share an image. An image is as
// wide as its widest tensor and as high as its highest, so a tensor may leave a
// margin of its image unused:
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

// The size and lifetime of a tensor that is stored as an image.
struct ImageRecord {
  int64_t width = 0;  // pixels
  int64_t height = 0;
  int32_t format = 0;  // index into the formats; an image has one format
  int64_t first = 0;   // first and last step that use it, inclusive
  int64_t last = 0;
  std::string name;  // for messages; may be empty
};

struct ImageFormat {
  int64_t pixel_bytes = 16;  // 16 for four floats, 8 for four fp16
  // A row occupies a multiple of this many pixels in memory
  // (CL_DEVICE_IMAGE_PITCH_ALIGNMENT, if the device reports it).
  int64_t pitch_pixels = 1;
};

// The largest image: CL_DEVICE_IMAGE2D_MAX_WIDTH and _HEIGHT, in pixels.
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
  // For each record, an index into images; kNone for a record without pixels.
  std::vector<int32_t> image_of;
  std::vector<Image> images;
  Certificate certificate;  // its total is the bytes of all images, including
                            // padding of rows
};

// Plans the images. `strategy` is an "objects/" name of planners.h. AUTO takes
// the best of them (never more bytes than GREEDY_IN_ORDER, GROW_IN_ORDER or
// EQUALITY) and then searches within the budget of `options`, by default for
// some milliseconds. The limits of `options` apply to each format separately.
// Errors: MACE_INVALID_ARGS for an unknown strategy, a bad format or bad
// limits, and, naming the record, for an image beyond the limits, an unknown
// format, a reversed interval, or a negative size or one that overflows;
// MACE_UNSUPPORTED for a strategy that cannot plan images or that this library
// does not have.
Result<ImagePlan> PlanImages(const std::vector<ImageRecord>& records,
                             const std::vector<ImageFormat>& formats,
                             const ImageLimits& limits,
                             const std::string& strategy = "objects/AUTO",
                             const Options& options = {});

}  // namespace mace::memory

#endif  // MACE_MEMORY_IMAGES_H_
