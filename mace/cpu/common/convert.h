// ConvertElements: elements of one type as another.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CONVERT_H_
#define MACE_CPU_COMMON_CONVERT_H_

#include <cstdint>

#include "mace/base/fp16.h"
#include "mace/graph/data_type.h"

namespace mace {

// Writes n elements. From float to integer: towards zero, saturating, 0 for
// NaN; from integer to a narrower one: the low bits; to bool: whether != 0.
// REQUIRES: neither type is kInvalid; from and to do not overlap.
void ConvertElements(DataType from_type, const void* from, DataType to_type,
                     void* to, int64_t n);

}  // namespace mace

#endif  // MACE_CPU_COMMON_CONVERT_H_
