// Ops that relate each element to statistics of the elements in a box around
// it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_NORMALIZATION_H_
#define MACE_OPENCL_KERNELS_NORMALIZATION_H_

#include <string>

#include "mace/opencl/kernels/reduction.h"
#include "mace/ops/common/activation_attrs.h"

namespace mace::opencl {

// Makes a pass over input 0 with scratch images `center` and `spread`, both of
// shape reduction.out. `kind` is SOFTMAX or LOG_SOFTMAX, for which `parameter`
// is reduction.count(), or LENGTH, for which it is the smallest length.
Pass NormalizePass(const std::string& kind, const Reduction& reduction,
                   size_t center, size_t spread, float parameter);

// Describes y = act((x - mean) / sqrt(variance + epsilon) * scale + offset), or
// without the mean if it is not `centered`. scale and offset are inputs 1 and
// 2, or else 1 and 0. Errors: MACE_UNSUPPORTED.
Result<KernelSpec> DescribeMomentNorm(const Node& node,
                                      const Reduction& reduction, float epsilon,
                                      const ActivationAttrs& attrs,
                                      const Target& target,
                                      bool centered = true);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_NORMALIZATION_H_
