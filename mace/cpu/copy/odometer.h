// Odometer: steps through the indices of a copy's dimensions.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_ODOMETER_H_
#define MACE_CPU_COPY_ODOMETER_H_

#include "mace/cpu/copy/strided_copy.h"

namespace mace {

// Holds the byte offsets of the current index; indices advance in order, the
// last dimension fastest, from any start. Next mostly costs a few additions;
// computing all offsets again would cost a division for each dimension.
class Odometer {
 public:
  static constexpr int kMaxDims = 16;

  // REQUIRES: num_dims <= kMaxDims, 0 <= start < the product of the extents.
  Odometer(const CopyDim* dims, int num_dims, int64_t start)
      : dims_(dims), num_dims_(num_dims) {
    for (int d = num_dims - 1; d >= 0; --d) {
      index_[d] = start % dims[d].extent;
      start /= dims[d].extent;
      src += index_[d] * dims[d].src_stride;
      dst += index_[d] * dims[d].dst_stride;
    }
  }

  // Behind the last index, the first one follows.
  void Next() {
    for (int d = num_dims_ - 1; d >= 0; --d) {
      src += dims_[d].src_stride;
      dst += dims_[d].dst_stride;
      if (++index_[d] < dims_[d].extent) return;
      src -= dims_[d].extent * dims_[d].src_stride;
      dst -= dims_[d].extent * dims_[d].dst_stride;
      index_[d] = 0;
    }
  }

  int64_t src = 0, dst = 0;

 private:
  const CopyDim* dims_;
  int num_dims_;
  int64_t index_[kMaxDims];
};

}  // namespace mace

#endif  // MACE_CPU_COPY_ODOMETER_H_
