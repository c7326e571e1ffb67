// Index operands, which are i32 or i64 and may count from the end.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_CPU_COMMON_INDICES_H_
#define MACE_CPU_COMMON_INDICES_H_

#include <cstdint>
#include <string>

#include "mace/graph/node.h"

namespace mace {

// An index operand during one Run: a view, which neither owns nor checks its
// data.
class Indices {
 public:
  // `from_start`: negative indices do not count from the end: they are errors.
  Indices(const void* data, DataType dtype, bool from_start = false)
      : data_(data), wide_(dtype == DataType::kI64), from_start_(from_start) {}

  // Returns the index as stored. REQUIRES: i is inside the operand.
  int64_t operator[](int64_t i) const {
    return wide_ ? static_cast<const int64_t*>(data_)[i]
                 : static_cast<const int32_t*>(data_)[i];
  }

  // Returns the index counted from 0, or -1 if it is outside of [-extent,
  // extent), or negative though all count from the start.
  int64_t At(int64_t i, int64_t extent) const {
    const int64_t v = (*this)[i];
    const int64_t place = v < 0 && !from_start_ ? v + extent : v;
    return place < 0 || place >= extent ? -1 : place;
  }

 private:
  const void* data_;
  bool wide_;
  bool from_start_;
};

// Returns the error of a Run whose index `value` is out of range for `extent`.
inline Status IndexError(const std::string& label, int64_t value,
                         int64_t extent) {
  return InvalidArgument(label, ": index ", value,
                         " is out of range for extent ", extent);
}

}  // namespace mace

#endif  // MACE_CPU_COMMON_INDICES_H_
