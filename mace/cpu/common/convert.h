// ConvertElements: converts elements from one type to another.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CONVERT_H_
#define MACE_CPU_COMMON_CONVERT_H_

#include <cstdint>

#include "mace/base/fp16.h"
#include "mace/graph/data_type.h"

namespace mace {

// Converts n elements. Float to integer rounds towards zero and saturates; NaN
// becomes 0. An integer converted to a narrower one keeps its low bits.
// Conversion to bool gives x != 0. REQUIRES: neither type is kInvalid; `from`
// and `to` do not overlap.
void ConvertElements(DataType from_type, const void* from, DataType to_type,
                     void* to, int64_t n);

}  // namespace mace

#endif  // MACE_CPU_COMMON_CONVERT_H_
