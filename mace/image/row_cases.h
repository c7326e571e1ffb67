// ComputesRightly: whether this CPU computes with row kernels as it should.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_ROW_CASES_H_
#define MACE_IMAGE_ROW_CASES_H_

#include "mace/image/row_kernels.h"

namespace mace::image {

// Whether all functions of `kernels` compute a small case with known results.
// Runs in a probe: allocates nothing.
bool ComputesRightly(const RowKernels& kernels);

}  // namespace mace::image

#endif  // MACE_IMAGE_ROW_CASES_H_
