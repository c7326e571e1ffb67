// How scattering combines what is there with what comes.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_SCATTER_VALUES_H_
#define MACE_CPU_COMMON_SCATTER_VALUES_H_

#include <cstdint>

#include "mace/graph/data_type.h"
#include "mace/ops/common/scatter.h"

namespace mace::cpu {

// Combines n elements of y with those of x, and leaves the results in y.
// Integers wrap around; of min and max, NaN wins over any number. The two do
// not overlap.
using CombineFn = void (*)(void* y, const void* x, int64_t n);

// Returns null for kNone, where x replaces y: the caller copies. REQUIRES: f32,
// i32 or i64 for other kinds.
CombineFn CombineOf(ScatterKind kind, DataType dtype);

}  // namespace mace::cpu

#endif  // MACE_CPU_COMMON_SCATTER_VALUES_H_
