// InputType: the element types that an input of an op may have.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_OPS_COMMON_INPUT_TYPE_H_
#define MACE_OPS_COMMON_INPUT_TYPE_H_

#include <cstdint>

#include "mace/graph/data_type.h"

namespace mace {

// The element types that an input may have: one of a set, or that of another
// input. Quantized tensors may be where float32 may, and OnQuantized decides
// whether the op takes them.
struct InputType {
  DataTypes types;  // empty: all
  // If not negative: the index of the input whose type this one must have.
  // `types` is then empty.
  int8_t as = -1;
};

constexpr InputType AnyType() { return {{}, -1}; }
constexpr InputType OneOf(DataTypes types) { return {types, -1}; }
constexpr InputType AsInput(int8_t input) { return {{}, input}; }
// For indices, shapes and the like.
constexpr InputType Indices() {
  return OneOf({DataType::kI32, DataType::kI64});
}
constexpr InputType Float32() { return OneOf({DataType::kF32}); }
// For most kernels that count and compare.
constexpr InputType Numbers() {
  return OneOf({DataType::kF32, DataType::kI32, DataType::kI64});
}

}  // namespace mace

#endif  // MACE_OPS_COMMON_INPUT_TYPE_H_
