// CopyTransposed: strided copies whose source and destination are contiguous
// along different dimensions.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_TRANSPOSED_COPY_H_
#define MACE_CPU_COPY_TRANSPOSED_COPY_H_

#include "mace/cpu/copy/strided_copy.h"

namespace mace {

// Copies `box` block by block, so that each cache line of both sides is touched
// during one block only. Returns false, and does nothing, if the box is not
// such a copy. REQUIRES: the box is simplified, has at least one dimension, and
// its offsets are already added to src and dst.
bool CopyTransposed(const CopyBox& box, const char* src, char* dst,
                    ThreadPool* threads);

}  // namespace mace

#endif  // MACE_CPU_COPY_TRANSPOSED_COPY_H_
