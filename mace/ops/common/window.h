// Sliding windows: which inputs convolutions and poolings read, from their
// attributes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_WINDOW_H_
#define MACE_OPS_COMMON_WINDOW_H_

#include <cstdint>
#include <string>
#include <vector>

#include "mace/graph/node.h"

namespace mace {

// The values of the attribute `padding`.
enum class Padding : int64_t {
  kValid = 0,      // no padding
  kSame = 1,       // out = ceil(in / stride); an odd rest at bottom and right
  kFull = 2,       // (kernel - 1) * dilation on each side
  kSameLower = 3,  // as kSame, an odd rest at top and left
  kExplicit = 4,   // padding_values
};

// The base of an attribute struct, which calls WindowFields in its Fields. The
// functions below refuse strides and dilations outside of [1, 2^30], and
// padding_values outside of [0, 2^30] or with a padding other than kExplicit.
struct WindowAttrs {
  std::vector<int64_t> strides = {1, 1};    // h, w
  int64_t padding = 0;                      // one of Padding
  std::vector<int64_t> padding_values;      // top, left, bottom, right
  std::vector<int64_t> dilations = {1, 1};  // h, w

  template <typename V>
  void WindowFields(V& v) {
    v("strides", strides);
    v("padding", padding);
    v("padding_values", padding_values);
    v("dilations", dilations);
  }
};

// One spatial dimension. Output i reads inputs i * stride - pad_before + k *
// dilation for k in [0, kernel); those outside of [0, in) are padding. Kernel
// 3, dilation 2, stride 3, pad_before 1, pad_after 1, in 9:
//
//  input       p 0 1 2 3 4 5 6 7 8 p
//  output 0    x   x   x
//  output 1          x   x   x
//  output 2                x   x   x
//
// in, kernel, stride, dilation and the extent are at most 2^30, so that
// products of two fit into 64 bits.
struct Window {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;
  int64_t pad_after = 0;

  // The distance from the first to the last input of a window, plus one.
  int64_t extent() const { return (kernel - 1) * dilation + 1; }
};

struct Window2D {
  Window h, w;
};

// Returns the windows over input `x`, [N, H, W, C]. `ceil` rounds output sizes
// up, but drops a last window that would start after the input and the padding
// before it. Errors: MACE_INVALID_MODEL for attributes, a kernel or an input
// out of range, a rank other than 4, a kernel larger than the padded input
// unless the padding is same, and windows that contain only padding because the
// input has no rows or no columns.
Result<Window2D> ResolveWindow(const Node& node, const WindowAttrs& attrs,
                               const Shape& x, int64_t kernel_h,
                               int64_t kernel_w, bool ceil = false);

// Returns the windows of a transposed convolution, which is the gradient of a
// convolution over [out] whose result is [in]: input i contributes to outputs i
// * stride - pad_before + k * dilation; those outside of [0, out) are dropped.
//
//  same:       out = in * stride, pads = (in - 1) * stride + extent +
//              output_padding - out, or 0 if that is negative
//  all others: out = (in - 1) * stride + extent - pads + output_padding
//
// `output_size`, {h, w} or empty, overrides `out`; with same padding the pads
// follow from it. Errors: as ResolveWindow, but a kernel may be larger than the
// input; also for an `out` below 1, unless the padding is same.
Result<Window2D> ResolveTransposedWindow(
    const Node& node, const WindowAttrs& attrs, const Shape& x,
    int64_t kernel_h, int64_t kernel_w,
    const std::vector<int64_t>& output_padding,
    const std::vector<int64_t>& output_size);

}  // namespace mace

#endif  // MACE_OPS_COMMON_WINDOW_H_
