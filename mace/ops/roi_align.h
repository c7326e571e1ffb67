// Attributes of RoiAlign.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ROI_ALIGN_H_
#define MACE_OPS_ROI_ALIGN_H_

#include <cstdint>
#include <string>

namespace mace {

// A region is divided into output_height x output_width bins. Each bin takes
// samples at the centres of a grid of sampling_ratio x sampling_ratio parts, by
// bilinear interpolation of x, and y is their mean.
struct RoiAlignAttrs {
  int64_t output_height = 1;
  int64_t output_width = 1;
  // 0: as many as a bin has pixels along the axis, rounded up; at most 256.
  int64_t sampling_ratio = 0;
  // Pixels of x per pixel of the image, in which regions are given.
  float spatial_scale = 1;
  // AVG, or MAX: the largest product of a pixel and its weight in the bin.
  std::string mode = "AVG";
  // True: the centre of pixel i is at i + 1/2. False: it is at i, and regions
  // are at least one pixel wide and high.
  bool half_pixel = true;

  template <typename V>
  void Fields(V& v) {
    v("output_height", output_height);
    v("output_width", output_width);
    v("sampling_ratio", sampling_ratio);
    v("spatial_scale", spatial_scale);
    v("mode", mode);
    v("half_pixel", half_pixel);
  }
};

}  // namespace mace

#endif  // MACE_OPS_ROI_ALIGN_H_
