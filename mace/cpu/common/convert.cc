// Converting elements by way of float or int64, in pieces that stay in the
// first-level cache.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/convert.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace mace {
namespace {

constexpr int64_t kPiece = 256;  // elements

struct Half {
  uint16_t bits;
};
struct Bfloat16 {
  uint16_t bits;
};
struct Boolean {
  uint8_t value;
};

template <typename Wide, typename T>
Wide Widen(T v) {
  if constexpr (std::is_same_v<T, Half>) {
    return static_cast<Wide>(FromFp16(v.bits));
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return static_cast<Wide>(FromBfloat16(v.bits));
  } else if constexpr (std::is_same_v<T, Boolean>) {
    return static_cast<Wide>(v.value != 0 ? 1 : 0);
  } else {
    return static_cast<Wide>(v);
  }
}

template <typename T, typename Wide>
T Narrow(Wide v) {
  if constexpr (std::is_same_v<T, Half>) {
    return {ToFp16(static_cast<float>(v))};
  } else if constexpr (std::is_same_v<T, Bfloat16>) {
    return {ToBfloat16(static_cast<float>(v))};
  } else if constexpr (std::is_same_v<T, Boolean>) {
    return {static_cast<uint8_t>(v != 0 ? 1 : 0)};
  } else if constexpr (std::is_integral_v<T> && std::is_same_v<Wide, float>) {
    return ToInteger<T>(v);
  } else {
    return static_cast<T>(v);
  }
}

// Calls f with a null pointer to elements of `type`.
template <typename F>
void WithPointerTo(DataType type, const F& f) {
  switch (type) {
    case DataType::kF32:
      return f(static_cast<float*>(nullptr));
    case DataType::kF16:
      return f(static_cast<Half*>(nullptr));
    case DataType::kBF16:
      return f(static_cast<Bfloat16*>(nullptr));
    case DataType::kI32:
      return f(static_cast<int32_t*>(nullptr));
    case DataType::kI64:
      return f(static_cast<int64_t*>(nullptr));
    case DataType::kI16:
      return f(static_cast<int16_t*>(nullptr));
    case DataType::kI8:
      return f(static_cast<int8_t*>(nullptr));
    case DataType::kU8:
      return f(static_cast<uint8_t*>(nullptr));
    case DataType::kBool:
      return f(static_cast<Boolean*>(nullptr));
    case DataType::kInvalid:
    case DataType::kI8Blocks:
    case DataType::kU4Blocks:
      return;
  }
}

template <typename Wide>
void ConvertThrough(DataType from_type, const void* from, DataType to_type,
                    void* to, int64_t n) {
  Wide piece[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    WithPointerTo(from_type, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      const T* x = static_cast<const T*>(from) + i;
      for (int64_t k = 0; k < count; ++k) piece[k] = Widen<Wide>(x[k]);
    });
    WithPointerTo(to_type, [&](auto* type) {
      using T = std::remove_pointer_t<decltype(type)>;
      T* y = static_cast<T*>(to) + i;
      for (int64_t k = 0; k < count; ++k) y[k] = Narrow<T>(piece[k]);
    });
  }
}

bool IsFloat(DataType type) {
  return type == DataType::kF32 || type == DataType::kF16 ||
         type == DataType::kBF16;
}

}  // namespace

void ConvertElements(DataType from_type, const void* from, DataType to_type,
                     void* to, int64_t n) {
  if (from_type == to_type) {
    if (n > 0) std::memcpy(to, from, static_cast<size_t>(n) * SizeOf(to_type));
  } else if (from_type == DataType::kF32 && to_type == DataType::kF16) {
    NarrowToFp16(static_cast<const float*>(from), n,
                 static_cast<uint16_t*>(to));
  } else if (from_type == DataType::kF16 && to_type == DataType::kF32) {
    WidenFp16(static_cast<const uint16_t*>(from), n, static_cast<float*>(to));
  } else if (IsFloat(from_type) || IsFloat(to_type)) {
    ConvertThrough<float>(from_type, from, to_type, to, n);
  } else {
    ConvertThrough<int64_t>(from_type, from, to_type, to, n);
  }
}

}  // namespace mace
