// Scales, zero points and their axis.
// SPDX-License-Identifier: Apache-2.0

#include "mace/model/quantization.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "mace/base/make_shared.h"

namespace mace {
namespace {

template <typename T>
std::pair<int64_t, int64_t> RangeOf() {
  return {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

// Returns the smallest and the largest zero point, or {0, -1} if the type
// cannot be quantized.
std::pair<int64_t, int64_t> ZeroPoints(DataType type) {
  switch (type) {
    case DataType::kI8:
      return RangeOf<int8_t>();
    case DataType::kU8:
      return RangeOf<uint8_t>();
    case DataType::kI16:
      return RangeOf<int16_t>();
    case DataType::kI32:
      return RangeOf<int32_t>();
    default:
      return {0, -1};
  }
}

// Returns how many scales there must be. REQUIRES: the axis is valid.
size_t NumScales(const stored::Quantization& q, const TensorType& type) {
  return q.axis.has_value() ? static_cast<size_t>(type.shape[*q.axis]) : 1;
}

}  // namespace

Status CheckQuantization(
    const std::optional<stored::Quantization>& quantization,
    const TensorType& type, const std::string& what) {
  if (!quantization.has_value()) return Status();
  const stored::Quantization& q = *quantization;
  if (q.scales.empty()) {
    if (q.zero_points.empty() && !q.axis.has_value()) return Status();
    return InvalidModel(what, ": its quantization has no scales");
  }
  const auto [least, most] = ZeroPoints(type.dtype);
  if (least > most) {
    return InvalidModel(what, ": ", Name(type.dtype),
                        " cannot be quantized; i8, u8, i16 and i32 can");
  }
  if (q.axis.has_value() && (*q.axis < 0 || *q.axis >= type.rank())) {
    return InvalidModel(what, ": its quantization has the axis ", *q.axis,
                        ", its rank is ", type.rank());
  }
  if (q.scales.size() != NumScales(q, type)) {
    return InvalidModel(what, ": its quantization has ", q.scales.size(),
                        " scales, ", NumScales(q, type), " are needed");
  }
  for (const float scale : q.scales) {
    if (std::isfinite(scale) && scale > 0) continue;
    return InvalidModel(what, ": its quantization has the scale ",
                        std::to_string(scale),
                        "; scales are finite and above 0");
  }
  if (!q.zero_points.empty() && q.zero_points.size() != q.scales.size()) {
    return InvalidModel(what, ": its quantization has ", q.zero_points.size(),
                        " zero points for ", q.scales.size(), " scales");
  }
  for (const int32_t zero : q.zero_points) {
    if (zero >= least && zero <= most) continue;
    return InvalidModel(what, ": its quantization has the zero point ", zero,
                        ", which is no ", Name(type.dtype));
  }
  return Status();
}

QuantizationPtr FromStored(
    const std::optional<stored::Quantization>& quantization) {
  if (!quantization.has_value() || quantization->scales.empty()) return nullptr;
  auto read = MakeShared<Quantization>();
  for (const float scale : quantization->scales) read->scales.push_back(scale);
  for (const int32_t zero : quantization->zero_points) {
    read->zero_points.push_back(zero);
  }
  read->zero_points.resize(read->scales.size());
  read->axis = quantization->axis.value_or(-1);
  return read;
}

}  // namespace mace
