// The activation that a GPU kernel applies to its result.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPENCL_KERNELS_ACTIVATION_H_
#define MACE_OPENCL_KERNELS_ACTIVATION_H_

#include "mace/opencl/launch/pass.h"
#include "mace/ops/common/activation_attrs.h"

namespace mace::opencl {

// Makes `pass` apply the activation: adds the define that chooses Activate in
// prelude.cl, and the two arguments ACTIVATION. NOOP, RELU and RELUX share one
// program. Errors: as ParseActivation.
Status AddActivation(const Node& node, const ActivationAttrs& attrs,
                     Pass& pass);

}  // namespace mace::opencl

#endif  // MACE_OPENCL_KERNELS_ACTIVATION_H_
