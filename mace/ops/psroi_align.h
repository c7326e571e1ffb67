// Attributes of PsroiAlign.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_PSROI_ALIGN_H_
#define MACE_OPS_PSROI_ALIGN_H_

#include <cstdint>

namespace mace {

// Bin (p, q) of channel d of y reads channel (d * group_size + p) * group_size
// + q of x.
struct PsroiAlignAttrs {
  float spatial_scale = 1;    // pixels of x per pixel of the image
  int64_t output_dim = 1;     // channels of y
  int64_t group_size = 1;     // bins along each side of y
  bool whole_pixels = false;  // R-FCN's pooling instead of samples

  template <typename V>
  void Fields(V& v) {
    v("spatial_scale", spatial_scale);
    v("output_dim", output_dim);
    v("group_size", group_size);
    v("whole_pixels", whole_pixels);
  }
};

}  // namespace mace

#endif  // MACE_OPS_PSROI_ALIGN_H_
