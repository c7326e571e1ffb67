// Finds rows by windows.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/depthwise/wide_dwconv.h"

#include "mace/cpu/common/choose.h"

namespace mace::cpu {
namespace {

// Some CPUs have no row.
template <typename Table>
auto FindRow(const Table& table, int64_t kernel, int64_t stride,
             CpuFeatures features) -> decltype(&table[0]) {
  for (const auto& row : table) {
    if (row.kernel == kernel && row.stride == stride &&
        (row.isa & features) == row.isa && PassesTest(row)) {
      return &row;
    }
  }
  return nullptr;
}

}  // namespace

const DwconvF32* WideDwconvF32(int64_t kernel, int64_t stride,
                               CpuFeatures features) {
  return FindRow(kDwconvF32Wide, kernel, stride, features);
}

#if defined(__aarch64__)
const DwconvF16* WideDwconvF16(int64_t kernel, int64_t stride,
                               CpuFeatures features) {
  return FindRow(kDwconvF16Wide, kernel, stride, features);
}
#else
const DwconvF16* WideDwconvF16(int64_t, int64_t, CpuFeatures) {
  return nullptr;
}
#endif

}  // namespace mace::cpu
