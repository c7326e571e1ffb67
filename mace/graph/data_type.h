// DataType: the element types of tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GRAPH_DATA_TYPE_H_
#define MACE_GRAPH_DATA_TYPE_H_

#include <cstddef>
#include <cstdint>

namespace mace {

enum class DataType : uint8_t {
  kInvalid,  // an absent optional input
  kF32,
  kF16,
  kBF16,
  kI32,
  kI64,
  kI16,
  kI8,
  kU8,
  kBool,  // one byte, 0 or 1
};

// Bytes per element; 0 for kInvalid.
size_t SizeOf(DataType type);

// "f32", "i64", ...
const char* Name(DataType type);

}  // namespace mace

#endif  // MACE_GRAPH_DATA_TYPE_H_
