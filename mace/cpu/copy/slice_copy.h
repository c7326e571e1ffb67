// The strided copy that a SliceSpec describes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_SLICE_COPY_H_
#define MACE_CPU_COPY_SLICE_COPY_H_

#include <vector>

#include "mace/cpu/copy/copy_kernel.h"
#include "mace/ops/common/slice_spec.h"

namespace mace {

// Makes a kernel that copies the selected elements of input 0, which has type
// x, densely to output 0: element i of axis d is element starts[d] + i *
// steps[d]; negative steps go backwards.
inline KernelPtr MakeSliceKernel(const CpuContext& context, const TensorType& x,
                                 const SliceSpec& spec) {
  std::vector<int64_t> strides = DenseStrides(x.shape);
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    offset += spec.starts[d] * strides[d];
    strides[d] *= spec.steps[d];
  }
  return MakeCopyKernel(context,
                        {MakeBox(SizeOf(x.dtype), spec.counts, strides, offset,
                                 DenseStrides(spec.counts), 0)});
}

}  // namespace mace

#endif  // MACE_CPU_COPY_SLICE_COPY_H_
