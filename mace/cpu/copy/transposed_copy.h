// CopyTransposed: strided copies whose source and destination are contiguous
// along different dimensions.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COPY_TRANSPOSED_COPY_H_
#define MACE_CPU_COPY_TRANSPOSED_COPY_H_

#include "mace/cpu/copy/strided_copy.h"

namespace mace {

// Copies `box` block by block, with all threads, so that each cache line of
// both sides is touched during one block only. Returns false, and does nothing,
// if the box is not such a copy or its runs are not of 1, 2, 4 or 8 bytes.
// REQUIRES: the box is simplified, has from one to Odometer::kMaxDims
// dimensions, and its offsets are already added to src and dst.
//           contiguous in dst ->
// contig.  +---------+---------+     a block of up to 1,024 elements:
// in src   | block 0 | block 1 |     its lines of src and of dst stay
//   |      +---------+---------+     in the first-level cache together
//   v      | block 2 | block 3 |
bool CopyTransposed(const CopyBox& box, const char* src, char* dst,
                    ThreadPool* threads);

}  // namespace mace

#endif  // MACE_CPU_COPY_TRANSPOSED_COPY_H_
