// Depthwise sums of quantized values in plain C++: the definition for other
// files.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/ukernels/dwconv_q8/dwconv_q8.h"

namespace mace::cpu {
namespace {

constexpr size_t kLanes = 8;

}  // namespace

void dwconv_q8_any__scalar(const DwconvQ8Tile& t) {
  for (size_t i = 0; i < t.width; ++i) {
    uint32_t sums[kLanes];
    for (size_t c = 0; c < kLanes; ++c) {
      sums[c] = static_cast<uint32_t>(t.start[c]);
    }
    const auto* w = static_cast<const int16_t*>(t.w);
    for (size_t j = 0; j < t.kernel; ++j) {
      const size_t column = i * t.stride + j * t.dilation;
      for (size_t r = 0; r < t.height; ++r, w += kLanes) {
        const uint8_t* x = t.x[column * t.height + r] + t.first;
        for (size_t c = 0; c < t.channels; ++c) {
          const auto value = static_cast<int8_t>(x[c] ^ t.flip);
          sums[c] += static_cast<uint32_t>(value * w[c]);
        }
      }
    }
    for (size_t c = 0; c < kLanes; ++c) {
      t.sums[i * kLanes + c] = static_cast<int32_t>(sums[c]);
    }
  }
}

}  // namespace mace::cpu
