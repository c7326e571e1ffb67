// Weights of floats that are stored in another type: fp16, bf16, or codes.
// SPDX-License-Identifier: Apache-2.0
//
// The rows of a weight stored as codes are the slices along its first axis. The
// scales follow the codes of all rows, at the next multiple of 64 bytes.
//
//   kI8  8 bits: element = scale of the row * code
//          codes  int8   [rows, depth]
//          scales float  [rows]
//   kU8  4 bits, in blocks of 32 elements of a row, the last one padded:
//        element = scale of the block * (code - 8)
//          codes  byte   [rows, blocks, 16]: byte i has elements i (its low
//                        half) and 16 + i of the block
//          scales fp16   [rows, blocks]
#ifndef MACE_GRAPH_STORED_WEIGHT_H_
#define MACE_GRAPH_STORED_WEIGHT_H_

#include <cstdint>

#include "mace/graph/node.h"

namespace mace {

// Elements that share a scale in codes of 4 bits.
constexpr int64_t kCodesPerBlock = 32;

inline bool IsStoredAsCodes(DataType stored) {
  return stored == DataType::kI8 || stored == DataType::kU8;
}

// Returns the bytes of a weight of `type` stored as `stored`; kInvalid: as it
// is.
int64_t StoredBytes(const TensorType& type, DataType stored);

// A weight stored as codes.
struct CodeRows {
  // REQUIRES: IsStoredAsCodes(weight.stored); data is at a multiple of 64.
  explicit CodeRows(const Operand& weight);

  int64_t rows = 0, depth = 0;
  bool has_blocks = false;  // 4 bits
  int64_t row_bytes = 0;
  int64_t row_scales = 1;
  const uint8_t* codes = nullptr;
  const void* scales = nullptr;  // float, or fp16 of blocks

  // Writes the scales of a row as floats.
  void ScalesOf(int64_t row, float* to) const;
};

// Writes the floats of a weight that is stored in another type.
void WidenStored(const Operand& weight, float* to);

}  // namespace mace

#endif  // MACE_GRAPH_STORED_WEIGHT_H_
