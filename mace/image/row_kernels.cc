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
    return ComputesRightly(*static_cast<const RowKernels*>(k));
  });
}

}  // namespace

Result<const RowKernels*> BestRowKernels() {
  const RowKernels* failed = nullptr;
  for (const RowKernels* kernels : kRowKernels) {
    if (!kernels->runs_here()) continue;
    const bool passes = PassesTest(*kernels);
    if (failed != nullptr) ReplaceKernel(failed->name, kernels->name);
    if (passes) return kernels;
    failed = kernels;
  }
  ReplaceKernel(failed->name, nullptr);
  MACE_RETURN_IF_ERROR(CheckKernelsLeft());
  return OutOfResources("no memory to note that micro-kernel '", failed->name,
                        "' fails its test");
}

}  // namespace mace::image
