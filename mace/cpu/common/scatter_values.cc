// How scattering combines what is there with what comes.
// SPDX-License-Identifier: Apache-2.0

#include "mace/cpu/common/scatter_values.h"

#include "mace/cpu/common/wrap.h"

namespace mace::cpu {
namespace {

// A NaN wins over any number.
template <ScatterKind kKind, typename T>
T Combined(T a, T b) {
  switch (kKind) {
    case ScatterKind::kSum:
      return Wrap<T>::Add(a, b);
    case ScatterKind::kProd:
      return Wrap<T>::Mul(a, b);
    case ScatterKind::kMin:
      return a < b || a != a ? a : b;
    case ScatterKind::kMax:
      return a > b || a != a ? a : b;
    case ScatterKind::kNone:
      break;
  }
  return b;
}

template <ScatterKind kKind, typename T>
void Combine(void* y, const void* x, int64_t n) {
  T* to = static_cast<T*>(y);
  const T* from = static_cast<const T*>(x);
  for (int64_t i = 0; i < n; ++i) to[i] = Combined<kKind>(to[i], from[i]);
}

template <typename T>
CombineFn OfType(ScatterKind kind) {
  switch (kind) {
    case ScatterKind::kSum:
      return Combine<ScatterKind::kSum, T>;
    case ScatterKind::kProd:
      return Combine<ScatterKind::kProd, T>;
    case ScatterKind::kMin:
      return Combine<ScatterKind::kMin, T>;
    case ScatterKind::kMax:
      return Combine<ScatterKind::kMax, T>;
    case ScatterKind::kNone:
      break;
  }
  return nullptr;
}

}  // namespace

CombineFn CombineOf(ScatterKind kind, DataType dtype) {
  return dtype == DataType::kF32   ? OfType<float>(kind)
         : dtype == DataType::kI32 ? OfType<int32_t>(kind)
                                   : OfType<int64_t>(kind);
}

}  // namespace mace::cpu
