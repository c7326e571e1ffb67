// Sizes and floats of weights stored in another type.
// SPDX-License-Identifier: Apache-2.0

#include "mace/graph/stored_weight.h"

#include <algorithm>
#include <cstring>

#include "mace/base/aligned_buffer.h"
#include "mace/base/fp16.h"

namespace mace {
namespace {

constexpr int64_t kBlockBytes = kValuesPerBlock / 2;

struct RowLayout {
  int64_t rows, depth, row_bytes, row_scales, scale_bytes;

  RowLayout(const Shape& shape, DataType stored)
      : rows(shape.empty() ? 1 : shape[0]), depth(1) {
    for (size_t d = 1; d < shape.size(); ++d) depth *= shape[d];
    const bool has_blocks = stored == DataType::kU8;
    row_scales =
        has_blocks ? (depth + kValuesPerBlock - 1) / kValuesPerBlock : 1;
    row_bytes = has_blocks ? row_scales * kBlockBytes : depth;
    scale_bytes = has_blocks ? sizeof(uint16_t) : sizeof(float);
  }
  int64_t scales_at() const {
    return static_cast<int64_t>(AlignUp(rows * row_bytes, kAlignment));
  }
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
  constexpr int64_t kHalf = kValuesPerBlock / 2;
  float scale = 0;
  for (int64_t r = 0; r < from.rows; ++r) {
    const uint8_t* values = from.values + r * from.row_bytes;
    if (!from.has_blocks) from.ScalesOf(r, &scale);
    for (int64_t i = 0; i < from.depth; ++i) {
      if (!from.has_blocks) {
        *to++ = scale * static_cast<float>(static_cast<int8_t>(values[i]));
        continue;
      }
      const int64_t block = i / kValuesPerBlock, at = i % kValuesPerBlock;
      if (at == 0) {
        uint16_t fp16;
        std::memcpy(&fp16,
                    static_cast<const uint16_t*>(from.scales) +
                        r * from.row_scales + block,
                    sizeof(fp16));
        scale = FromFp16(fp16);
      }
      const uint8_t pair = values[block * kBlockBytes + at % kHalf];
      const int value = at < kHalf ? pair & 15 : pair >> 4;
      *to++ = scale * static_cast<float>(value - 8);
    }
  }
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
         layout.rows * layout.row_scales * layout.scale_bytes;
}

int64_t StoredBytes(const Value& weight) {
  return StoredBytes(OperandOf(weight));
}

QuantizedRows::QuantizedRows(const Operand& weight) {
  const RowLayout layout(weight.type.shape, weight.stored);
  rows = layout.rows;
  depth = layout.depth;
  has_blocks = weight.stored == DataType::kU8;
  row_bytes = layout.row_bytes;
  row_scales = layout.row_scales;
  values = static_cast<const uint8_t*>(weight.data);
  scales = values + layout.scales_at();
}

void QuantizedRows::ScalesOf(int64_t row, float* to) const {
  if (!has_blocks) {
    *to = static_cast<const float*>(scales)[row];
    return;
  }
  CastFp16(static_cast<const uint16_t*>(scales) + row * row_scales, row_scales,
           to);
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
