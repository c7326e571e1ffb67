// Conversion of numbers and of tensors' elements from one type to another.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_CONVERT_H_
#define MACE_CPU_COMMON_CONVERT_H_

#include <cstdint>
#include <limits>

#include "mace/base/fp16.h"
#include "mace/graph/data_type.h"

namespace mace {

// Rounds towards zero and saturates; NaN becomes 0.
template <typename Int, typename Float>
Int ToInteger(Float v) {
  // The limits are powers of two (or one less), so that comparing with the
  // float of a limit is exact.
  constexpr Int kLowest = std::numeric_limits<Int>::min();
  constexpr Int kHighest = std::numeric_limits<Int>::max();
  if (!(v == v)) return 0;
  if (v <= static_cast<Float>(kLowest)) return kLowest;
  if (v >= static_cast<Float>(kHighest)) return kHighest;
  return static_cast<Int>(v);
}

// Converts n elements. Float to integer is ToInteger. An integer converted to a
// narrower one keeps its low bits; to a float it is rounded. Conversion to bool
// gives x != 0. If the types are the same, the bytes are copied. REQUIRES:
// neither type is kInvalid or one of blocks; `from` and `to` do not overlap and
// are aligned to their elements.
void ConvertElements(DataType from_type, const void* from, DataType to_type,
                     void* to, int64_t n);

}  // namespace mace

#endif  // MACE_CPU_COMMON_CONVERT_H_
