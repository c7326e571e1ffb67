// Converting elements by way of float or int64, in pieces that stay in the
// first-level cache.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/convert.h"

#include <algorithm>
#include <cstring>
#include <limits>
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
    // The limits are powers of two (or one less), so that comparing with the
    // float of a limit is exact.
    constexpr T lo = std::numeric_limits<T>::min();
    constexpr T hi = std::numeric_limits<T>::max();
    if (!(v == v)) return 0;
    if (v <= static_cast<float>(lo)) return lo;
    if (v >= static_cast<float>(hi)) return hi;
    return static_cast<T>(v);
  } else {
    return static_cast<T>(v);
  }
}

template <typename Wide, typename T>
void Load(const void* from, Wide* to, int64_t n) {
  const T* p = static_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) to[i] = Widen<Wide>(p[i]);
}

template <typename Wide, typename T>
void Store(const Wide* from, void* to, int64_t n) {
  T* p = static_cast<T*>(to);
  for (int64_t i = 0; i < n; ++i) p[i] = Narrow<T>(from[i]);
}

template <typename Wide>
void LoadAs(DataType type, const void* from, Wide* to, int64_t n) {
  switch (type) {
    case DataType::kF32:
      return Load<Wide, float>(from, to, n);
    case DataType::kF16:
      return Load<Wide, Half>(from, to, n);
    case DataType::kBF16:
      return Load<Wide, Bfloat16>(from, to, n);
    case DataType::kI32:
      return Load<Wide, int32_t>(from, to, n);
    case DataType::kI64:
      return Load<Wide, int64_t>(from, to, n);
    case DataType::kI16:
      return Load<Wide, int16_t>(from, to, n);
    case DataType::kI8:
      return Load<Wide, int8_t>(from, to, n);
    case DataType::kU8:
      return Load<Wide, uint8_t>(from, to, n);
    case DataType::kBool:
      return Load<Wide, Boolean>(from, to, n);
    case DataType::kInvalid:
      return;
  }
}

template <typename Wide>
void StoreAs(DataType type, const Wide* from, void* to, int64_t n) {
  switch (type) {
    case DataType::kF32:
      return Store<Wide, float>(from, to, n);
    case DataType::kF16:
      return Store<Wide, Half>(from, to, n);
    case DataType::kBF16:
      return Store<Wide, Bfloat16>(from, to, n);
    case DataType::kI32:
      return Store<Wide, int32_t>(from, to, n);
    case DataType::kI64:
      return Store<Wide, int64_t>(from, to, n);
    case DataType::kI16:
      return Store<Wide, int16_t>(from, to, n);
    case DataType::kI8:
      return Store<Wide, int8_t>(from, to, n);
    case DataType::kU8:
      return Store<Wide, uint8_t>(from, to, n);
    case DataType::kBool:
      return Store<Wide, Boolean>(from, to, n);
    case DataType::kInvalid:
      return;
  }
}

template <typename Wide>
void ConvertThrough(DataType from_type, const void* from, DataType to_type,
                    void* to, int64_t n) {
  Wide piece[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    LoadAs(from_type,
           static_cast<const char*>(from) +
               i * static_cast<int64_t>(SizeOf(from_type)),
           piece, count);
    StoreAs(to_type, piece,
            static_cast<char*>(to) + i * static_cast<int64_t>(SizeOf(to_type)),
            count);
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
    CastFp16(static_cast<const uint16_t*>(from), n, static_cast<float*>(to));
  } else if (IsFloat(from_type) || IsFloat(to_type)) {
    ConvertThrough<float>(from_type, from, to_type, to, n);
  } else {
    ConvertThrough<int64_t>(from_type, from, to_type, to, n);
  }
}

}  // namespace mace
