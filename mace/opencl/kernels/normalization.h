// Ops that relate each element to statistics of a box of elements around it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_NORMALIZATION_H_
#define MACE_OPENCL_KERNELS_NORMALIZATION_H_

#include <string>

#include "mace/opencl/kernels/reduction.h"
#include "mace/ops/common/activation_attrs.h"

namespace mace::opencl {

// A pass over input 0 with scratch images `center` and `spread`, both of
// reduction.out. `kind`: SOFTMAX, LOG_SOFTMAX (parameter: the count), LENGTH
// (the smallest one).
Pass NormalizePass(const std::string& kind, const Reduction& reduction,
                   size_t center, size_t spread, float parameter);

// y = act((x - mean) / sqrt(variance + epsilon) * scale + offset), scale and
// offset inputs 1 and 2 where they are given.
Result<KernelSpec> DescribeMomentNorm(const Node& node,
                                      const Reduction& reduction, float epsilon,
                                      const ActivationAttrs& attrs,
                                      const Target& target);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_NORMALIZATION_H_
