// CopyTransposed: the strided copies in which source and destination are
// contiguous along different dimensions.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_TRANSPOSED_COPY_H_
#define MACE_CPU_COPY_TRANSPOSED_COPY_H_

#include "mace/cpu/copy/strided_copy.h"

namespace mace {

// Copies box (simplified, of at least one dimension, its offsets already added
// to src and dst) block by block, so that a cache line of either side is
// touched in one go; false, and nothing done, if it is no such copy.
bool CopyTransposed(const CopyBox& box, const char* src, char* dst,
                    ThreadPool* threads);

}  // namespace mace

#endif  // MACE_CPU_COPY_TRANSPOSED_COPY_H_
