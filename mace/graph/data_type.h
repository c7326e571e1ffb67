// DataType: the element types of tensors.
// SPDX-License-Identifier: Apache-2.0
#ifndef MACE_GRAPH_DATA_TYPE_H_
#define MACE_GRAPH_DATA_TYPE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace mace {

enum class DataType : uint8_t {
  kInvalid,  // none: an absent optional input, or a type not yet inferred
  kF32,
  kF16,
  kBF16,
  kI32,
  kI64,
  kI16,
  kI8,
  kU8,
  kBool,  // one byte, 0 or 1
  // Types in which weights are stored (stored_weight.h); no tensor has them.
  kI8Blocks,
  kU4Blocks,
};

// The types that a tensor may have.
constexpr DataType kAllTypes[] = {
    DataType::kF32, DataType::kF16, DataType::kBF16,
    DataType::kI32, DataType::kI64, DataType::kI16,
    DataType::kI8,  DataType::kU8,  DataType::kBool};

// A set of element types.
class DataTypes {
 public:
  constexpr DataTypes(std::initializer_list<DataType> types) {
    for (DataType type : types) bits_ |= Bit(type);
  }
  constexpr bool Has(DataType type) const { return (bits_ & Bit(type)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }

 private:
  static constexpr uint16_t Bit(DataType type) {
    return static_cast<uint16_t>(1 << static_cast<int>(type));
  }
  uint16_t bits_ = 0;
};

// Bytes per element; 0 for kInvalid, and for kI8Blocks and kU4Blocks, whose
// elements have no bytes of their own.
size_t SizeOf(DataType type);

// "f32", "i64", ...
const char* Name(DataType type);

}  // namespace mace

#endif  // MACE_GRAPH_DATA_TYPE_H_
