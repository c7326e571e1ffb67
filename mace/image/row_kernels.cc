// Choosing the row kernels of this CPU.
// SPDX-License-Identifier: Apache-2.0

#include "mace/image/row_kernels.h"

#include "mace/base/kernel_tests.h"
#include "mace/image/row_cases.h"
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

namespace {

bool PassesTest(const RowKernels& kernels) {
  if constexpr (!kHasSelfTest) return true;
  return KernelPasses(kernels.name, &kernels, [](const void* k) {
    return ComputesAs(kScalarRows, *static_cast<const RowKernels*>(k));
  });
}

}  // namespace

const RowKernels& BestRowKernels() {
  const auto next = [](size_t i) {
    while (!kRowKernels[i]->runs_here()) ++i;
    return i;
  };
  size_t i = next(0);
  // The last are those with which the others are compared.
  while (i + 1 < kNumRowKernels && !PassesTest(*kRowKernels[i])) {
    const size_t other = next(i + 1);
    ReplaceKernel(kRowKernels[i]->name, kRowKernels[other]->name);
    i = other;
  }
  return *kRowKernels[i];
}

}  // namespace mace::image
