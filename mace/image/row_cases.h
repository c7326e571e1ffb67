// ComputesRightly: whether this CPU computes with row kernels as it should.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_ROW_CASES_H_
#define MACE_IMAGE_ROW_CASES_H_

#include "mace/image/row_kernels.h"

namespace mace::image {

// Whether all functions of `kernels` compute a small case with known results,
// of which a hash is compared. Runs in a probe (mace/base/probe.h), where a
// crash or an illegal instruction is a failed test: allocates nothing.
// REQUIRES: kernels.runs_here().
bool ComputesRightly(const RowKernels& kernels);

}  // namespace mace::image

#endif  // MACE_IMAGE_ROW_CASES_H_
