// Sizes and floats of weights stored in another type.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/stored_weight.h"

#include <algorithm>
#include <cstring>

#include "mace/base/aligned_buffer.h"
#include "mace/base/fp16.h"

namespace mace {
namespace {

struct RowLayout {
  int64_t rows, depth, row_bytes, row_scales, scale_bytes;
  int bits;
  bool has_blocks, has_zeros;

  RowLayout(const Shape& shape, DataType stored)
      : rows(shape.empty() ? 1 : shape[0]),
        depth(1),
        bits(stored == DataType::kU8 || stored == DataType::kU4Blocks ? 4 : 8),
        has_blocks(stored != DataType::kI8),
        has_zeros(stored == DataType::kU4Blocks) {
    for (size_t d = 1; d < shape.size(); ++d) depth *= shape[d];
    row_scales =
        has_blocks ? (depth + kValuesPerBlock - 1) / kValuesPerBlock : 1;
    row_bytes = has_blocks ? row_scales * kValuesPerBlock * bits / 8 : depth;
    scale_bytes = has_blocks ? sizeof(uint16_t) : sizeof(float);
  }
  int64_t scales_at() const {
    return static_cast<int64_t>(AlignUp(rows * row_bytes, kAlignment));
  }
  // Of the scales, or of the zero points.
  int64_t scales_bytes() const { return rows * row_scales * scale_bytes; }
};

// The product of the extents from `first` up to `end`.
int64_t Extents(const Shape& shape, size_t first, size_t end) {
  int64_t n = 1;
  for (size_t d = first; d < end; ++d) n *= shape[d];
  return n;
}

void WidenQuantized(const Operand& weight, float* to) {
  const Quantization& q = *weight.stored_quantization;
  const Shape& shape = weight.type.shape;
  const size_t axis = q.is_per_axis() ? static_cast<size_t>(q.axis) : 0;
  const int64_t extent = q.is_per_axis() ? shape[axis] : 1;
  const int64_t inner = q.is_per_axis() ? Extents(shape, axis + 1, shape.size())
                                        : Extents(shape, 0, shape.size());
  const auto* values = static_cast<const int8_t*>(weight.data);
  const int8_t* const end = values + Extents(shape, 0, shape.size());
  while (values < end) {
    for (int64_t s = 0; s < extent; ++s) {
      for (int64_t i = 0; i < inner; ++i) {
        *to++ = q.scales[s] * static_cast<float>(*values++ - q.zero_points[s]);
      }
    }
  }
}

void DequantizeRows(const Operand& weight, float* to) {
  if (weight.stored_quantization != nullptr) return WidenQuantized(weight, to);
  const QuantizedRows from(weight);
  for (int64_t r = 0; r < from.rows; ++r) from.Widen(r, to + r * from.depth);
}

float Fp16At(const void* fp16, int64_t i) {
  uint16_t bits;
  std::memcpy(&bits, static_cast<const uint16_t*>(fp16) + i, sizeof(bits));
  return FromFp16(bits);
}

}  // namespace

int64_t StoredBytes(const Operand& weight) {
  if (weight.stored == DataType::kInvalid) return Bytes(weight.type);
  const int64_t n = NumElements(weight.type.shape);
  if (!HasQuantizedRows(weight)) {
    return n * static_cast<int64_t>(SizeOf(weight.stored));
  }
  if (n == 0) return 0;
  const RowLayout layout(weight.type.shape, weight.stored);
  return layout.scales_at() +
         layout.scales_bytes() * (layout.has_zeros ? 2 : 1);
}

int64_t StoredBytes(const Value& weight) {
  return StoredBytes(OperandOf(weight));
}

QuantizedRows::QuantizedRows(const Operand& weight) {
  const RowLayout layout(weight.type.shape, weight.stored);
  rows = layout.rows;
  depth = layout.depth;
  has_blocks = layout.has_blocks;
  bits = layout.bits;
  row_bytes = layout.row_bytes;
  row_scales = layout.row_scales;
  values = static_cast<const uint8_t*>(weight.data);
  scales = values + layout.scales_at();
  if (!layout.has_zeros) return;
  zeros = reinterpret_cast<const uint16_t*>(values + layout.scales_at() +
                                            layout.scales_bytes());
}

void QuantizedRows::ScalesOf(int64_t row, float* to) const {
  if (!has_blocks) {
    *to = static_cast<const float*>(scales)[row];
    return;
  }
  WidenFp16(static_cast<const uint16_t*>(scales) + row * row_scales, row_scales,
            to);
}

void QuantizedRows::Widen(int64_t row, float* to) const {
  const uint8_t* const row_values = values + row * row_bytes;
  const int64_t block_size = has_blocks ? kValuesPerBlock : depth;
  constexpr int64_t kHalf = kValuesPerBlock / 2;
  for (int64_t b = 0; b < row_scales; ++b) {
    const int64_t at = row * row_scales + b, first = b * block_size;
    const float scale =
        has_blocks ? Fp16At(scales, at) : static_cast<const float*>(scales)[at];
    const float zero = zeros != nullptr ? Fp16At(zeros, at)
                       : bits == 4      ? 8.0f
                                        : 0.0f;
    for (int64_t i = 0; i < std::min(block_size, depth - first); ++i) {
      int value = 0;
      if (bits == 8) {
        value = static_cast<int8_t>(row_values[first + i]);
      } else {
        const uint8_t pair = row_values[b * kHalf + i % kHalf];
        value = i < kHalf ? pair & 15 : pair >> 4;
      }
      to[first + i] = scale * (static_cast<float>(value) - zero);
    }
  }
}

StoredScales::StoredScales(const Operand& weight)
    : quantization_(weight.stored_quantization.get()) {
  if (quantization_ != nullptr) {
    axis_ = quantization_->axis;
    scales_ = quantization_->scales.data();
  } else {
    scales_ = static_cast<const float*>(QuantizedRows(weight).scales);
  }
  if (axis_ < 0) return;
  const Shape& shape = weight.type.shape;
  extent_ = shape[axis_];
  inner_ = Extents(shape, static_cast<size_t>(axis_) + 1, shape.size());
}

bool StoredScales::HasOneZeroPoint(int32_t* to) const {
  *to = quantization_ == nullptr ? 0 : quantization_->zero_point();
  if (quantization_ == nullptr) return true;
  const std::vector<int32_t>& all = quantization_->zero_points;
  return std::count(all.begin(), all.end(), *to) ==
         static_cast<int64_t>(all.size());
}

void WidenStored(const Operand& weight, float* to) {
  const int64_t n = NumElements(weight.type.shape);
  if (IsStoredQuantized(weight.stored)) {
    if (n > 0) DequantizeRows(weight, to);
    return;
  }
  const auto* values = static_cast<const uint16_t*>(weight.data);
  (weight.stored == DataType::kF16 ? WidenFp16 : WidenBfloat16s)(values, n, to);
}

}  // namespace mace
