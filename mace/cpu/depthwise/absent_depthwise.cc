// A library without the kernels `depthwise`.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/depthwise/wide_dwconv.h"

namespace mace::cpu {

const DwconvF32* WideDwconvF32(int64_t, int64_t, CpuFeatures) {
  return nullptr;
}

const DwconvF16* WideDwconvF16(int64_t, int64_t, CpuFeatures) {
  return nullptr;
}

}  // namespace mace::cpu
