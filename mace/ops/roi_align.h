// Attributes of RoiAlign.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_ROI_ALIGN_H_
#define MACE_OPS_ROI_ALIGN_H_

#include <cstdint>
#include <string>

namespace mace {

struct RoiAlignAttrs {
  int64_t output_height = 1;
  int64_t output_width = 1;
  int64_t sampling_ratio = 0;
  float spatial_scale = 1;
  std::string mode = "AVG";
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
