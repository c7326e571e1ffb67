// InputType: the element types that an input of an op may have.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_INPUT_TYPE_H_
#define MACE_OPS_COMMON_INPUT_TYPE_H_

#include <utility>
#include <vector>

#include "mace/graph/data_type.h"

namespace mace {

// The element types that an input may have.
struct InputType {
  std::vector<DataType> types;  // empty: all
  int as = -1;                  // if not negative: the type of this input
};

inline InputType AnyType() { return {}; }
inline InputType OneOf(std::vector<DataType> types) {
  return {std::move(types), -1};
}
inline InputType AsInput(int input) { return {{}, input}; }
// For indices, shapes and the like.
inline InputType Indices() { return OneOf({DataType::kI32, DataType::kI64}); }
inline InputType Float32() { return OneOf({DataType::kF32}); }
// For most kernels that count and compare.
inline InputType Numbers() {
  return OneOf({DataType::kF32, DataType::kI32, DataType::kI64});
}

}  // namespace mace

#endif  // MACE_OPS_COMMON_INPUT_TYPE_H_
