// The row kernels of each instruction set, one file each.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_IMAGE_ROW_KERNELS_TABLE_H_
#define MACE_IMAGE_ROW_KERNELS_TABLE_H_

#include "mace/image/row_kernels.h"

namespace mace::image {

// Defined in row_kernels__{isa}.cc; only those of the build's CPU exist.
extern const RowKernels kScalarRows;
extern const RowKernels kSse41Rows, kAvx2Rows;  // x86-64
extern const RowKernels kNeonRows;              // Arm

}  // namespace mace::image

#endif  // MACE_IMAGE_ROW_KERNELS_TABLE_H_
