// What the executor and the translators of the host check alike: windows,
// output ranges and fixed-point factors.
// SPDX-License-Identifier: Apache-2.0
//
// The executor checks parameters with these functions, and translators of the
// host use the same ones, so that the host refuses a node before the DSP would.
#ifndef MACE_HEXAGON_PROTOCOL_WINDOW_H_
#define MACE_HEXAGON_PROTOCOL_WINDOW_H_

#include "mace/hexagon/protocol/ops.h"
#include "mace/hexagon/protocol/sizes.h"

namespace mace::hexagon {

// The maximum of a window's `in`, `out` and `pad`, and of batches, groups and
// the channels of a group.
constexpr int32_t kMaxExtent = 1 << 16;

// Whether positions computed from `w` cannot overflow: at * stride + tap *
// dilation is at most 2^26 + 2^20. Taps may lie outside of the input, also
// whole windows. `out` is not compared with the other sizes.
inline bool IsValid(const WindowParams& w) {
  constexpr int32_t most = kMaxExtent;
  return IsWithin(w.in, 1, most) && IsWithin(w.out, 1, most) &&
         IsWithin(w.kernel, 1, 1024) && IsWithin(w.stride, 1, 1024) &&
         IsWithin(w.dilation, 1, 1024) && IsWithin(w.pad, 0, most);
}

// Whether zero point and limits are int8 (is_signed = 1) or uint8 (0). least >
// most is accepted: it clamps to `most`.
inline bool IsValid(const OutputRange& y, int32_t is_signed) {
  const int32_t least = is_signed != 0 ? -128 : 0;
  return IsWithin(is_signed, 0, 1) &&
         IsWithin(y.zero_point, least, least + 255) &&
         IsWithin(y.least, least, least + 255) &&
         IsWithin(y.most, least, least + 255);
}

// Whether ScaleAny (hvx.h) takes the factor.
inline bool IsValid(const FixedParams& f) {
  return f.mantissa >= 0 && IsWithin(f.exponent, -31, 31);
}

// Position of the window's tap 0 for output `at`. In the padding it is
// negative, or `in` or more.
inline int32_t Start(const WindowParams& w, int32_t at) {
  return at * w.stride - w.pad;
}

}  // namespace mace::hexagon

#endif  // MACE_HEXAGON_PROTOCOL_WINDOW_H_
