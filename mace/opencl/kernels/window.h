// Sliding windows, as arguments of GPU kernels.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_WINDOW_H_
#define MACE_OPENCL_KERNELS_WINDOW_H_

#include "mace/opencl/launch/pass.h"
#include "mace/ops/common/window.h"

namespace mace::opencl {

// Adds the twelve int arguments that prelude.cl calls WINDOW, in its order:
// sizes of the input and the output, kernel, stride, padding before, dilation,
// each of height and then of width.
inline void AddWindow(const Window2D& window, Pass& pass) {
  const Window &h = window.h, &w = window.w;
  pass.Int(h.in, w.in, h.out, w.out, h.kernel, w.kernel, h.stride, w.stride,
           h.pad_before, w.pad_before, h.dilation, w.dilation);
}

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_WINDOW_H_
