// Weights of floats that are stored in another type: fp16, bf16, int8 or int4.
// SPDX-License-Identifier: Apache-2.0
//
// A quantized weight consists of rows with scales of their own, or is quantized
// as a tensor is (Operand::stored_quantization). The rows are the slices along
// the weight's first axis. Their scales follow the values of all rows, at the
// next multiple of 64 bytes.
//
//   kI8  8 bits: element = scale of the row * value
//          values int8   [rows, depth]
//          scales float  [rows]
//   kU8  4 bits, in blocks of 32 elements of a row, the last one padded:
//        element = scale of the block * (value - 8)
//          values byte   [rows, blocks, 16]: byte i has elements i (its low
//                        half) and 16 + i of the block
//          scales fp16   [rows, blocks]
//   kI8Blocks  8 bits, in blocks as well: element = scale of the block * value
//          values int8   [rows, blocks, 32]
//          scales fp16   [rows, blocks]
//   kU4Blocks  4 bits, in blocks with zero points: element = scale of the block
//              * (value - zero point of the block)
//          values byte   [rows, blocks, 16], as kU8
//          scales fp16   [rows, blocks]
//          zero points fp16  [rows, blocks], right behind the scales
//   kI8  with a quantization, per tensor or along any axis:
//        element = scale * (value - zero point)
//          values int8   in the order of the elements
#ifndef MACE_GRAPH_STORED_WEIGHT_H_
#define MACE_GRAPH_STORED_WEIGHT_H_

#include <cstdint>

#include "mace/graph/graph.h"

namespace mace {

// Elements of a block, which share a scale.
constexpr int64_t kValuesPerBlock = 32;

inline bool IsStoredQuantized(DataType stored) {
  return stored == DataType::kI8 || stored == DataType::kU8 ||
         stored == DataType::kI8Blocks || stored == DataType::kU4Blocks;
}

// Returns whether a weight is stored as rows of quantized values with scales of
// their own.
inline bool HasQuantizedRows(const Operand& weight) {
  return IsStoredQuantized(weight.stored) &&
         weight.stored_quantization == nullptr;
}

// Return the bytes of a weight as it is stored: values, scales and zero points,
// with the gap in front of the scales, but not what pads the end.
int64_t StoredBytes(const Operand& weight);
int64_t StoredBytes(const Value& weight);

// A weight in rows, which are stored as the head of this file draws. Points
// into the weight's data, which must outlive it.
struct QuantizedRows {
  // REQUIRES: HasQuantizedRows(weight); data is at a multiple of 64.
  explicit QuantizedRows(const Operand& weight);

  // rows: the size of the first axis; depth: the elements of a row.
  int64_t rows = 0, depth = 0;
  bool has_blocks = false;
  int bits = 8;
  // From one row of `values` to the next, padding of its last block included.
  int64_t row_bytes = 0;
  // Scales of a row: 1, or one for each block.
  int64_t row_scales = 1;
  const uint8_t* values = nullptr;
  const void* scales = nullptr;     // float, or fp16 of blocks
  const uint16_t* zeros = nullptr;  // fp16; null: 8 of 4 bits, 0 of 8

  // Writes the row_scales scales of a row as floats.
  void ScalesOf(int64_t row, float* to) const;
  // Writes the `depth` elements of a row as floats; not those that pad its last
  // block.
  void Widen(int64_t row, float* to) const;
};

// How the elements of an int8 weight become floats: the elements at an index of
// one axis, or all elements, share a scale. The axis of a weight in rows is 0.
class StoredScales {
 public:
  // REQUIRES: weight.stored is kI8; a weight in rows has an axis; the weight
  // outlives the object.
  explicit StoredScales(const Operand& weight);

  int axis() const { return axis_; }  // -1: all elements share the scale
  // The scale of an element, by its row-major index in the weight.
  float scale(int64_t element) const { return scales_[IndexOf(element)]; }
  // Returns whether all elements have the same zero point (in rows: 0). Writes
  // the zero point of the first scale to `*to` in any case.
  bool HasOneZeroPoint(int32_t* to) const;

 private:
  int64_t IndexOf(int64_t element) const { return element / inner_ % extent_; }

  int axis_ = 0;
  int64_t extent_ = 1, inner_ = 1;  // of the axis, and of those behind it
  const float* scales_ = nullptr;   // [extent]
  const Quantization* quantization_ = nullptr;  // null: rows
};

// Writes all elements of a weight that is stored in another type as floats.
// REQUIRES: weight.data is set, and weight.stored is not kInvalid.
void WidenStored(const Operand& weight, float* to);

}  // namespace mace

#endif  // MACE_GRAPH_STORED_WEIGHT_H_
