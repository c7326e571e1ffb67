// Choosing the row kernels of this CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/row_kernels.h"

#include "mace/image/row_kernels_table.h"

namespace mace::image {

const RowKernels* const kRowKernels[] = {
#if defined(__x86_64__)
    &kAvx2Rows,
    &kSse41Rows,
#elif defined(__ARM_NEON)
    &kNeonRows,
#endif
    &kScalarRows,
};
const size_t kNumRowKernels = sizeof(kRowKernels) / sizeof(kRowKernels[0]);

const RowKernels& BestRowKernels() {
  size_t i = 0;
  while (!kRowKernels[i]->runs_here()) ++i;
  return *kRowKernels[i];
}

}  // namespace mace::image
