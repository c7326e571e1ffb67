// Index operands, which are i32 or i64 and may count from the end.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_INDICES_H_
#define MACE_CPU_COMMON_INDICES_H_

#include <cstdint>
#include <string>

#include "mace/graph/node.h"

namespace mace {

// An index operand during one Run.
class Indices {
 public:
  Indices(const void* data, DataType dtype)
      : data_(data), wide_(dtype == DataType::kI64) {}

  // Returns the index as stored. REQUIRES: i is inside the operand.
  int64_t operator[](int64_t i) const {
    return wide_ ? static_cast<const int64_t*>(data_)[i]
                 : static_cast<const int32_t*>(data_)[i];
  }

  // Returns the index counted from 0, or -1 if it is outside of [-extent,
  // extent).
  int64_t At(int64_t i, int64_t extent) const {
    const int64_t v = (*this)[i];
    const int64_t from_start = v < 0 ? v + extent : v;
    return from_start < 0 || from_start >= extent ? -1 : from_start;
  }

 private:
  const void* data_;
  bool wide_;
};

// Returns the error of a Run whose index `value` is out of range for `extent`.
inline Status IndexError(const std::string& label, int64_t value,
                         int64_t extent) {
  return RuntimeError(label, ": index ", value, " is out of range for extent ",
                      extent);
}

}  // namespace mace

#endif  // MACE_CPU_COMMON_INDICES_H_
